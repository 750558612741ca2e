"""Find a project's own headers without its flags: in the folders where projects keep them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from cudalint.lint.frontend.flags import PER_THREAD

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)[\">]", re.MULTILINE)
_FOLDERS = (
    "", "include", "inc", "common", "Common", "common/inc", "Common/inc", "src", "headers", "util", "utils", "lib",
    "shared", "helper", "includes",
)  # fmt: skip
_BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")
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


def search_paths(path: str, content: bytes, known: Sequence[str], stubs: str) -> tuple[str, ...]:
    """Folders to add with -I so that the includes of a file resolve, headers found on the way included.

    `known` are the folders that the flags name; `stubs` is where our own headers lie.
    """
    added: list[str] = []
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
                found = _searched(folder, name)
                if found is not None:
                    added.append(found[: -len(name)].rstrip("/") or "/")
            if found is not None and found not in seen:
                seen.add(found)
                pending.append((found, _read(found)))
    return tuple(added)


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


def _searched(folder: str, name: str) -> str | None:
    """Look for a header where the build file names folders, then in the usual ones beside a file and above it.

    The search ends at the repository's root.
    """
    if name.startswith(("/", "..")):
        return None
    hinted = _first(_hinted(folder), name)
    if hinted is not None:
        return hinted
    return next(filter(_is_file, _usual_places(folder, name)), None)


def _usual_places(folder: str, name: str) -> Iterator[str]:
    for level, above in enumerate((Path(folder), *Path(folder).parents)):
        if level > _LEVELS or not above.name:
            return
        yield from (os.path.join(above, usual, name) for usual in _FOLDERS)  # noqa: PTH118
        if _exists(str(above / ".git")):
            return


def consulted(path: str, content: bytes, known: Sequence[str], stubs: str) -> Iterator[str]:
    """The places whose content or absence decides how the includes of a file resolve, for caches.

    They are the build files that are read for hints, the files that would be found before the one that is, and for
    a header that is nowhere every place where it would be looked for.
    """
    folder = str(Path(path).parent)
    for place in (folder, str(Path(folder).parent)):
        yield from (f"{place}/{build}" for build in _BUILD_FILES)
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
    """The macros, as -D flags, that the makefile beside a source always sets: under no condition.

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
    return tuple(found.values())


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
