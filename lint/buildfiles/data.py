"""Build settings kept as data: compile_commands.json and pyproject.toml."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cudalint.lint.buildfiles import nvcc, shell
from cudalint.lint.buildfiles.names import is_debug, is_nvcc_flags
from cudalint.lint.buildfiles.traced import Source, Traced, join

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_OPTIMISED = frozenset({"1", "2", "3", "fast", "s"})


def compile_commands(path: Path, text: str) -> tuple[nvcc.Compilation, ...]:
    """The nvcc commands of a compilation database, but not those of a debug build.

    A database records one configured build. It is a debug build when the command does not ask for an optimised
    host and does not define NDEBUG.
    """
    source = Source(str(path), text)
    found = []
    for words in _commands(text):
        arguments = shell.arguments_of(words, "nvcc")
        if arguments is None:
            continue
        options, inputs = nvcc.parse(arguments, source)
        optimised = any(o.value in _OPTIMISED for o in options if o.name == "optimize")
        defines = any(o.value.startswith("NDEBUG") for o in options if o.name in {"D", "define-macro"})
        if optimised or defines:
            complete = nvcc.compiles_for_device(options, inputs)
            found.append(nvcc.Compilation(options, source.span_of(words[0]), complete, "the build in this database"))
    return tuple(found)


def _commands(text: str) -> Iterator[list[Traced]]:
    """The words of each entry's `command` or `arguments`, in order."""
    key: str | None = None
    arguments: list[Traced] = []
    end = 0
    for match in _STRING.finditer(text):
        if key == "arguments" and "]" in text[end : match.start()]:
            yield arguments
            key, arguments = None, []
        end = match.end()
        value = _unescape(Traced.at(match[1], match.start(1)))
        if text[end : end + 16].lstrip().startswith(":"):
            key = value.text
        elif key == "command":
            yield from shell.commands(value)
            key = None
        elif key == "arguments":
            arguments.append(value)
        else:
            key = None
    if arguments:
        yield arguments


def _unescape(text: Traced) -> Traced:
    """A JSON string's value."""
    if "\\" not in text.text:
        return text
    parts: list[Traced] = []
    end = 0
    for match in _ESCAPE.finditer(text.text):
        try:
            decoded = json.loads(f'"{match[0]}"')
        except ValueError:
            decoded = match[0][1:]
        parts += [text[end : match.start()], Traced(decoded, text.marks[match.end() - 1 : match.end()])]
        end = match.end()
    return join([*parts, text[end:]], "")


def pyproject(path: Path, text: str) -> tuple[nvcc.Compilation, ...]:
    """Nvcc flags in pyproject.toml: CMake definitions of scikit-build-core and its kin, and argument lists."""
    source = Source(str(path), text)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return ()
    found = []
    for keys, value in _leaves(document.get("tool", {}), ()):
        name, flags = keys[-1], value
        passed = re.fullmatch(r"-D(\w+)(?::\w+)?=(.*)", value, re.DOTALL)
        if passed:
            name, flags = passed[1], passed[2]
        if not is_nvcc_flags(name) or any(is_debug(k) for k in keys):
            continue
        start = text.find(value)
        traced = Traced.at(flags, start + value.find(flags)) if start >= 0 else Traced.made(flags)
        found.append(nvcc.compilation(list(traced.split()), source, when="the build as it is by default"))
    return tuple(found)


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The strings of a document with the keys that lead to them."""
    if isinstance(value, str) and keys:
        yield keys, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*keys, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, keys)
