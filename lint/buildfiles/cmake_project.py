"""CMake files: what they say of the sources below them, for a reader who has not built the project.

The files from a project's top down to a source's folder are interpreted in turn, with every option at its
default. Unlike the flags that build rules judge, a guess is better than nothing here: a condition on what the
files do not say counts as false, so that what stands under `else()` holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cudalint.lint.buildfiles import cmake_genex
from cudalint.lint.buildfiles.cmake import HANDLERS, SCOPES, Interpreter
from cudalint.lint.buildfiles.cmake_syntax import Command, commands
from cudalint.lint.buildfiles.traced import UNKNOWN, UNSET, Source, Traced

_TOOLKIT = "13.0"
_WORDS = re.compile(r"[;\s]+")
_DEFINITION = re.compile(r"(?:-D)?([A-Za-z_]\w*)(=.*)?")
_IN_FLAGS = re.compile(r"(?<!\S)-D([A-Za-z_]\w*)(=[^\s\"']*)?(?!\S)")
_FLAGS = ("CMAKE_CXX_FLAGS", "CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS")
_UNKNOWN_PART = re.compile(f".*[{UNKNOWN}{UNSET}]/?")
_REFERENCE = re.compile(r"@(\w+)@|\$\{(\w+)\}")
_CMAKEDEFINE = re.compile(r"^([ \t]*#[ \t]*)cmakedefine(01)?([ \t]+)(\w+)(.*)$", re.MULTILINE)
_FALSE = re.compile(r"(?i)(0|off|no|false|n|ignore|notfound|.*-notfound|)$")
_GIVEN = {"CUDA_VERSION": _TOOLKIT, "CUDAToolkit_VERSION": _TOOLKIT, "CMAKE_CUDA_COMPILER_VERSION": _TOOLKIT}
_PLATFORM = {"UNIX": "1", "WIN32": "0", "MSVC": "0", "APPLE": "0", "CMAKE_BUILD_TYPE": "Release"}


@dataclass(frozen=True, slots=True)
class Project:
    """Macros as -D flags, folders of headers, values of variables, and generated headers with their templates."""

    defines: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    def template(self, name: str) -> str | None:
        """The file that CMake makes a header from, when it makes one that `#include` can mean by `name`."""
        base = name.rpartition("/")[2]
        found = [source for made, source in self.templates if made.rpartition("/")[2] == base]
        return found[0] if found else None

    def configured(self, text: str) -> str:
        """A template with its references replaced; what has no known value becomes 0."""

        def define(match: re.Match[str]) -> str:
            on = not _FALSE.match(self.values.get(match[4], ""))
            if match[2]:
                return f"{match[1]}define{match[3]}{match[4]} {int(on)}"
            return f"{match[1]}define{match[3]}{match[4]}{match[5]}" if on else f"/* {match[4]} is not set */"

        return _REFERENCE.sub(lambda m: self.values.get(m[1] or m[2], "0"), _CMAKEDEFINE.sub(define, text))


@dataclass(slots=True)
class _Reader(Interpreter):
    """An interpreter that decides every condition, and notes macros, folders and templates."""

    folder: str = ""
    defines: dict[str, str] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)
    templates: dict[str, str] = field(default_factory=dict)

    def condition(self, head: Command) -> bool | None:
        """False where the files do not say."""
        return bool(Interpreter.condition(self, head))

    def known(self, command: Command) -> list[str]:
        """The words of a command that are known in full."""
        values = [cmake_genex.evaluate(word, self.toolkit) for word in self.words(command.arguments)]
        words = [word.text for value in values for word in value.split(_WORDS)]
        return [word for word in words if UNKNOWN not in word and UNSET not in word and "$<" not in word]

    def define(self, match: re.Match[str] | None) -> None:
        """Note a macro; the first of a name counts."""
        if match and not self.uncertain:
            self.defines.setdefault(match[1], f"-D{match[1]}{match[2] or ''}")


def read(files: Sequence[tuple[str, str]]) -> Project:
    """What CMake files, paths with texts from the top of the project downward, say together."""
    made = {name: Traced.made(value) for name, value in {**_GIVEN, **_PLATFORM}.items()}
    reader: _Reader | None = None
    for path, text in files:
        folder = os.path.dirname(path)  # noqa: PTH120 - text in, text out
        made |= {name: Traced.made(folder) for name in ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR")}
        for name in ("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"):
            made.setdefault(name, Traced.made(folder))
        before = reader
        reader = _Reader(Source(path, text), _TOOLKIT, made, handlers=_HANDLERS, folder=folder)
        if before is not None:
            reader.definitions, reader.defines = before.definitions, before.defines
            reader.folders, reader.templates = before.folders, before.templates
        reader.run(list(commands(text)))
        made = reader.variables
        for flags in _FLAGS:
            for match in _IN_FLAGS.finditer(made[flags].text if flags in made else ""):
                reader.define(match)
    if reader is None:
        return Project()
    values = {name: value.known() for name, value in made.items() if value.certain}
    return Project(tuple(reader.defines.values()), tuple(reader.folders), tuple(reader.templates.items()), values)


def _definitions(self: Interpreter, command: Command) -> None:
    if isinstance(self, _Reader):
        words = self.known(command)
        if command.name == "target_compile_definitions":
            words = [word for word in words[1:] if word not in SCOPES]
        for word in words:
            self.define(_DEFINITION.fullmatch(word))


def _options(self: Interpreter, command: Command) -> None:
    if isinstance(self, _Reader):
        for word in self.known(command):
            self.define(_IN_FLAGS.fullmatch(word))


def _include(self: Interpreter, command: Command) -> None:
    if isinstance(self, _Reader):
        words = self.known(command)
        for word in words[1:] if command.name == "target_include_directories" else words:
            if word not in SCOPES:
                self.folders[os.path.normpath(f"{self.folder}/{word}" if word[0] != "/" else word)] = None


def _configure(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    if isinstance(self, _Reader) and len(words) > 1 and words[0].complete:
        source, target = words[0].text, _UNKNOWN_PART.sub("", words[1].text)
        path = os.path.normpath(f"{self.folder}/{source}" if not source.startswith("/") else source)
        if target:
            self.templates.setdefault(target, path)


def _project(self: Interpreter, command: Command) -> None:
    words = [word.text for word in self.words(command.arguments)]
    if isinstance(self, _Reader) and words:
        made = {f"{words[0]}_SOURCE_DIR": self.folder, "PROJECT_SOURCE_DIR": self.folder, "PROJECT_NAME": words[0]}
        if "VERSION" in words[:-1]:
            made |= version_parts(words[words.index("VERSION") + 1], "PROJECT", words[0])
        self.variables.update({name: Traced.made(value) for name, value in made.items()})


def version_parts(version: str, *prefixes: str) -> dict[str, str]:
    """The variables that project() sets for a version."""
    parts = dict(zip(("_MAJOR", "_MINOR", "_PATCH"), version.split("."), strict=False)) | {"": version}
    return {f"{prefix}_VERSION{part}": value for prefix in prefixes for part, value in parts.items()}


_HANDLERS = {
    **HANDLERS,
    "project": _project,
    "add_definitions": _definitions,
    "add_compile_definitions": _definitions,
    "target_compile_definitions": _definitions,
    "add_compile_options": _options,
    "target_compile_options": _options,
    "include_directories": _include,
    "target_include_directories": _include,
    "configure_file": _configure,
}
