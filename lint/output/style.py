"""Colours and widths of a terminal."""

from __future__ import annotations

import unicodedata

from cudalint.lint.diagnostics import Severity

TAB = 4
"""Columns that a tab takes in excerpts."""

_CODES = {"bold": "1", "red": "1;31", "yellow": "1;33", "blue": "1;34", "cyan": "1;36", "green": "1;32", "dim": "2"}

SEVERITY_COLOR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


class Painter:
    """Wraps text in colour codes, or leaves it alone."""

    def __init__(self, color: bool, links: bool = False) -> None:
        self._color = color
        self._links = links

    def __call__(self, text: str, name: str) -> str:
        """The text in a named colour."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self._color and text else text

    def link(self, text: str, url: str) -> str:
        """The text as a terminal hyperlink (OSC 8), where those are wanted."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self._links and url else text


def char_width(char: str) -> int:
    """Terminal columns of one character: 0 for combining marks, 2 for wide ones, a tab's width for a tab."""
    if char == "\t":
        return TAB
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def text_width(text: str) -> int:
    """Terminal columns of a text."""
    return sum(map(char_width, text))


def printable(text: str) -> str:
    """A source line for a terminal: tabs widened, control characters (escape sequences!) made visible."""
    spread = text.replace("\t", " " * TAB)
    return "".join("\ufffd" if unicodedata.category(char) == "Cc" else char for char in spread)
