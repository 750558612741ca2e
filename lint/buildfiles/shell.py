"""Just enough of the shell to find the nvcc commands of a recipe and their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudalint.lint.buildfiles.traced import EMPTY, Traced

_BREAKS = frozenset(";&|\n()")


def commands(line: Traced) -> Iterator[list[Traced]]:
    """The simple commands of a line, as lists of words with their quotes removed."""
    text = line.text
    words: list[Traced] = []
    word = EMPTY
    started = False
    quote = ""
    i = len(text) - len(text.lstrip(" \t@-+"))
    while i < len(text):
        char = text[i]
        if quote:
            if char == quote:
                quote = ""
            else:
                word += line[i : i + 1]
        elif char in "\"'`":
            quote, started = char, True
        elif char == "\\" and i + 1 < len(text):
            i += 1
            word += line[i : i + 1]
        elif char.isspace() or char in _BREAKS:
            if word.text or started:
                words.append(word)
            word, started = EMPTY, False
            if char in _BREAKS and words:
                yield words
                words = []
        elif char == "#" and not word.text:
            break
        else:
            word += line[i : i + 1]
        i += 1
    if word.text or started:
        words.append(word)
    if words:
        yield words


def arguments_of(words: Sequence[Traced], program: str) -> list[Traced] | None:
    """What follows the program's name, through wrappers and assignments (`ccache nvcc`, `CC=gcc nvcc`)."""
    for number, word in enumerate(words[:4]):
        name = word.known().replace("\\", "/").rsplit("/", 1)[-1]
        if name in {program, program + ".exe"}:
            return list(words[number + 1 :])
        if name.startswith("-") or name in {"echo", "printf", "which", "command", "test", "[", "rm", "cmake", "find"}:
            return None
    return None
