"""getopt and getopt_long on a command line that is known (POSIX Utility Conventions; GNU long options)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NO_MORE = -1
UNKNOWN_OPTION = ord("?")


@dataclass(frozen=True, slots=True)
class LongOption:
    """An entry of getopt_long's table: whether it takes an argument (0 no, 1 yes, 2 optional), and its value."""

    name: str
    takes: int
    value: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the scan is: the word's index (`optind`), and the letter in it that is next (1 for a new word)."""

    word: int
    letter: int


@dataclass(frozen=True, slots=True)
class Found:
    """The result, where the scan goes on, and where the argument starts (word, letter); `long`: the entry's index."""

    result: int
    cursor: Cursor
    argument: tuple[int, int] | None = None
    long: int | None = None


def next_option(argv: Sequence[str], cursor: Cursor, short: str, longs: Sequence[LongOption]) -> Found | None:
    """The next option; None where the C library would have to reorder words or complete a name."""
    at, letter = cursor.word, cursor.letter
    if at < 1 or letter < 1:
        return None
    word = argv[at] if at < len(argv) else ""
    if letter == 1:
        if word == "--":
            return Found(NO_MORE, Cursor(at + 1, 1))
        if len(word) < 2 or word[0] != "-":
            reordered = short[:1] != "+" and any(len(w) > 1 and w[0] == "-" for w in argv[at:])
            return None if reordered else Found(NO_MORE, Cursor(at, 1))
        if longs and word[:2] == "--":
            return _long(argv, at, longs)
    return _short(argv, at, letter, short) if letter < len(word) else None


def _short(argv: Sequence[str], at: int, letter: int, form: str) -> Found:
    word, known = argv[at], form.lstrip("+-:")
    place = known.find(word[letter]) if word[letter] != ":" else -1
    more = letter + 1 < len(word)
    if place < 0 or known[place + 1 : place + 2] != ":":
        result = ord(word[letter]) if place >= 0 else UNKNOWN_OPTION
        return Found(result, Cursor(at, letter + 1) if more else Cursor(at + 1, 1))
    if more:
        return Found(ord(word[letter]), Cursor(at + 1, 1), (at, letter + 1))
    if known[place + 2 : place + 3] == ":":
        return Found(ord(word[letter]), Cursor(at + 1, 1))
    if at + 1 >= len(argv):
        return Found(ord(":") if form[:1] == ":" else UNKNOWN_OPTION, Cursor(at + 1, 1))
    return Found(ord(word[letter]), Cursor(at + 2, 1), (at + 1, 0))


def _long(argv: Sequence[str], at: int, longs: Sequence[LongOption]) -> Found | None:
    name, given, _ = argv[at][2:].partition("=")
    index = next((i for i, option in enumerate(longs) if option.name == name), None)
    if index is None:
        completed = any(option.name.startswith(name) for option in longs)
        return None if completed else Found(UNKNOWN_OPTION, Cursor(at + 1, 1))
    option = longs[index]
    if given:
        if not option.takes:
            return Found(UNKNOWN_OPTION, Cursor(at + 1, 1))
        return Found(option.value, Cursor(at + 1, 1), (at, 3 + len(name)), index)
    if option.takes != 1:
        return Found(option.value, Cursor(at + 1, 1), None, index)
    if at + 1 >= len(argv):
        return Found(UNKNOWN_OPTION, Cursor(at + 1, 1))
    return Found(option.value, Cursor(at + 2, 1), (at + 1, 0), index)
