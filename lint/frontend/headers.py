"""Find a project's own headers without its flags: in the folders where projects keep them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cudalint.lint.buildfiles import cmake_project
from cudalint.lint.frontend.flags import PER_THREAD

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)[\">]", re.MULTILINE)
_FOLDERS = (
    "", "include", "inc", "common", "Common", "common/inc", "Common/inc", "src", "headers", "util", "utils", "lib",
    "shared", "helper", "includes", "dependencies", "deps", "third_party", "thirdparty", "3rdparty",
    "external", "extern",
)  # fmt: skip
_BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")
_CMAKE_SAYS = re.compile(r"compile_definitions|add_definitions|configure_file|include_directories|[\s\"';]-D")
_HINT = re.compile(r"(?<![\w-])-I[ \t]*([^\s'\")]+)|include_directories\s*\(([^)]*)\)")
_PER_THREAD = re.compile(r"-default-stream[ =]per-thread\b")
_DEFINE = re.compile(r"(?<!\S)-D[ \t]*([A-Za-z_]\w*(?:=[^\s'\"$()]*)?)(?!\S)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*[:?]?:?=\s*(.*?)\s*(?:#.*)?")
_REFERENCE = re.compile(r"\$[({]([A-Za-z_]\w*)[)}]")
_CONDITIONS = frozenset({"ifeq", "ifneq", "ifdef", "ifndef"})
_LEVELS = 8
_FILES = 200
_READ = 1 << 20
"""Bounds of the search: folders upward, headers looked into, bytes read of each."""


@dataclass(frozen=True, slots=True)
class Located:
    """Folders to add with -I, and headers that the build would make: their text by the path to include them from."""

    folders: tuple[str, ...]
    generated: dict[str, bytes]


def search_paths(path: str, content: bytes, known: Sequence[str], stubs: str) -> Located:
    """What has to be added so that the includes of a file resolve, headers found on the way included.

    `known` are the folders that the flags name; `stubs` is where our own headers lie.
    """
    added: list[str] = []
    generated: dict[str, bytes] = {}
    main = os.path.abspath(path)  # noqa: PTH100 - lexical: links must not be followed
    pending = [(main, content)]
    seen = {main}
    while pending and len(seen) < _FILES:
        file, text = pending.pop()
        folder = str(Path(file).parent)
        for quoted, name in _includes(text):
            own = [folder] if quoted else []
            found = _first([*own, *known, *added], name)
            if found is None and not _is_file(os.path.join(stubs, name)):  # noqa: PTH118
                found = _searched(folder, name, but=file) or _made(folder, name, generated)
                if found is not None:
                    added.append(found[: -len(name)].rstrip("/") or "/")
            if found is not None and found not in seen:
                seen.add(found)
                pending.append((found, generated.get(found) or _read(found)))
    return Located(tuple(dict.fromkeys(added)), generated)


def _made(folder: str, name: str, generated: dict[str, bytes]) -> str | None:
    """The path, beside its template, of a header that CMake would make; its text goes to `generated`."""
    project = _project(folder)
    template = project.template(name)
    if template is None or name.startswith(("/", "..")) or not _is_file(template):
        return None
    path = f"{Path(template).parent}/{name}"
    generated[path] = project.configured(_read(template).decode("utf-8", "replace")).encode()
    return path


def _includes(text: bytes) -> Iterator[tuple[bool, str]]:
    for match in _INCLUDE.finditer(text):
        name = match.group(2).decode("utf-8", "surrogateescape").strip()
        if name and "\0" not in name:
            yield match.group(1) == b'"', name


def _first(folders: Sequence[str], name: str) -> str | None:
    for folder in folders:
        candidate = os.path.normpath(f"{folder}/{name}")
        if _is_file(candidate):
            return candidate
    return None


def _searched(folder: str, name: str, *, but: str) -> str | None:
    """Look for a header where build files name folders, then in the usual ones beside a file and above it.

    The search ends at the repository's root. A file does not mean itself (`but`): it wraps another of its name.
    """
    if name.startswith(("/", "..")):
        return None
    hinted = _first([*_hinted(folder), *_project(folder).folders], name)
    if hinted is not None and hinted != but:
        return hinted
    return next((place for place in _usual_places(folder, name) if place != but and _is_file(place)), None)


def _usual_places(folder: str, name: str) -> Iterator[str]:
    for above in _upward(folder):
        yield from (os.path.join(above, usual, name) for usual in _FOLDERS)  # noqa: PTH118


def _upward(folder: str) -> Iterator[str]:
    """A folder and those above it, up to the repository's root."""
    for level, above in enumerate((Path(folder), *Path(folder).parents)):
        if level > _LEVELS or not above.name:
            return
        yield str(above)
        if _exists(str(above / ".git")):
            return


@lru_cache(maxsize=1 << 10)
def _project(folder: str) -> cmake_project.Project:
    """What the CMake files above a source say; nothing where there are none."""
    files = [file for above in _upward(folder) if _is_file(file := f"{above}/CMakeLists.txt")]
    return _read_project(tuple(reversed(files)))


@lru_cache(maxsize=1 << 8)
def _read_project(files: tuple[str, ...]) -> cmake_project.Project:
    texts = [(file, _read(file).decode("utf-8", "replace")) for file in files]
    if not any(_CMAKE_SAYS.search(text) for _, text in texts):
        return cmake_project.Project()
    return cmake_project.read(texts)


def consulted(path: str, content: bytes, known: Sequence[str], stubs: str) -> Iterator[str]:
    """The places whose content or absence decides how the includes of a file resolve, for caches.

    They are the build files that are read for hints, the files that would be found before the one that is, and for
    a header that is nowhere every place where it would be looked for.
    """
    folder = str(Path(path).parent)
    for place in (folder, str(Path(folder).parent)):
        yield from (f"{place}/{build}" for build in _BUILD_FILES)
    yield from (f"{above}/CMakeLists.txt" for above in _upward(folder))
    yield from (template for _, template in _project(folder).templates)
    for quoted, name in set(_includes(content)):
        folders = [*([folder] if quoted else []), *known]
        yield from (os.path.normpath(f"{one}/{name}") for one in folders)
        if _first(folders, name) is None and not _is_file(os.path.join(stubs, name)):  # noqa: PTH118
            yield from _usual_places(folder, name)


@lru_cache(maxsize=1 << 10)
def _hinted(folder: str) -> tuple[str, ...]:
    """The include folders that the build files beside a source, or above its `src`, name literally."""
    found: dict[str, None] = {}
    for place in (folder, str(Path(folder).parent)):
        for build in _BUILD_FILES:
            for match in _HINT.finditer(_read(f"{place}/{build}").decode("utf-8", "replace")):
                for word in (match.group(1) or match.group(2) or "").split():
                    if "$" not in word:
                        found[os.path.normpath(f"{place}/{word}")] = None
    return tuple(found)


@lru_cache(maxsize=1 << 10)
def defines(folder: str) -> tuple[str, ...]:
    """The macros, as -D flags, that the makefile beside a source always sets, or else the CMake files above it.

    Values may stand in the makefile's own variables; what its user has to give is left out.
    """
    found: dict[str, str] = {}
    variables: dict[str, str] = {}
    for build in _BUILD_FILES[:3]:
        depth = 0
        for line in _read(f"{folder}/{build}").decode("utf-8", "replace").replace("\\\n", " ").splitlines():
            word = line.split(None, 1)[0] if line.strip() else ""
            depth += (word in _CONDITIONS) - (word == "endif")
            if depth:
                continue
            line = _REFERENCE.sub(lambda match: variables.get(match.group(1), match.group()), line)
            if _PER_THREAD.search(line):
                found.setdefault(PER_THREAD, f"-D{PER_THREAD}")
            for match in _DEFINE.finditer(line):
                found.setdefault(match.group(1).partition("=")[0], f"-D{match.group(1)}")
            if assigned := _VARIABLE.fullmatch(line):
                variables.setdefault(assigned.group(1), assigned.group(2))
    return tuple(found.values()) or _project(folder).defines


@lru_cache(maxsize=1 << 16)
def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=1 << 12)
def _exists(path: str) -> bool:
    return Path(path).exists()


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(_READ)
    except OSError:
        return b""


def folders_of(flags: Sequence[str]) -> list[str]:
    """The include folders that translated flags name."""
    found = [flag[2:] for flag in flags if flag.startswith("-I") and len(flag) > 2]
    found += [flags[at + 1] for at, flag in enumerate(flags[:-1]) if flag in ("-I", "-isystem", "-iquote")]
    return found
