"""Conditions of CMake's if(): true, false, or None where they depend on something that the file does not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cudalint.lint.buildfiles.cmake_genex import compare_versions, truth
from cudalint.lint.buildfiles.names import enables_cuda
from cudalint.lint.buildfiles.traced import Traced

_UNARY = frozenset(
    [
        "COMMAND",
        "POLICY",
        "TARGET",
        "TEST",
        "EXISTS",
        "IS_DIRECTORY",
        "IS_SYMLINK",
        "IS_ABSOLUTE",
        "IS_READABLE",
        "IS_WRITABLE",
    ]
)
_NUMERIC = {"LESS", "GREATER", "EQUAL", "LESS_EQUAL", "GREATER_EQUAL"}
_BINARY = (
    {"STREQUAL", "STRLESS", "STRGREATER", "STRLESS_EQUAL", "STRGREATER_EQUAL", "MATCHES", "IN_LIST", "IS_NEWER_THAN"}
    | {"PATH_EQUAL"}
    | _NUMERIC
    | {f"VERSION_{n}" for n in _NUMERIC}
)
_CONSTANT = re.compile(r"(?i)(1|on|yes|true|y|0|off|no|false|n|ignore|notfound|.*-notfound|-?\d+(\.\d+)?)?$")

Lookup = Callable[[str], Traced | None]


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a condition with its references replaced; only an unquoted one can be an operator or a variable."""

    text: Traced
    quoted: bool


class _Parser:
    """Recursive descent over the words: OR binds weakest, then AND, then NOT, tests and brackets."""

    def __init__(self, tokens: Sequence[Token], lookup: Lookup) -> None:
        self.tokens = tokens
        self.lookup = lookup
        self.at = 0

    def word(self, ahead: int = 0) -> str:
        """The unquoted word at the current place, or an empty string."""
        where = self.at + ahead
        if where >= len(self.tokens) or self.tokens[where].quoted:
            return ""
        return self.tokens[where].text.known()

    def either(self) -> bool | None:
        """A chain of OR."""
        value = self.both()
        while self.word() == "OR":
            self.at += 1
            other = self.both()
            value = True if value or other else None if None in (value, other) else False
        return value

    def both(self) -> bool | None:
        """A chain of AND."""
        value = self.single()
        while self.word() == "AND":
            self.at += 1
            other = self.single()
            value = False if False in (value, other) else None if None in (value, other) else True
        return value

    def single(self) -> bool | None:
        """NOT, a bracket, a test or a comparison."""
        word = self.word()
        if word == "NOT":
            self.at += 1
            value = self.single()
            return None if value is None else not value
        if word == "(":
            self.at += 1
            value = self.either()
            self.at += 1
            return value
        if word in _UNARY:
            self.at += 2
            return None
        if word == "DEFINED":
            self.at += 2
            return True if self.lookup(self.word(-1)) is not None else None
        if self.word(1) in _BINARY and self.at + 2 < len(self.tokens):
            left, operator, right = self.tokens[self.at], self.word(1), self.tokens[self.at + 2]
            self.at += 3
            return self.compare(left, operator, right)
        self.at += 1
        return self.truth(self.tokens[self.at - 1]) if self.at <= len(self.tokens) else None

    def truth(self, token: Token) -> bool | None:
        """A single word: a constant, or a variable that is true or false."""
        if not token.text.complete:
            return None
        text = token.text.text
        if _CONSTANT.match(text):
            return truth(text)
        if token.quoted:
            return False
        value = self.lookup(text)
        if value is None:
            return True if enables_cuda(text) else None
        return truth(value.text) if value.complete else None

    def operand(self, token: Token) -> str | None:
        """A side of a comparison: a variable's value, or the word itself."""
        value = None if token.quoted else self.lookup(token.text.text)
        text = token.text if value is None else value
        return text.text if text.complete else None

    def compare(self, left: Token, operator: str, right: Token) -> bool | None:
        """A comparison; None when a side is not known."""
        a, b = self.operand(left), self.operand(right)
        if a is None or b is None:
            return None
        if operator.startswith("VERSION_") or operator in _NUMERIC:
            return compare_versions(a, operator, b)
        if operator == "STREQUAL":
            return a == b
        if operator == "IN_LIST":
            return a in b.split(";")
        if operator == "MATCHES":
            try:
                return re.search(b, a) is not None
            except re.error:
                return None
        return None


def evaluate(tokens: Sequence[Token], lookup: Lookup) -> bool | None:
    """The truth of a condition under the variables that `lookup` knows."""
    return _Parser(tokens, lookup).either() if tokens else None
