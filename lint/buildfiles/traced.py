"""Text that remembers where each of its characters stands in the build file.

Build languages assemble compiler flags from variables, lists and conditions. Readers evaluate that on traced
text, so that a flag that reaches the compiler can be shown, and removed, where somebody wrote it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from cudalint.lint.model.source import Span

UNKNOWN = "\ue000"
"""Stands for text that the reader cannot know (a shell command's output, a branch that may be taken)."""

UNSET = "\ue001"
"""Stands for the empty value of a variable that this file does not set; somebody else may."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Traced:
    """A string with, for each character, its index in the build file (-1: it comes from elsewhere)."""

    text: str
    marks: tuple[int, ...]

    @staticmethod
    def at(text: str, start: int) -> Traced:
        """Text as it stands in the file from index `start`."""
        return Traced(text, tuple(range(start, start + len(text))))

    @staticmethod
    def made(text: str) -> Traced:
        """Text that does not stand in the file."""
        return Traced(text, (-1,) * len(text))

    def __add__(self, other: Traced) -> Traced:
        return Traced(self.text + other.text, self.marks + other.marks)

    def __getitem__(self, where: slice) -> Traced:
        return Traced(self.text[where], self.marks[where])

    def __len__(self) -> int:
        return len(self.text)

    def strip(self) -> Traced:
        """Without white space at either end."""
        start = len(self.text) - len(self.text.lstrip())
        return self[start : len(self.text.rstrip())] if self.text.strip() else EMPTY

    def split(self, separator: re.Pattern[str] = _SPACE) -> Iterator[Traced]:
        """The non-empty pieces between separators."""
        start = 0
        for match in separator.finditer(self.text):
            if match.start() > start:
                yield self[start : match.start()]
            start = match.end()
        if start < len(self.text):
            yield self[start:]

    def known(self) -> str:
        """The text with unset variables as the empty strings that they are by default."""
        return self.text.replace(UNSET, "")

    @property
    def certain(self) -> bool:
        """Whether nothing in it is unknown; unset variables count as empty."""
        return UNKNOWN not in self.text

    @property
    def complete(self) -> bool:
        """Whether nothing in it is unknown or unset."""
        return self.certain and UNSET not in self.text


EMPTY = Traced("", ())


def join(parts: Iterable[Traced], separator: str = " ") -> Traced:
    """The parts in a row."""
    between = Traced.made(separator)
    text: list[str] = []
    marks: list[int] = []
    for number, part in enumerate(parts):
        for piece in (between, part) if number else (part,):
            text.append(piece.text)
            marks.extend(piece.marks)
    return Traced("".join(text), tuple(marks))


class Source:
    """A build file's text, to turn character indices into spans."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from `start` up to `end`."""
        line, column = self._position(start)
        end_line, end_column = self._position(end)
        offset = len(self.text[:start].encode())
        return Span(
            self.path, line, column, end_line, end_column, offset, offset + len(self.text[start:end].encode())
        )

    def span_of(self, piece: Traced) -> Span | None:
        """Where a piece stands: its first run of characters that are next to each other in the file."""
        marks = [m for m in piece.marks if m >= 0]
        if not marks:
            return None
        end = marks[0] + 1
        for mark in marks[1:]:
            if mark != end:
                break
            end += 1
        return self.span(marks[0], end)

    def contiguous(self, piece: Traced) -> bool:
        """Whether a piece stands in the file as it is, in one place."""
        return bool(piece.marks) and piece.marks == tuple(range(piece.marks[0], piece.marks[0] + len(piece)))

    def _position(self, index: int) -> tuple[int, int]:
        line = bisect_right(self._lines, index)
        return line, index - self._lines[line - 1] + 1
