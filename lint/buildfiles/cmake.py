"""CMake files: what reaches nvcc in a Release configuration with every option at its default.

The file is interpreted: variables, lists, conditions, loops, functions, generator expressions. Conditions on
things that the file does not set are unknown, and what stands under them is not claimed. Switches that turn
CUDA on count as on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cudalint.lint.buildfiles import cmake_conditions, cmake_genex, nvcc, shell
from cudalint.lint.buildfiles.cmake_syntax import Argument, Command, commands
from cudalint.lint.buildfiles.names import assume_cuda, is_debug
from cudalint.lint.buildfiles.traced import EMPTY, UNKNOWN, UNSET, Source, Traced, join

_REFERENCE = re.compile(r"\$(ENV|CACHE)?\{([^${}]*)\}")
_LIST = re.compile(r"[;\s]+")
_FLAG_VARIABLES = re.compile(
    r"CMAKE_CUDA_FLAGS(_INIT|(_RELEASE|_RELWITHDEBINFO|_MINSIZEREL)(_INIT)?)?|CUDA_NVCC_FLAGS(_RELEASE|_RELWITHDEBINFO)?"
)
SCOPES = frozenset({"PUBLIC", "PRIVATE", "INTERFACE", "BEFORE", "AFTER", "SYSTEM"})
_BLOCKS = {
    "if": "endif",
    "foreach": "endforeach",
    "while": "endwhile",
    "function": "endfunction",
    "macro": "endmacro",
}
_FIND_CUDA = frozenset(
    {"cuda_add_executable", "cuda_add_library", "cuda_compile", "cuda_compile_ptx", "cuda_compile_cubin"}
)
_CONFIGURATIONS = re.compile(r"^(DEBUG|RELEASE|RELWITHDEBINFO|MINSIZEREL|OPTIONS|STATIC|SHARED|MODULE)$")
_MAX_STEPS = 20_000
_MAX_DEPTH = 12
_WHEN = "a Release configuration with all options at their defaults"


@dataclass(slots=True)
class Definition:
    """A function or macro of the file."""

    name: str
    parameters: tuple[str, ...]
    body: Sequence[Command]
    macro: bool
    called: bool = False


@dataclass(slots=True)
class Interpreter:
    """The state of an evaluation. `uncertain` counts the open branches that may not be taken."""

    source: Source
    toolkit: str
    variables: dict[str, Traced]
    definitions: dict[str, Definition] = field(default_factory=dict)
    found: list[nvcc.Compilation] = field(default_factory=list)
    uncertain: int = 0
    depth: int = 0
    steps: int = 0
    handlers: Mapping[str, Handler] = field(default_factory=lambda: HANDLERS)

    # Values

    def lookup(self, name: str) -> Traced | None:
        """The value of a variable, or None when the file does not set it."""
        return self.variables.get(name)

    def expand(self, text: Traced) -> Traced:
        """The text with `${NAME}` replaced, from the inside out."""
        for _ in range(_MAX_DEPTH):
            match = _REFERENCE.search(text.text)
            if match is None:
                return text
            value = None if match[1] else self.lookup(match[2])
            if value is None:
                value = Traced.made(UNKNOWN if match[1] else UNSET)
            text = join([text[: match.start()], value, text[match.end() :]], "")
            if len(text) > 1 << 16:
                break
        return _expand_all(self, text)

    def words(self, arguments: Sequence[Argument]) -> list[Traced]:
        """The arguments with references replaced, unquoted ones split at semicolons."""
        result: list[Traced] = []
        for argument in arguments:
            value = argument.text if argument.bracket else self.expand(argument.text)
            if argument.quoted or argument.bracket:
                result.append(value)
            else:
                result.extend(value.split(re.compile(";+")))
        return result

    def assign(self, name: str, value: Traced, scope: dict[str, Traced] | None = None) -> None:
        """Set a variable; in a branch that may not be taken its value becomes unknown."""
        enabled = assume_cuda(name, value.known())
        if enabled is not None:
            value = Traced.made(enabled)
        if self.uncertain:
            value = join([self.variables.get(name, EMPTY), Traced.made(UNKNOWN)], ";")
        (self.variables if scope is None else scope)[name] = value

    # What reaches nvcc

    def emit(self, value: Traced, *, shared: bool = False) -> None:
        """Note flags that reach nvcc; `shared` ones are for all languages, and say nothing about -O."""
        if self.uncertain:
            return
        text = cmake_genex.evaluate(value, self.toolkit)
        words = [w[len("SHELL:") :] if w.text.startswith("SHELL:") else w for w in text.split(_LIST)]
        compilation = nvcc.compilation(words, self.source, when=_WHEN)
        if shared:
            compilation = replace(compilation, options=tuple(o for o in compilation.options if o.name != "optimize"))
        if compilation.options:
            self.found.append(compilation)

    def emit_architectures(self, value: Traced) -> None:
        """Note the architectures of CMAKE_CUDA_ARCHITECTURES or of a target."""
        if self.uncertain:
            return
        items = [w for w in cmake_genex.evaluate(value, self.toolkit).split(_LIST) if w.certain]
        options = tuple(
            nvcc.Option("cuda-architecture", w.known(), self.source.span_of(w), self.source.span_of(w)) for w in items
        )
        self.found.append(nvcc.Compilation(options, when=_WHEN))

    def emit_scope(self) -> None:
        """Note the flags that are in force at the end of a scope."""
        for name, value in self.variables.items():
            if _FLAG_VARIABLES.fullmatch(name):
                self.emit(value)
            elif name == "CMAKE_CUDA_ARCHITECTURES":
                self.emit_architectures(value)

    # Commands

    def run(self, block: Sequence[Command]) -> None:
        """Interpret a sequence of commands."""
        i = 0
        while i < len(block) and self.steps < _MAX_STEPS:
            self.steps += 1
            command = block[i]
            if command.name in _BLOCKS:
                end = _end_of(block, i)
                self._block(command, block[i + 1 : end], block[i:end])
                i = end + 1
                continue
            handler = self.handlers.get(command.name)
            if handler is not None:
                handler(self, command)
            elif command.name in self.definitions:
                self.call(self.definitions[command.name], self.words(command.arguments))
            i += 1

    def _block(self, command: Command, body: Sequence[Command], whole: Sequence[Command]) -> None:
        if command.name == "if":
            self._if(whole)
        elif command.name == "foreach":
            self._foreach(command, body)
        elif command.name == "while":
            self._maybe(body)
        else:
            names = [a.text.text for a in command.arguments]
            if names:
                key = names[0].lower()
                self.definitions[key] = Definition(key, tuple(names[1:]), body, command.name == "macro")

    def _maybe(self, body: Sequence[Command]) -> None:
        self.uncertain += 1
        self.run(body)
        self.uncertain -= 1

    def _if(self, whole: Sequence[Command]) -> None:
        open_question = False
        for head, body in _branches(whole):
            taken = True if head.name == "else" else self.condition(head)
            if taken is False:
                continue
            if taken is None or open_question:
                open_question = True
                self._maybe(body)
            else:
                self.run(body)
            if taken is True:
                return

    def condition(self, head: Command) -> bool | None:
        """The truth of an if() or elseif(); None where it rests on what the file does not say."""
        tokens = [
            cmake_conditions.Token(self.expand(a.text) if not a.bracket else a.text, a.quoted or a.bracket)
            for a in head.arguments
        ]
        return cmake_conditions.evaluate(tokens, self.lookup)

    def _foreach(self, command: Command, body: Sequence[Command]) -> None:
        words = self.words(command.arguments)
        name, items = (words[0].text, words[1:]) if words else ("", [])
        if items and items[0].text == "IN":
            items = items[1:]
            if items and items[0].text == "LISTS":
                items = [w for v in items[1:] for w in (self.lookup(v.text) or Traced.made(UNKNOWN)).split(_LIST)]
            elif items and items[0].text == "ITEMS":
                items = items[1:]
        if (items and (items[0].text in {"RANGE", "ZIP_LISTS"} or not all(i.certain for i in items))) or len(
            items
        ) > 64:
            self.variables[name] = Traced.made(UNKNOWN)
            self._maybe(body)
            return
        for item in items:
            self.variables[name] = item
            self.run(body)

    def call(self, definition: Definition, words: Sequence[Traced]) -> None:
        """Run a function or macro of the file with these arguments."""
        definition.called = True
        if self.depth >= _MAX_DEPTH:
            return
        outer = self.variables
        rest = list(words[len(definition.parameters) :])
        local = dict(zip(definition.parameters, words, strict=False))
        local |= {"ARGN": join(rest, ";"), "ARGV": join(words, ";"), "ARGC": Traced.made(str(len(words)))}
        self.variables = {**outer, **local}
        self.depth += 1
        self.run(definition.body)
        self.depth -= 1
        inner, self.variables = self.variables, outer
        if definition.macro:
            outer.update({k: v for k, v in inner.items() if k not in local})
        else:
            for key in [k for k in inner if k.startswith("^")]:
                outer[key[1:]] = inner[key]
            changed = {k: v for k, v in inner.items() if outer.get(k) is not v and _FLAG_VARIABLES.fullmatch(k)}
            for value in changed.values():
                self.emit(value)


def _expand_all(interpreter: Interpreter, text: Traced) -> Traced:
    """Replace what is left after many references: a long text with no nesting to speak of."""
    parts: list[Traced] = []
    end = 0
    for match in _REFERENCE.finditer(text.text):
        value = None if match[1] else interpreter.lookup(match[2])
        parts += [text[end : match.start()], value if value is not None else Traced.made(UNKNOWN)]
        end = match.end()
    return join([*parts, text[end:]], "") if parts else text


def _end_of(block: Sequence[Command], start: int) -> int:
    """The index of the command that closes the block opened at `start`."""
    opening, closing = block[start].name, _BLOCKS[block[start].name]
    depth = 0
    for i in range(start, len(block)):
        depth += (block[i].name == opening) - (block[i].name == closing)
        if depth == 0:
            return i
    return len(block)


def _branches(whole: Sequence[Command]) -> Iterator[tuple[Command, Sequence[Command]]]:
    """The heads of an if block with their bodies."""
    depth = 0
    start = 0
    for i, command in enumerate(whole):
        if i and command.name == "if":
            depth += 1
        elif command.name == "endif":
            depth -= 1
        elif depth == 0 and command.name in {"elseif", "else"}:
            yield whole[start], whole[start + 1 : i]
            start = i
    yield whole[start], whole[start + 1 :]


def _set(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    if not words or words[0].text.startswith("ENV{"):
        return
    name, values = words[0].text, words[1:]
    texts = [v.text for v in values]
    if "CACHE" in texts:
        values = values[: texts.index("CACHE")]
        if name in self.variables and "FORCE" not in texts:
            return
    scope = None
    if texts[-1:] == ["PARENT_SCOPE"]:
        values, name = values[:-1], ("^" + name if self.depth else name)
    if values:
        self.assign(name, join(values, ";"), scope)
    else:
        self.variables.pop(name, None)


def _option(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    if words and words[0].text not in self.variables:
        self.assign(words[0].text, words[2] if len(words) > 2 else Traced.made("OFF"))


def _list(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    if len(words) < 2:
        return
    verb, name, values = words[0].text.upper(), words[1].text, words[2:]
    old = self.variables.get(name, EMPTY)
    if verb == "APPEND":
        self.assign(name, join([*([old] if old.text else []), *values], ";"))
    elif verb == "PREPEND":
        self.assign(name, join([*values, *([old] if old.text else [])], ";"))
    elif verb == "REMOVE_ITEM":
        gone = {v.text for v in values}
        self.assign(name, join([w for w in old.split(re.compile(";+")) if w.text not in gone], ";"))
    elif verb in {"JOIN", "GET", "SUBLIST", "LENGTH", "FIND"} and values:
        self.assign(values[-1].text, Traced.made(UNKNOWN))


def _string(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    verb = words[0].text.upper() if words else ""
    if verb in {"APPEND", "PREPEND", "CONCAT"} and len(words) > 1:
        name, values = words[1].text, words[2:]
        old = [] if verb == "CONCAT" else [self.variables.get(name, EMPTY)]
        self.assign(name, join([*values, *old] if verb == "PREPEND" else [*old, *values], ""))
    elif verb in {"TOUPPER", "TOLOWER", "STRIP"} and len(words) == 3:
        value = words[1]
        changed = {"TOUPPER": value.text.upper(), "TOLOWER": value.text.lower()}.get(verb, value.text)
        self.assign(
            words[2].text, Traced(changed, value.marks) if len(changed) == len(value) else Traced.made(changed)
        )
    elif verb == "REPLACE" and len(words) >= 5 and all(w.complete for w in words[1:3]):
        match, text = words[1].text, join(words[4:], "")
        pieces = list(text.split(re.compile(re.escape(match)))) if match else [text]
        self.assign(words[3].text, join(pieces, words[2].text))
    elif verb == "REGEX" and len(words) > 4:
        self.assign(words[4].text, Traced.made(UNKNOWN))
    elif len(words) > 2:
        self.assign(words[-1].text, Traced.made(UNKNOWN))


def _compile_options(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    if command.name == "target_compile_options":
        words = [w for w in words[1:] if w.text not in SCOPES]
    flags = join(words, ";")
    self.emit(flags, shared="COMPILE_LANG" not in flags.text)


def _properties(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    texts = [w.text for w in words]
    marker = "PROPERTY" if command.name == "set_property" else "PROPERTIES"
    if marker not in texts:
        return
    pairs = words[texts.index(marker) + 1 :]
    if marker == "PROPERTY":
        pairs = [pairs[0], join(pairs[1:], ";")] if pairs else []
    for key, value in zip(pairs[::2], pairs[1::2], strict=False):
        if key.text in {"COMPILE_FLAGS", "COMPILE_OPTIONS", "INTERFACE_COMPILE_OPTIONS"}:
            self.emit(value)
        elif key.text == "CUDA_ARCHITECTURES":
            self.emit_architectures(value)


def _find_cuda(self: Interpreter, command: Command) -> None:
    """FindCUDA's commands: flags follow OPTIONS, those of one configuration follow its name."""
    active, chosen = False, []
    for word in self.words(command.arguments):
        keyword = _CONFIGURATIONS.match(word.text)
        if keyword:
            active = (active or keyword[1] == "OPTIONS") and keyword[1] != "DEBUG"
        elif active:
            chosen.append(word)
    if chosen:
        self.emit(join(chosen, ";"))


def _custom_command(self: Interpreter, command: Command) -> None:
    words = self.words(command.arguments)
    starts = [i + 1 for i, w in enumerate(words) if w.text == "COMMAND"]
    for start in starts:
        arguments = shell.arguments_of(words[start : start + 1], "nvcc")
        if arguments is not None:
            stop = next(
                (i for i in range(start, len(words)) if words[i].text in {"COMMAND", "DEPENDS", "OUTPUT"}), None
            )
            self.emit(join(words[start + 1 : stop], ";"))


def _unset(self: Interpreter, command: Command) -> None:
    for word in self.words(command.arguments[:1]):
        self.variables.pop(word.text, None)


Handler = Callable[[Interpreter, Command], None]
HANDLERS: Mapping[str, Handler] = {
    "set": _set,
    "unset": _unset,
    "option": _option,
    "cmake_dependent_option": _option,
    "list": _list,
    "string": _string,
    "add_compile_options": _compile_options,
    "target_compile_options": _compile_options,
    "set_target_properties": _properties,
    "set_source_files_properties": _properties,
    "set_property": _properties,
    "add_custom_command": _custom_command,
    "execute_process": _custom_command,
} | dict.fromkeys(_FIND_CUDA, _find_cuda)


def read(path: Path, text: str, toolkit: tuple[int, int]) -> tuple[nvcc.Compilation, ...]:
    """What the CMake file hands to nvcc in a release build."""
    version = f"{toolkit[0]}.{toolkit[1]}"
    given = {
        "CMAKE_BUILD_TYPE": "Release",
        "CUDA_VERSION": version,
        "CUDA_VERSION_MAJOR": str(toolkit[0]),
        "CUDAToolkit_VERSION": version,
        "CUDAToolkit_VERSION_MAJOR": str(toolkit[0]),
        "CMAKE_CUDA_COMPILER_VERSION": version,
        "CMAKE_CUDA_COMPILER_ID": "NVIDIA",
        "CMAKE_CUDA_COMPILER": "nvcc",
        "CUDA_NVCC_EXECUTABLE": "nvcc",
    }
    interpreter = Interpreter(Source(str(path), text), version, {k: Traced.made(v) for k, v in given.items()})
    interpreter.run(list(commands(text)))
    interpreter.emit_scope()
    for definition in list(interpreter.definitions.values()):
        if not definition.called and not is_debug(definition.name):
            interpreter.call(definition, [Traced.made(UNKNOWN)] * len(definition.parameters))
    return tuple(interpreter.found)
