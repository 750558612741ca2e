"""CMake's lexical syntax: commands with their arguments, on traced text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.buildfiles.traced import EMPTY, Traced, join

_COMMAND = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*\(")
_BRACKET = re.compile(r"\[(=*)\[")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as written, without quotes. References in it are not replaced yet."""

    text: Traced
    quoted: bool = False
    bracket: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command invocation; `start` and `end` are indices of its name and of the end of its arguments."""

    name: str
    arguments: tuple[Argument, ...]
    start: int
    end: int


def commands(text: str) -> Iterator[Command]:
    """The commands of a file in order. A file that ends in the middle of one yields the rest as it is."""
    i = 0
    while i < len(text):
        i = _skip(text, i)
        match = _COMMAND.match(text, i)
        if match:
            arguments, end = _arguments(text, match.end())
            yield Command(match[1].lower(), tuple(arguments), match.start(1), end)
            i = end
        else:
            i += 1


def _skip(text: str, i: int) -> int:
    """Past white space and comments."""
    while i < len(text):
        if text[i] == "#":
            bracket = _BRACKET.match(text, i + 1)
            closing = f"]{bracket[1]}]" if bracket else "\n"
            end = text.find(closing, i)
            i = len(text) if end < 0 else end + len(closing)
        elif text[i].isspace():
            i += 1
        else:
            break
    return i


def _arguments(text: str, i: int) -> tuple[list[Argument], int]:
    arguments: list[Argument] = []
    depth = 0
    while i < len(text):
        i = _skip(text, i)
        if i >= len(text):
            break
        if text[i] == ")" and depth == 0:
            return arguments, i + 1
        if text[i] in "()":
            depth += 1 if text[i] == "(" else -1
            arguments.append(Argument(Traced.at(text[i], i)))
            i += 1
            continue
        argument, i = _argument(text, i)
        arguments.append(argument)
    return arguments, i


def _argument(text: str, i: int) -> tuple[Argument, int]:
    bracket = _BRACKET.match(text, i)
    if bracket:
        end = text.find(f"]{bracket[1]}]", bracket.end())
        end = len(text) if end < 0 else end
        return Argument(Traced.at(text[bracket.end() : end], bracket.end()), bracket=True), end + len(bracket[0])
    if text[i] == '"':
        piece, end = _scan(text, i + 1, '"')
        return Argument(piece, quoted=True), end + 1
    piece, end = _scan(text, i, None)
    return Argument(piece), end


def _scan(text: str, i: int, closing: str | None) -> tuple[Traced, int]:
    """Up to the closing quote, or for an unquoted argument (None) to white space or an unnested bracket."""
    pieces: list[Traced] = []
    depth = 0
    start = i
    while i < len(text):
        char = text[i]
        if char == "\\" and i + 1 < len(text):
            pieces.append(Traced.at(text[start:i], start))
            after = text[i + 1]
            if after != "\n":
                pieces.append(Traced((_ESCAPES.get(after, after)), (i + 1,)))
            i += 2
            start = i
            continue
        if closing is None:
            if char.isspace() or (char == ")" and depth == 0) or char == "#":
                break
            depth += (char == "(") - (char == ")")
        elif char == closing:
            break
        i += 1
    pieces.append(Traced.at(text[start:i], start))
    return join(pieces, "") if len(pieces) > 1 else pieces[0] if pieces else EMPTY, i
