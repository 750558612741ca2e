"""What the user says about how to run a kernel: a comment beside it, or a table in the configuration.

    // cudalint: verify N=4096 grid=((N+31)/32,(N+31)/32) block=(32,32) out=float[N*N]

`grid`, `block`, `shared` and `argv` are reserved; `name=type[count]` gives the parameter `name` a buffer;
any other `name=expression` is a number, usable in those that follow, and the value of a parameter of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cudalint.verify.cexpr import ExpressionError, Number, evaluate

ELEMENT_BYTES: Mapping[str, int] = {
    "char": 1,
    "unsigned char": 1,
    "short": 2,
    "half": 2,
    "int": 4,
    "unsigned": 4,
    "float": 4,
    "long": 8,
    "double": 8,
    "float2": 8,
    "float4": 16,
    "int4": 16,
}

_COMMENT = re.compile(r"cudalint:\s*verify\s+(?P<body>.*)$")
_BUFFER = re.compile(r"^(?P<type>[A-Za-z_][\w ]*?)\s*\[(?P<count>.+)\]$")


class SpecError(ValueError):
    """A verify comment or table that cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The user's words, evaluated. `buffers` maps a parameter to its size in bytes."""

    numbers: Mapping[str, Number]
    buffers: Mapping[str, int]
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared: int | None = None
    argv: tuple[str, ...] | None = None


def from_comment(line: str) -> Spec | None:
    """The spec in a source line, or None. Raises SpecError when there is one that cannot be used."""
    found = _COMMENT.search(line)
    return from_items(_split(found["body"].removesuffix("*/"))) if found else None


def from_items(items: Iterator[tuple[str, str]] | Mapping[str, object]) -> Spec:
    """The spec made of name-value pairs, in order (a config table, or a comment's parts)."""
    pairs = ((k, str(v)) for k, v in items.items()) if isinstance(items, Mapping) else items
    numbers: dict[str, Number] = {}
    buffers: dict[str, int] = {}
    shapes: dict[str, tuple[int, int, int]] = {}
    shared: int | None = None
    argv: tuple[str, ...] | None = None
    for name, text in pairs:
        try:
            if name in {"grid", "block"}:
                shapes[name] = _shape(text, numbers)
            elif name == "shared":
                shared = int(evaluate(text, numbers))
            elif name == "argv":
                argv = tuple(part.strip() for part in text.strip("()").split(","))
            elif buffer := _BUFFER.match(text):
                buffers[name] = _bytes(buffer["type"].strip(), int(evaluate(buffer["count"], numbers)))
            else:
                numbers[name] = evaluate(text, numbers)
        except ExpressionError as error:
            raise SpecError(f"{name}: {error}") from None
    return Spec(numbers, buffers, shapes.get("grid"), shapes.get("block"), shared, argv)


def _split(body: str) -> Iterator[tuple[str, str]]:
    """`a=1 b=(x, y) c=float[n * 2]` to pairs: blanks inside brackets belong to the value."""
    depth, part, parts = 0, "", []
    for char in f"{body.strip()} ":
        depth += (char in "([") - (char in ")]")
        if char.isspace() and depth <= 0:
            if part:
                parts.append(part)
            part = ""
        else:
            part += char
    if part:
        raise SpecError(f"a bracket is not closed in {body.strip()!r}")
    for item in parts:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise SpecError(f"{item!r} is not name=value")
        yield name, value


def _shape(text: str, names: Mapping[str, Number]) -> tuple[int, int, int]:
    inner = text.strip()
    parts = _commas(inner[1:-1]) if inner.startswith("(") and inner.endswith(")") else [inner]
    values = [int(evaluate(part, names)) for part in parts]
    if not 1 <= len(values) <= 3 or min(values) < 1:
        raise SpecError(f"{text!r} is not one to three positive numbers")
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def _commas(text: str) -> list[str]:
    depth, parts = 0, [""]
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _bytes(kind: str, count: int) -> int:
    if kind not in ELEMENT_BYTES:
        raise SpecError(f"element type {kind!r} is not one of {', '.join(ELEMENT_BYTES)}")
    if count < 1:
        raise SpecError(f"a buffer of {count} elements")
    return ELEMENT_BYTES[kind] * count
