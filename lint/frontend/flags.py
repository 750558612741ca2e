"""Compiler flags: what of nvcc's, gcc's or clang's command line matters to reading a file, in clang's spelling."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

_ALIASES = {
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--pre-include": "-include",
    "--std": "-std",
    "-idirafter": "-I",
    "-iquote": "-iquote",
}
_PATHS = ("-isystem", "-include", "-iquote", "-I")
_HOST_OPTIONS = ("-Xcompiler", "--compiler-options")
_ARCHITECTURES = ("-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch")
PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
"""The macro under which the default stream is one stream per host thread, and waits for no other."""
_DEFAULT_STREAM = ("-default-stream", "--default-stream")
_FOR_OTHERS = frozenset({
    "-Xptxas", "--ptxas-options", "-Xlinker", "--linker-options", "-Xcudafe", "-Xnvlink", "--nvlink-options",
    "-Xarchive", "--archive-options", "-Xfatbin", "--fatbin-options", "-Xclang", "-MF", "-MT", "-MQ", "-o",
})  # fmt: skip
"""Flags whose value may look like a flag but is not one for the compiler."""
_STANDARD = re.compile(r"(?:c|gnu)\+\+(\w\w)")
_STANDARDS = frozenset({"03", "11", "14", "17", "20", "2a", "23", "2b", "98"})
_ARCHITECTURE = re.compile(r"(?:sm|compute|lto)_(\d+)")
_OPTION_FILES = ("--options-file", "-optf")


def translate(flags: Sequence[str], directory: Path | None = None) -> tuple[str, ...]:
    """The flags that change what a file means, in clang's spelling; all others are dropped.

    Kept are include paths (made absolute from `directory`), macros, forced includes and the language standard.
    Of the architectures named, the newest sets `__CUDA_ARCH__`; `-default-stream per-thread` sets the macro that
    nvcc sets for it.
    """
    kept: list[str] = []
    newest = 0
    for name, value in _pairs(_expanded(flags, directory)):
        if name in _ARCHITECTURES:
            newest = max([newest, *(int(number) for number in _ARCHITECTURE.findall(value))])
        elif name == "-std":
            match = _STANDARD.fullmatch(value)
            if match and match.group(1) in _STANDARDS:
                kept.append(f"-std=c++{match.group(1)}")
        elif name in _DEFAULT_STREAM:
            if value == "per-thread":
                kept.append(f"-D{PER_THREAD}")
        elif name in ("-D", "-U"):
            kept.append(name + value)
        elif value:
            kept += [name, _absolute(name, value, directory)]
    if newest and not any(flag.startswith("-D__CUDA_ARCH__") for flag in kept):
        kept.append(f"-D__CUDA_ARCH__={newest * 10}")
    return tuple(kept)


def _absolute(name: str, value: str, directory: Path | None) -> str:
    if directory is None or Path(value).is_absolute():
        return value
    if name == "-include" and not (directory / value).exists():
        return value
    return os.path.normpath(directory / value)


def _pairs(flags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Name and value of each flag that is understood, however the two were joined."""
    at = 0
    while at < len(flags):
        flag = flags[at]
        at += 1
        following = flags[at] if at < len(flags) else ""
        name, joined, value = flag.partition("=")
        if name in _HOST_OPTIONS:
            at += not joined
            yield from _pairs([part for part in (value if joined else following).split(",") if part])
        elif (name := _ALIASES.get(name, name)) in (*_PATHS, *_ARCHITECTURES, *_DEFAULT_STREAM, "-D", "-U", "-std"):
            at += not joined
            yield name, value if joined else following
        elif flag in _FOR_OTHERS:
            at += 1
        elif (short := flag[:2]) in ("-I", "-D", "-U") and len(flag) > 2:
            yield short, flag[2:]
        elif flag.startswith(("-isystem", "-iquote")):
            split = 8 if flag.startswith("-isystem") else 7
            yield flag[:split], flag[split:]


def _expanded(flags: Sequence[str], directory: Path | None) -> list[str]:
    """The flags with option files read in; one that cannot be read is left out."""
    result: list[str] = []
    pending = iter(flags)
    for flag in pending:
        name, joined, value = flag.partition("=")
        if name in _OPTION_FILES:
            result += _option_file(value if joined else next(pending, ""), directory)
        elif flag.startswith("@"):
            result += _option_file(flag[1:], directory)
        else:
            result.append(flag)
    return result


def _option_file(name: str, directory: Path | None) -> list[str]:
    try:
        return shlex.split(((directory or Path()) / name).read_text("utf-8", "replace"))
    except (OSError, ValueError):
        return []
