"""The files around one that is checked: which of them launch its kernels and call its functions.

A search of the project's texts picks a few files; those are parsed as if they were checked themselves. The project
is what lies below the nearest folder with a build file, and beside that folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from cudalint.lint.discovery import BUILD_NAMES, CUDA_HEADER_SUFFIXES, HEADER_SUFFIXES, SOURCE_SUFFIXES
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.userfolder import digest

SOURCES = SOURCE_SUFFIXES | {".cpp", ".cc", ".cxx"}
"""Files that are compiled: only those are parsed for themselves."""
TEXTS = SOURCES | CUDA_HEADER_SUFFIXES | HEADER_SUFFIXES
LEVELS = 3
"""Folders upward in which a build file is looked for."""
MAX_FILES = 400
"""In a larger project, or without a build file, only the file's own folder is searched, and the one above it."""
MAX_FOLDERS = 200
MAX_BYTES = 1 << 20
"""Longer files are data, or would take long to parse."""
MAX_READ = 1 << 20
"""The same for a source with the headers of the project that it includes, directly or not."""
MAX_UNITS = 3
"""Files that are parsed for one question."""
MAX_PARSED = 6
"""Files that are parsed for all questions about one file."""
ROUNDS = 4
"""Includes from a header up to a source, at most."""
_KEPT = 4
"""Parsed files that a process keeps: those that are checked in turn often lead to the same one."""
_APART = frozenset({"build", "node_modules", "third_party", "external"})
"""Folders of what a project does not write itself."""

_ALONE = "/."
"""Ends the path of a folder that is meant without the folders in it."""

_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*["<]([^">\n]+)[">]')

_Inputs = tuple[tuple[str, str], ...]
_parsed: dict[tuple[str, tuple[str, ...]], tuple[_Inputs, TranslationUnit]] = {}


class Project:
    """The files around a source, as `Elsewhere` wants them.

    `flags` are those that the source is parsed with, `overlay` what files have instead of what is on disk.
    """

    def __init__(self, path: str, flags: Sequence[str] = (), overlay: Mapping[str, bytes] | None = None) -> None:
        self._path = path
        self._flags = tuple(flags)
        self._overlay = dict(overlay or {})
        self._asked = False
        self._units: dict[str, TranslationUnit | None] = {}

    def launching(self, kernel: Function) -> Iterator[Sequence[TranslationUnit]]:
        """The sources in which the kernel's name stands before `<<<`, or that include such a header.

        Then those that include such a source.
        """
        name = re.escape(kernel.name.encode())
        told = re.compile(rb"\b%s\b[^;{}]{0,400}?<<<|cudaLaunch\w*\s*\([^;{}]{0,200}\b%s\b" % (name, name))
        direct, around = self._sources_with(kernel.name, told)
        yield self._read(direct[:MAX_UNITS])
        yield self._read(around[:MAX_UNITS])

    def calling(self, functions: Sequence[Function]) -> Sequence[TranslationUnit] | None:
        """The sources in which a function's name stands before `(`, or that include such a header."""
        found: dict[str, None] = {}
        for name in dict.fromkeys(function.name for function in functions):
            called = re.compile(rb"\b%s\s*(<[^;{}()]{0,200}>\s*)?\(" % re.escape(name.encode()))
            found |= dict.fromkeys(self._sources_with(name, called)[0])
        if len(found) > MAX_UNITS:
            return None
        units = self._read(list(found))
        return units if len(units) == len(found) else None

    def fingerprint(self) -> str:
        """Changes with the files of the project, their names and contents."""
        return digest(repr((self._tree.listings, [(p, d) for p, (_, d) in self._tree.files.items()])).encode())

    @property
    def inputs(self) -> Iterator[tuple[str, str]]:
        """What the answers so far rest on, if there were any: files and folders with their digests."""
        if self._asked:
            yield from self._tree.listings.items()
            yield from ((path, seen) for path, (_, seen) in self._tree.files.items())
            for unit in self._units.values():
                if unit is not None:
                    yield from ((file, digest(data)) for file, data in unit.files.items())

    @cached_property
    def _tree(self) -> _Tree:
        return _tree_of(Path(self._path).absolute().parent)

    def including(self) -> list[str]:
        """The sources that include the file, directly or not: direct ones first."""
        self._asked = True
        texts = {path: text for path, (text, _) in self._tree.files.items() if path != self._path}
        return self._including({Path(self._path).name}, texts)

    def _sources_with(self, name: str, pattern: re.Pattern[bytes]) -> tuple[list[str], list[str]]:
        """Other sources whose text, or that of a header that they include, matches; and what includes such a source.

        Near ones come first.
        """
        self._asked = True
        plain = name.encode()
        texts = {path: text for path, (text, _) in self._tree.files.items() if path != self._path}
        hits = [path for path, text in texts.items() if plain in text and pattern.search(text)]
        sources = sorted((p for p in hits if Path(p).suffix in SOURCES), key=self._distance)
        by_header = self._including({Path(p).name for p in hits if p not in sources}, texts)
        by_source = self._including({Path(p).name for p in sources}, texts)
        direct = list(dict.fromkeys([*sources, *by_header]))
        return direct, [path for path in by_source if path not in direct]

    def _parsed(self, path: str) -> TranslationUnit | None:
        others = {name: text for name, text in self._overlay.items() if name != path}
        try:
            return parsed(path, self._flags, self._overlay.get(path), others)
        except Exception:  # it is reported where the file is checked itself
            return None

    def _is_small(self, path: str) -> bool:
        """Whether a source and what it includes of the project are parsed in little time."""
        by_name: dict[str, list[str]] = {}
        for other in self._tree.files:
            by_name.setdefault(Path(other).name, []).append(other)
        waiting, seen, size = [path], {path}, 0
        while waiting:
            text = self._tree.files[waiting.pop()][0]
            size += len(text)
            names = {name.rpartition(b"/")[2].decode("utf-8", "replace") for name in _INCLUDE.findall(text)}
            if size > MAX_READ or names & self._tree.large:
                return False
            new = {other for name in names for other in by_name.get(name, ())} - seen
            seen |= new
            waiting += new
        return True

    def _including(self, names: set[str], texts: Mapping[str, bytes]) -> list[str]:
        """The sources that include one of some files, directly or not: direct ones first."""
        found: dict[str, None] = {}
        for _ in range(ROUNDS):
            if not names:
                break
            wanted = b"|".join(re.escape(name.encode()) for name in sorted(names))
            include = re.compile(rb'#\s*include\s*["<](?:[^">\n]*/)?(?:%s)[">]' % wanted)
            new = [path for path, text in texts.items() if path not in found and include.search(text)]
            found |= dict.fromkeys(sorted(new, key=self._distance))
            names = {Path(path).name for path in new}
        return [path for path in found if Path(path).suffix in SOURCES]

    def _distance(self, path: str) -> tuple[bool, bool, str]:
        other = Path(path)
        return other.parent != Path(self._path).parent, other.stem != "main", path

    def _read(self, paths: Sequence[str]) -> list[TranslationUnit]:
        for path in paths:
            if path not in self._units and len(self._units) < MAX_PARSED:
                self._units[path] = self._parsed(path) if self._is_small(path) else None
        return [unit for path in paths if (unit := self._units.get(path)) is not None]


def parsed(
    path: str, flags: tuple[str, ...] = (), content: bytes | None = None, overlay: Mapping[str, bytes] | None = None
) -> TranslationUnit:
    """What `parse_file` makes of a file. Those made last are kept while their files on disk stay the same."""
    from cudalint.lint.frontend import parse_file

    if overlay or content is not None:
        return parse_file(path, flags=flags, content=content, overlay=overlay)
    known = _parsed.get((path, flags))
    if known is not None and all(digest_of(file) == seen for file, seen in known[0]):
        return known[1]
    made = parse_file(path, flags=flags)
    _parsed.pop((path, flags), None)
    while len(_parsed) >= _KEPT:
        del _parsed[next(iter(_parsed))]
    _parsed[path, flags] = (tuple((file, digest(data)) for file, data in made.files.items()), made)
    return made


def digest_of(place: str) -> str:
    """The digest of a file's content, or of the names in a folder that matter to a project; "" without either.

    The name of a folder may end in `/.`: then the folders in it do not count.
    """
    try:
        return digest(Path(place).read_bytes())
    except IsADirectoryError:
        return _listed(place)[1]
    except OSError:
        return ""


# -- what a project consists of --------------------------------------------------------------------


@dataclass(slots=True)
class _Tree:
    """Texts with their digests by path, the names of files too large to be read, and the digests of the folders."""

    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    listings: dict[str, str] = field(default_factory=dict)


def _tree_of(folder: Path) -> _Tree:
    """The project that a folder belongs to, and what stands in the folder above it."""
    top = _top(folder)
    tree = _Tree()
    if top is None or not _gathered(str(top), tree):
        top, tree = folder, _Tree()
        _gathered(f"{folder}{_ALONE}", tree)
    for place in top.parents[: LEVELS - 1]:
        beside = _Tree()
        fits = _gathered(f"{place}{_ALONE}", beside)
        tree.listings |= beside.listings
        if fits and place == top.parent:
            tree.files |= beside.files
            tree.large |= beside.large
    return tree


def _top(folder: Path) -> Path | None:
    """The nearest folder with a build file; None without one near by."""
    places = (folder, *folder.parents)[:LEVELS]
    return next((p for p in places if any((p / name).is_file() for name in BUILD_NAMES)), None)


def _gathered(folder: str, tree: _Tree) -> bool:
    """Add the texts below a folder; false where there are too many."""
    waiting = [folder]
    while waiting:
        place = waiting.pop(0)
        names, tree.listings[place] = _listed(place)
        for name, is_folder, stamp in names:
            path = f"{place.removesuffix(_ALONE).rstrip('/')}/{name}"
            if is_folder:
                waiting.append(path)
            elif stamp[1] > MAX_BYTES:
                tree.large.add(name)
            else:
                tree.files[path] = _text(path, *stamp)
        if len(tree.files) > MAX_FILES or len(tree.listings) + len(waiting) > MAX_FOLDERS:
            return False
    return True


def _listed(folder: str) -> tuple[list[tuple[str, bool, tuple[int, int]]], str]:
    """What of a folder may belong to a project, in order of names, and the digest of what does.

    Each is a name, whether it is a folder, and its time and size.
    """
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if _is_text(entry):
                    stat = entry.stat()
                    found.append((entry.name, False, (stat.st_mtime_ns, stat.st_size)))
                elif not folder.endswith(_ALONE) and entry.name not in _APART and entry.is_dir(follow_symlinks=False):
                    found.append((entry.name, True, (0, 0)))
    except OSError:
        return [], ""
    found.sort()
    builds = sorted(name for name in BUILD_NAMES if os.path.isfile(f"{folder}/{name}"))  # noqa: PTH113 - asked for each folder
    names = [
        (name, stamp[1] > MAX_BYTES)
        for name, is_folder, stamp in found
        if not is_folder or _has_texts(f"{folder}/{name}")  # a cache or a build folder changes nothing
    ]
    return found, digest(repr((names, builds)).encode())


def _has_texts(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(_is_text(entry) for entry in entries)
    except OSError:
        return False


def _is_text(entry: os.DirEntry[str]) -> bool:
    return os.path.splitext(entry.name)[1] in TEXTS and entry.is_file()  # noqa: PTH122 - asked for each file


@lru_cache(maxsize=2 * MAX_FILES)
def _text(path: str, _time: int, _size: int) -> tuple[bytes, str]:
    """A file's content and its digest; time and size tell whether it is still the same."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return b"", ""
    return data, digest(data)
