"""The prelude, parsed once: kept as a precompiled header in the user's cache folder.

Every file starts with the same declarations, which take longer to parse than most files. What they mean depends on
the language standard and on those macros of the command line that their text mentions, so there is one precompiled
header for each combination of these. Where one cannot be made, read or trusted, the prelude is parsed as text.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from cudalint.lint.frontend.headers import folders_of
from cudalint.lint.frontend.index import TO_SAVE, Parsed, ParseError, library, text_of
from cudalint.lint.userfolder import digest, user_folder

from cudalint import __version__

INCLUDE = Path(__file__).parent / "include"
_PRELUDE = "cudalint_prelude.h"
_BASE = (
    "-x",
    "cuda",
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    "-nobuiltininc",
    "--cuda-host-only",
    "-ferror-limit=0",
    "-fno-spell-checking",
    "-Wno-everything",
)
_KEPT = 8
"""Precompiled headers that are kept, the last used ones: each has 1 to 2 MB."""
_INCLUDED = re.compile(rb"^[ \t]*#[ \t]*include(?:_next)?[ \t]*[\"<]([^\">\n]+)[\">]", re.MULTILINE)
_ERROR = 3


@dataclass(frozen=True, slots=True)
class _Sources:
    """The files that the prelude can lead to: their names as included, their text, and a stamp of their state."""

    names: frozenset[str]
    text: bytes
    stamp: str


def arguments(flags: Sequence[str]) -> list[str]:
    """The command line that a file is parsed with."""
    return [*_stem(flags), "-include", _PRELUDE, *flags]


def parsed(
    path: str, flags: Sequence[str], content: bytes | None, overlay: Mapping[str, bytes] | None = None
) -> Parsed:
    """Parse a file under the given flags. Raises ParseError when libclang gives up."""
    kept = _precompiled(flags)
    if kept is None:
        return Parsed(path, arguments(flags), content, overlay)
    with contextlib.suppress(ParseError):
        unit = Parsed(path, [*_stem(flags), "-include-pch", kept, *flags], content, overlay)
        if not _complains(unit):
            return unit
        unit.close()
    unit = Parsed(path, arguments(flags), content, overlay)
    if not _complains(unit):
        # So it was about the precompiled header: another run shall make a new one.
        with contextlib.suppress(OSError):
            Path(kept).unlink()
    return unit


def clean() -> Path | None:
    """Remove all precompiled headers; the folder that they were in, or None when there was none."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        if folder.is_dir():
            shutil.rmtree(folder)
            return folder
    return None


def _stem(flags: Sequence[str]) -> list[str]:
    standard = () if any(flag.startswith("-std=") for flag in flags) else ("-std=c++17",)
    return [*_BASE, *standard, "-isystem", str(INCLUDE)]


def _folder() -> Path:
    return user_folder() / "preludes"


def _complains(unit: Parsed) -> bool:
    """Whether there is an error about no place in a file: of a precompiled header, or of another flag."""
    lib = library()
    for at in range(lib.clang_getNumDiagnostics(unit.handle)):
        diagnostic = lib.clang_getDiagnostic(unit.handle, at)
        about_all = not lib.clang_getDiagnosticLocation(diagnostic).raw
        severe = lib.clang_getDiagnosticSeverity(diagnostic) >= _ERROR
        lib.clang_disposeDiagnostic(diagnostic)
        if about_all and severe:
            return True
    return False


def _precompiled(flags: Sequence[str]) -> str | None:
    """The precompiled header that fits the flags; None when there can be none."""
    if any(_shadows(folder) for folder in folders_of(flags)):
        return None
    text = _sources().text
    shaping = [flag for flag in flags if flag.startswith("-std=")][-1:]
    shaping += [flag for flag in flags if flag.startswith(("-D", "-U")) and _mentions(text, flag)]
    return _made(tuple(shaping), os.environ.get("XDG_CACHE_HOME"))


def _mentions(text: bytes, flag: str) -> bool:
    name = re.split(r"[=(]", flag[2:], maxsplit=1)[0].strip()
    return not name or re.search(rb"\b%s\b" % re.escape(name.encode("utf-8", "surrogateescape")), text) is not None


@lru_cache(maxsize=1 << 10)
def _shadows(folder: str) -> bool:
    """Whether a folder of the project has a header that the prelude would find there."""
    try:
        return not _sources().names.isdisjoint(os.listdir(folder))  # noqa: PTH208 - only names are wanted
    except (OSError, ValueError):
        return False


@cache
def _sources() -> _Sources:
    pending, texts, stamps = [_PRELUDE], {}, []
    while pending:
        name = pending.pop()
        place = INCLUDE / name
        if name in texts or not place.is_file():
            continue
        state = place.stat()
        stamps.append(f"{place} {state.st_size} {state.st_mtime_ns}")
        texts[name] = place.read_bytes()
        pending += (match.group(1).decode() for match in _INCLUDED.finditer(texts[name]))
    version = text_of(library().clang_getClangVersion())
    stamp = "\n".join([__version__, version, *sorted(stamps)])
    return _Sources(frozenset(name.split("/")[0] for name in texts), b"\n".join(texts.values()), stamp)


@cache
def _made(shaping: tuple[str, ...], _environment: str | None) -> str | None:
    """The path of a precompiled header, made if need be; None when that fails."""
    name = digest("\n".join([_sources().stamp, *_BASE, *shaping]).encode("utf-8", "surrogateescape"))
    try:
        target = _folder() / f"{name}.pch"
        if target.is_file():
            with contextlib.suppress(OSError):
                os.utime(target)
        else:
            _make(target, shaping)
    except (OSError, RuntimeError, ParseError):
        return None
    return str(target)


def _make(target: Path, shaping: Sequence[str]) -> None:
    """Parse and save the prelude, and drop what was not used for long. Raises OSError or ParseError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_suffix(f".{os.getpid()}.tmp")
    # An empty main file, so that the prelude is a system header here as it is when it is included.
    unit = Parsed(str(INCLUDE / "precompiled.h"), arguments(shaping), b"", options=TO_SAVE)
    try:
        if library().clang_saveTranslationUnit(unit.handle, str(scratch).encode("utf-8", "surrogateescape"), 0):
            raise ParseError("the prelude could not be saved")
        scratch.replace(target)
    finally:
        unit.close()
        scratch.unlink(missing_ok=True)
    by_age = sorted(target.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in by_age[_KEPT:]:
        old.unlink(missing_ok=True)
