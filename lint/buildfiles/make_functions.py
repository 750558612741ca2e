"""Expansion of make's references and text functions on traced text."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from cudalint.lint.buildfiles.traced import EMPTY, UNKNOWN, UNSET, Traced, join


class Value(Protocol):
    """A variable's text, and whether it is expanded on use."""

    value: Traced
    recursive: bool


Lookup = Callable[[str], Value | None]
_CLOSING = {"(": ")", "{": "}"}
_MAX_DEPTH = 24
_MAX_LENGTH = 1 << 16
_FUNCTION = re.compile(r"^([a-z-]+)\s+")


def expand(text: Traced, lookup: Lookup, depth: int = 0) -> Traced:
    """The text with `$(…)`, `${…}` and `$x` replaced; what cannot be known becomes UNKNOWN."""
    if "$" not in text.text:
        return text
    if depth > _MAX_DEPTH or len(text) > _MAX_LENGTH:
        return Traced.made(UNKNOWN)
    parts: list[Traced] = []
    i = 0
    while i < len(text):
        dollar = text.text.find("$", i)
        if dollar < 0 or dollar + 1 >= len(text):
            parts.append(text[i:])
            break
        parts.append(text[i:dollar])
        char = text.text[dollar + 1]
        if char == "$":
            parts.append(text[dollar : dollar + 1])
            i = dollar + 2
        elif char in _CLOSING:
            end = _matching(text.text, dollar + 1)
            parts.append(_reference(text[dollar + 2 : end], lookup, depth + 1))
            i = end + 1
        else:
            parts.append(_variable(char, lookup, depth + 1))
            i = dollar + 2
    return join(parts, "")


def _matching(text: str, opening: int) -> int:
    """The index of the bracket that closes the one at `opening`."""
    closer = _CLOSING[text[opening]]
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == text[opening]) - (text[i] == closer)
        if depth == 0:
            return i
    return len(text)


def _variable(name: str, lookup: Lookup, depth: int) -> Traced:
    found = lookup(name)
    if found is None:
        return Traced.made(UNSET)
    return expand(found.value, lookup, depth) if found.recursive else found.value


def _reference(body: Traced, lookup: Lookup, depth: int) -> Traced:
    function = _FUNCTION.match(body.text)
    if function:
        return _call(function[1], body[function.end() :], lookup, depth)
    name = expand(body, lookup, depth)
    if not name.complete:
        return Traced.made(UNKNOWN)
    substitution = re.fullmatch(r"([^:=]+):([^=]*)=(.*)", name.text, re.DOTALL)
    if substitution:
        old, new = substitution[2], substitution[3]
        pattern, result = (old, new) if "%" in old else ("%" + old, "%" + new)
        return _patsubst(pattern, result, _variable(substitution[1], lookup, depth))
    return _variable(name.text.strip(), lookup, depth)


def _arguments(body: Traced) -> list[Traced]:
    """The arguments of a function: split at commas outside brackets."""
    arguments: list[Traced] = []
    depth = start = 0
    for i, char in enumerate(body.text):
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            arguments.append(body[start:i])
            start = i + 1
    return [*arguments, body[start:]]


def _call(name: str, body: Traced, lookup: Lookup, depth: int) -> Traced:
    arguments = _arguments(body)
    if name == "if":
        return _if(arguments, lookup, depth)
    if name in {"or", "and"}:
        return _either(name, arguments, lookup, depth)
    values = [expand(a, lookup, depth) for a in arguments]
    if name in {"info", "warning", "error", "eval"}:
        return EMPTY
    handler = _TEXT.get(name)
    if handler is None or len(values) < handler[0] or not all(v.certain for v in values[: handler[0] - 1]):
        return Traced.made(UNKNOWN)
    return handler[1](values)


def _if(arguments: Sequence[Traced], lookup: Lookup, depth: int) -> Traced:
    condition = expand(arguments[0].strip(), lookup, depth)
    if not condition.certain or len(arguments) < 2:
        return Traced.made(UNKNOWN)
    chosen = 1 if condition.known().strip() else 2
    return expand(arguments[chosen], lookup, depth) if chosen < len(arguments) else EMPTY


def _either(name: str, arguments: Sequence[Traced], lookup: Lookup, depth: int) -> Traced:
    value = EMPTY
    for argument in arguments:
        value = expand(argument.strip(), lookup, depth)
        if not value.certain:
            return Traced.made(UNKNOWN)
        if bool(value.known().strip()) == (name == "or"):
            return value
    return value


def _patsubst(pattern: str, result: str, text: Traced) -> Traced:
    head, _, tail = pattern.partition("%")
    words = []
    for word in text.split():
        size = len(word) - len(tail)
        if word.text.startswith(head) and word.text.endswith(tail) and size >= len(head):
            before, percent, after = result.partition("%")
            stem = word[len(head) : size] if percent else EMPTY
            word = Traced.made(before) + stem + Traced.made(after)
        words.append(word)
    return join(words)


def _filter(values: Sequence[Traced], *, keep: bool) -> Traced:
    patterns = [p.text.replace("%", "*") for p in values[0].split()]
    return join(
        w
        for w in values[1].split()
        if (not w.certain) or any(fnmatch.fnmatchcase(w.text, p) for p in patterns) == keep
    )


def _subst(values: Sequence[Traced]) -> Traced:
    old, text = values[0].text, values[2]
    parts: list[Traced] = []
    i = 0
    while old and (found := text.text.find(old, i)) >= 0:
        parts += [text[i:found], values[1]]
        i = found + len(old)
    return join([*parts, text[i:]], "")


def _findstring(values: Sequence[Traced]) -> Traced:
    if not values[1].certain:
        return Traced.made(UNKNOWN)
    return values[0] if values[0].known() in values[1].known() else EMPTY


_TEXT: dict[str, tuple[int, Callable[[Sequence[Traced]], Traced]]] = {
    "strip": (1, lambda v: join(v[0].split())),
    "subst": (3, _subst),
    "patsubst": (3, lambda v: _patsubst(v[0].text.strip(), v[1].text.strip(), v[2])),
    "filter": (2, lambda v: _filter(v, keep=True)),
    "filter-out": (2, lambda v: _filter(v, keep=False)),
    "findstring": (2, _findstring),
    "sort": (1, lambda v: join(v[0].split())),
    "firstword": (1, lambda v: next(v[0].split(), EMPTY)),
    "lastword": (1, lambda v: ([EMPTY, *v[0].split()])[-1]),
    "addprefix": (2, lambda v: join(v[0] + w for w in v[1].split())),
    "addsuffix": (2, lambda v: join(w + v[0] for w in v[1].split())),
    "notdir": (1, lambda v: join(w[w.text.rfind("/") + 1 :] for w in v[0].split())),
    "basename": (1, lambda v: join(w[: w.text.rfind(".")] if "." in w.text else w for w in v[0].split())),
}
"""Text functions: how many arguments each needs, and what it makes of them. All but the last must be known."""
