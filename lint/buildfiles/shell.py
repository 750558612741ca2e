"""Just enough of the shell to find the nvcc commands of a recipe and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cudalint.lint.buildfiles.traced import EMPTY, Traced, join

_TOKEN = re.compile(
    r"""'(?P<single>[^']*)'?|"(?P<double>(?:[^"\\]|\\.)*)"?|`(?P<back>[^`]*)`?|\\(?P<escaped>.)"""
    r"""|(?P<end>[;&|\n()])|(?P<space>\s)|(?P<comment>\#[^\n]*)|(?P<plain>[^'"`\\;&|\s()#]+)|\\$""",
    re.DOTALL,
)
_QUOTED = frozenset({"single", "double", "back", "escaped", "plain"})


def commands(line: Traced) -> Iterator[list[Traced]]:
    """The simple commands of a line, as lists of words with their quotes removed."""
    words: list[Traced] = []
    for kind, word in _words(line):
        if kind == "word":
            words.append(word)
        elif words:
            yield words
            words = []
    if words:
        yield words


def _words(line: Traced) -> Iterator[tuple[str, Traced]]:
    """The words of a line, and a `break` where a command ends."""
    start = len(line.text) - len(line.text.lstrip(" \t@-+"))
    pieces: list[Traced] = []
    for match in _TOKEN.finditer(line.text, start):
        kind = match.lastgroup or ""
        if kind in _QUOTED:
            pieces.append(line[match.start(kind) : match.end(kind)])
            continue
        if kind == "comment" and pieces:
            pieces.append(line[match.start() : match.end()])
            continue
        if pieces:
            yield "word", join(pieces, "")
            pieces = []
        if kind == "comment":
            return
        if kind == "end":
            yield "break", EMPTY
    if pieces:
        yield "word", join(pieces, "")


def arguments_of(words: Sequence[Traced], program: str) -> list[Traced] | None:
    """What follows the program's name, through wrappers and assignments (`ccache nvcc`, `CC=gcc nvcc`)."""
    for number, word in enumerate(words[:4]):
        name = word.known().replace("\\", "/").rsplit("/", 1)[-1]
        if name in {program, program + ".exe"}:
            return list(words[number + 1 :])
        if name.startswith("-") or name in {"echo", "printf", "which", "command", "test", "[", "rm", "cmake", "find"}:
            return None
    return None
