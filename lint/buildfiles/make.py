"""Makefiles: what plain `make`, with every variable at its default, hands to nvcc.

The file is evaluated as GNU make would: variables of both flavours, conditionals, the text functions,
target-specific variables, recipes. What depends on the machine (a shell command, a missing include) is
unknown, and nothing is claimed about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from cudalint.lint.buildfiles import nvcc, shell
from cudalint.lint.buildfiles.make_functions import expand
from cudalint.lint.buildfiles.names import assume_cuda, is_debug, is_nvcc_flags
from cudalint.lint.buildfiles.traced import EMPTY, UNKNOWN, Source, Traced, join
from cudalint.lint.model.source import Span

_ASSIGN = re.compile(r"^((?:(?:export|override|private)\s+)*)([^\s:#=+?!]+)\s*(\+=|\?=|:{1,3}=|!=|=)\s*")
_TARGET_ASSIGN = re.compile(
    r"^([^:=#]*?[^:=#\s])\s*::?\s*(?=(?:(?:export|override|private)\s+)?[\w.\-]+\s*(?:\+|\?|:{1,3})?=)"
)
_RULE = re.compile(r"^([^:=#]*?[^:=#\s])\s*&?::?(?!=)")
_CONDITION = re.compile(r"^(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$", re.DOTALL)
_INCLUDE = re.compile(r"^(?:-|s)?include\s+(.+)$", re.DOTALL)
_MAX_INCLUDES = 8
_MAX_BYTES = 1 << 20

IMPLICIT = {"NVCC": "nvcc", "CC": "cc", "CXX": "g++", "MAKE": "make", "RM": "rm -f", "SHELL": "/bin/sh"}
"""Variables that have a value before the file sets one; NVCC is a convention that files share."""


@dataclass(slots=True)
class Variable:
    """A make variable: its text, and whether references in it are expanded on use (`=`)."""

    value: Traced
    recursive: bool


@dataclass(slots=True)
class Rule:
    """A rule with its targets, prerequisites and recipe lines, none of them expanded."""

    targets: Traced
    prerequisites: Traced
    recipe: list[Traced] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """An open conditional: whether its current branch is taken, and whether an earlier one was (None: maybe)."""

    taken: bool | None
    done: bool | None


@dataclass(slots=True)
class Makefile:
    """The state of an evaluation."""

    source: Source
    variables: dict[str, Variable] = field(default_factory=dict)
    specific: dict[str, dict[str, Variable]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    includes: int = 0

    def lookup(self, name: str) -> Variable | None:
        """The variable of that name, with the implicit ones."""
        found = self.variables.get(name)
        if found is None and name in IMPLICIT:
            return Variable(Traced.made(IMPLICIT[name]), False)
        return found

    def expand(self, text: Traced) -> Traced:
        """The text with its references replaced."""
        return expand(text, self.lookup)

    @property
    def live(self) -> bool | None:
        """Whether the current line is read: None when that depends on something unknown."""
        states = [frame.taken for frame in self.frames]
        return False if False in states else None if None in states else True


def read(path: Path, text: str) -> tuple[nvcc.Compilation, ...]:
    """What the Makefile hands to nvcc by default."""
    makefile = Makefile(Source(str(path), text))
    _evaluate(makefile, text, own=True, folder=path.parent)
    return tuple(_recipes(makefile)) + tuple(_conventional(makefile))


def _logical_lines(text: str) -> Iterator[tuple[str, int, bool]]:
    """Lines with continuations joined (blanks for what joins them), their index, whether they begin with a tab."""
    start = 0
    while start < len(text):
        end = start
        while True:
            newline = text.find("\n", end)
            newline = len(text) if newline < 0 else newline
            if newline > start and text[newline - 1] == "\\" and newline < len(text):
                end = newline + 1
                continue
            break
        line = text[start:newline]
        yield line.replace("\\\n", "  ").replace("\\\r\n", "   "), start, line.startswith("\t")
        start = newline + 1


def _uncomment(line: Traced) -> Traced:
    match = re.search(r"(?<!\\)#", line.text)
    return line[: match.start()] if match else line


def _evaluate(makefile: Makefile, text: str, *, own: bool, folder: Path) -> None:
    rule: Rule | None = None
    in_define = False
    for line, start, recipe in _logical_lines(text):
        stripped = line.strip()
        if in_define:
            in_define = stripped != "endef"
            continue
        if recipe and rule is not None:
            if makefile.live:
                rule.recipe.append(Traced.at(line, start) if own else Traced.made(line))
            continue
        body = _uncomment(Traced.at(line, start) if own else Traced.made(line)).strip()
        if not body.text or _conditional(makefile, body) or makefile.live is False:
            continue
        if body.text.startswith(("define ", "override define ")):
            in_define = True
            continue
        included = _INCLUDE.match(body.text)
        if included:
            _include(makefile, body[included.start(1) :], folder)
            continue
        if not _assignment(makefile, body) and _RULE.match(body.text):
            rule = _rule(makefile, body)


def _conditional(makefile: Makefile, body: Traced) -> bool:
    """Handle ifeq, else, endif; whether the line was one of them."""
    frames = makefile.frames
    match = _CONDITION.match(body.text)
    if match:
        taken = _condition(makefile, match[1], body[match.start(2) :]) if makefile.live is not False else False
        frames.append(Frame(taken, taken))
        return True
    if re.match(r"^endif\b", body.text):
        if frames:
            frames.pop()
        return True
    match = re.match(r"^else\b\s*", body.text)
    if not match:
        return False
    if frames:
        frame = frames[-1]
        rest = body[match.end() :]
        nested = _CONDITION.match(rest.text)
        own = _condition(makefile, nested[1], rest[nested.start(2) :]) if nested else True
        if frame.done is True:
            frame.taken = False
        elif frame.done is None:
            frame.taken = None if own is not False else False
        else:
            frame.taken, frame.done = own, own
    return True


def _condition(makefile: Makefile, kind: str, text: Traced) -> bool | None:
    if kind in {"ifdef", "ifndef"}:
        found = makefile.lookup(makefile.expand(text).known().strip())
        if found is not None and not found.value.certain:
            return None
        defined = found is not None and bool(found.value.known())
        return defined == (kind == "ifdef")
    sides = _sides(text)
    if sides is None:
        return None
    left, right = (makefile.expand(side) for side in sides)
    if not (left.certain and right.certain):
        return None
    return (left.known().strip() == right.known().strip()) == (kind == "ifeq")


def _sides(text: Traced) -> tuple[Traced, Traced] | None:
    """The two operands of ifeq: `(a,b)`, `"a" "b"` or `'a' 'b'`."""
    body = text.strip()
    if body.text.startswith("("):
        depth = 0
        for i, char in enumerate(body.text):
            depth += (char in "({") - (char in ")}")
            if char == "," and depth == 1:
                return body[1:i], body[i + 1 : body.text.rfind(")")]
        return None
    match = re.fullmatch(r"""(["'])(.*?)\1\s*(["'])(.*?)\3""", body.text, re.DOTALL)
    return (body[match.start(2) : match.end(2)], body[match.start(4) : match.end(4)]) if match else None


def _include(makefile: Makefile, names: Traced, folder: Path) -> None:
    for name in makefile.expand(names).split():
        path = folder / name.known()
        readable = name.complete and makefile.includes < _MAX_INCLUDES
        if readable and path.is_file() and path.stat().st_size <= _MAX_BYTES:
            makefile.includes += 1
            frames, makefile.frames = makefile.frames, [Frame(makefile.live, None)]
            _evaluate(makefile, path.read_text("utf-8", "replace"), own=False, folder=folder)
            makefile.frames = frames


def _assignment(makefile: Makefile, body: Traced) -> bool:
    """Handle `NAME = value` and `target: NAME = value`; whether the line was one of them."""
    match = _ASSIGN.match(body.text)
    if match:
        _assign(makefile, makefile.variables, match, body)
        return True
    target = _TARGET_ASSIGN.match(body.text)
    if not target:
        return False
    rest = body[target.end() :]
    match = _ASSIGN.match(rest.text)
    if match:
        for name in makefile.expand(body[: target.end(1)]).split():
            scope = makefile.specific.setdefault(name.known(), {})
            if match[2] not in scope and match[3] == "+=":
                inherited = makefile.lookup(match[2])
                scope[match[2]] = replace(inherited) if inherited else Variable(EMPTY, True)
            _assign(makefile, scope, match, rest)
    return True


def _assign(makefile: Makefile, scope: dict[str, Variable], match: re.Match[str], body: Traced) -> None:
    name = makefile.expand(body[match.start(2) : match.end(2)]).known()
    operator, value = match[3], body[match.end() :]
    old = scope.get(name)
    recursive = operator in {"=", "?=", "+="}
    if operator == "+=" and old is not None:
        recursive = old.recursive
        value = join([old.value, value if recursive else makefile.expand(value)])
    elif operator == "?=" and old is not None:
        return
    elif operator == "!=":
        value, recursive = Traced.made(UNKNOWN), False
    elif not recursive:
        value = makefile.expand(value)
    enabled = assume_cuda(name, value.known().strip())
    if enabled is not None:
        value = Traced.made(enabled)
    if makefile.live is None:  # this may or may not happen: keep what was certain, say that more may be there
        value = join([old.value if old else EMPTY, Traced.made(UNKNOWN)])
    scope[name] = Variable(value, recursive)


def _rule(makefile: Makefile, body: Traced) -> Rule | None:
    match = _RULE.match(body.text)
    if match is None or makefile.live is None:
        return None
    rest = body[match.end() :]
    prerequisites, semicolon, _ = rest.text.partition(";")
    rule = Rule(body[: match.end(1)], rest[: len(prerequisites)])
    if semicolon:
        rule.recipe.append(rest[len(prerequisites) + 1 :])
    makefile.rules.append(rule)
    return rule


def _recipes(makefile: Makefile) -> Iterator[nvcc.Compilation]:
    for rule in makefile.rules:
        targets = [t.known() for t in makefile.expand(rule.targets).split()]
        if any(is_debug(t) for t in targets):
            continue
        prerequisites = list(makefile.expand(rule.prerequisites).split())
        automatic = {
            "@": Traced.made(targets[0] if targets else UNKNOWN),
            "<": prerequisites[0] if prerequisites else Traced.made(UNKNOWN),
            "^": join(prerequisites),
            "*": Traced.made(UNKNOWN),
        }
        local = {name: Variable(value, False) for name, value in automatic.items()}
        for target in targets:
            local |= makefile.specific.get(target, {})

        def lookup(name: str, local: dict[str, Variable] = local) -> Variable | None:
            return local.get(name) or makefile.lookup(name)

        for line in rule.recipe:
            for words in shell.commands(expand(line, lookup)):
                found = _nvcc_command(makefile, words, makefile.source.span_of(line.strip()))
                if found is not None:
                    yield found


def _nvcc_command(makefile: Makefile, words: list[Traced], where: Span | None) -> nvcc.Compilation | None:
    arguments = shell.arguments_of(words, "nvcc")
    if arguments is None:
        return None
    options, inputs = nvcc.parse([w for w in arguments if w.certain], makefile.source)
    compiles = nvcc.compiles_for_device(options, inputs)
    return nvcc.Compilation(
        options,
        where,
        complete=compiles and all(w.complete for w in arguments),
        when="plain `make`",
    )


def _conventional(makefile: Makefile) -> Iterator[nvcc.Compilation]:
    """Variables that are nvcc's flags by their name, for files that others include."""
    for name, variable in makefile.variables.items():
        if is_nvcc_flags(name):
            words = list(makefile.expand(variable.value).split())
            yield nvcc.compilation(words, makefile.source, when="plain `make`")
