"""Comments and statements of a source file, by a small scanner that needs no parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(
    rb"""
      (?P<line>//(?:[^\\\r\n]|\\\r?\n|\\.)*)
    | (?P<block>/\*(?s:.*?)(?:\*/|\Z))
    | (?P<raw>(?:\b(?:u8|[uUL]))?R"(?P<tag>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=tag)"|\Z))
    | (?P<string>"(?:[^"\\\n]|\\(?:\r\n|.|\n))*"?)
    | (?P<number>\b[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*)
    | (?P<char>'(?:[^'\\\n]|\\(?:\r\n|.|\n))*'?)
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
    | (?P<newline>\n)
    | (?P<punctuation>[^\s])
    """,
    re.VERBOSE,
)
_HASH_TOKEN = re.compile(
    rb"""
      (?P<block>\#\[(?P<equals>=*)\[(?s:.*?)\](?P=equals)\])
    | (?P<line>\#[^\r\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.|\\\n)*"?|'(?:[^'\\\n]|\\.)*')
    """,
    re.VERBOSE,
)
_HASH_CODE = re.compile(_HASH_TOKEN.pattern + rb"| (?P<code>[^\s])", re.VERBOSE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text without the marks, where it stands in bytes, and whether code precedes or follows it.

    `line` and `end_line` are 1-based. `own_line` is true when nothing but white space shares its lines.
    """

    text: str
    offset: int
    end_offset: int
    line: int
    end_line: int
    own_line: bool


class SourceText:
    """A file's bytes with a line index: positions in bytes and code points, comments, statements."""

    def __init__(self, data: bytes, *, hash_comments: bool = False) -> None:
        self.data = data
        self.hash_comments = hash_comments

    @cached_property
    def starts(self) -> list[int]:
        """The byte offset at which each line starts."""
        return [0, *(m.end() for m in re.finditer(rb"\r\n|\n|\r(?!\n)", self.data))]

    def line_of(self, offset: int) -> int:
        """The 1-based line of a byte offset."""
        return bisect_right(self.starts, offset)

    def column_of(self, offset: int) -> int:
        """The 1-based column, in code points, of a byte offset."""
        start = self.starts[self.line_of(offset) - 1]
        return len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def line_bytes(self, line: int) -> bytes:
        """A line without its end."""
        end = self.starts[line] if line < len(self.starts) else len(self.data)
        return self.data[self.starts[line - 1] : end].rstrip(b"\r\n")

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """All comments in order; never what looks like one inside a string."""
        pattern = _HASH_TOKEN if self.hash_comments else _TOKEN
        return tuple(
            self._comment(match.start(), match.end(), match.group())
            for match in pattern.finditer(self.data)
            if match.lastgroup in ("line", "block")
            or (match.lastgroup in ("tag", "equals") and match.group().startswith(b"#"))
        )

    def _comment(self, start: int, end: int, raw: bytes) -> Comment:
        text = raw.decode("utf-8", "replace")
        if self.hash_comments:
            text = text.lstrip("#[=").rstrip("]=") if raw.startswith(b"#[") else text.lstrip("#")
        else:
            text = text[2:-2] if raw.startswith(b"/*") and raw.endswith(b"*/") else text[2:]
        line, end_line = self.line_of(start), self.line_of(max(start, end - 1))
        before = self.data[self.starts[line - 1] : start]
        after = self.data[end : self.starts[end_line]] if end_line < len(self.starts) else self.data[end:]
        return Comment(text.strip(), start, end, line, end_line, not before.strip() and not after.strip())

    def next_statement(self, offset: int) -> tuple[int, int]:
        """The lines (first, last) of the statement that starts after a byte offset.

        A statement ends at its semicolon, or at the brace that opens its body: the head of a loop or a kernel is
        covered, its body is not. A preprocessor directive counts as one, except pragmas, which belong to what
        follows. In a build file it is the next line with code, up to the parenthesis that closes what it opens.
        """
        depth = 0
        first: int | None = None
        for start, text in self._code_after(offset):
            line = self.line_of(start)
            if first is None:
                if text in (b"}", b";"):
                    return line, line
                first = line
            if text == b"#" and first == line:
                return first, self._logical_end(line)
            depth += (text in (b"(", b"[")) - (text in (b")", b"]"))
            if depth <= 0 and (
                text in (b";", b"{", b"}") or (self.hash_comments and self._closes_line(start + len(text)))
            ):
                return first, line
        last = len(self.starts)
        return (last if first is None else first), last

    def _closes_line(self, end: int) -> bool:
        """Whether nothing but a comment follows on a build file's line, and no backslash continues it."""
        line = self.line_of(end - 1)
        rest = self.line_bytes(line)[end - self.starts[line - 1] :].strip()
        return self.data[end - 1 : end] != b"\\" and (not rest or rest.startswith(b"#"))

    def _logical_end(self, line: int) -> int:
        """The last line of a directive that backslashes continue."""
        while line < len(self.starts) and self.line_bytes(line).endswith(b"\\"):
            line += 1
        return line

    def _code_after(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """Tokens that are code, with their offsets; #pragma lines are left out."""
        if self.hash_comments:
            for match in _HASH_CODE.finditer(self.data, offset):
                if match.lastgroup not in ("line", "block", "equals"):
                    yield match.start(), match.group()
            return
        skip_to = offset
        for match in _TOKEN.finditer(self.data, offset):
            if match.start() < skip_to or match.lastgroup in ("line", "block", "newline"):
                continue
            if match.group() == b"#" and re.match(rb"#[ \t]*pragma\b", self.data[match.start() : match.start() + 80]):
                end = self._logical_end(self.line_of(match.start()))
                skip_to = self.starts[end] if end < len(self.starts) else len(self.data)
                continue
            yield match.start(), match.group()
