"""Where edits of host code go in the source: behind statements, before them, and in place of whole ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import AddressOf, Assign, Call, Expr, IncDec, Index, Lambda, Member, Var
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.walk import Node, walk


@dataclass(frozen=True, slots=True)
class Line:
    """The source around a statement. Offsets are bytes: of the line's start, behind the `;`, of the line's end."""

    start: int
    end: int
    eol: int
    indent: str
    first: bool
    """Nothing but white space stands before the statement on its line."""
    rest: bytes
    """What follows the statement on its last line."""


def line_of(program: TranslationUnit, span: Span, *, semicolon: bool = True) -> Line | None:
    """Where a statement stands; None when no `;` follows it, or a macro produced it only in part."""
    data = program.files.get(span.file)
    if data is None:
        return None
    end = span.end_offset
    if semicolon:
        end += len(data[end:]) - len(data[end:].lstrip())
        if data[end : end + 1] != b";":
            return None
        end += 1
    start = data.rfind(b"\n", 0, span.offset) + 1
    eol = data.find(b"\n", end)
    eol = len(data) if eol < 0 else eol
    lead = data[start : span.offset]
    indent = lead[: len(lead) - len(lead.lstrip())].decode("utf-8", "replace")
    if data[eol - 1 : eol] == b"\r":
        eol -= 1
    return Line(start, end, eol, indent, not lead.strip(), data[end:eol].strip())


def between(program: TranslationUnit, file: str, begin: int, end: int) -> Span:
    """The span of a range of bytes."""
    data = program.files[file]

    def place(offset: int) -> tuple[int, int]:
        start = data.rfind(b"\n", 0, offset) + 1
        return data.count(b"\n", 0, offset) + 1, len(data[start:offset].decode("utf-8", "replace")) + 1

    (line, column), (end_line, end_column) = place(begin), place(end)
    return Span(file, line, column, end_line, end_column, begin, end)


def add_behind(program: TranslationUnit, span: Span, text: str, *, semicolon: bool = True) -> Edit | None:
    """Insert a statement behind another: on a line of its own, where the other one has its own."""
    line = line_of(program, span, semicolon=semicolon)
    if line is None or span.macro is not None:
        return None
    comment = line.rest.startswith(b"//") and not line.rest.endswith(b"\\")
    if line.first and (comment or not line.rest):
        return Edit(between(program, span.file, line.eol, line.eol), f"\n{line.indent}{text}")
    return Edit(between(program, span.file, line.end, line.end), f" {text}")


def unwound(program: TranslationUnit, span: Span) -> Span:
    """The span as one of plain source, for a node that is a whole use of a macro."""
    return replace(span, macro=None) if program.text(span).startswith(span.macro or "") else span


def is_one_token(program: TranslationUnit, name: str) -> bool:
    """Whether a macro without parameters stands for one token or a bracketed expression: no operator tears it."""
    define = re.compile(
        rb"^[ \t]*#[ \t]*define[ \t]+" + re.escape(name.encode()) + rb"[ \t]+(.*?)[ \t\r]*(?://.*|/\*.*)?$", re.M
    )
    bodies = [m[1] for data in program.files.values() for m in define.finditer(data)]
    return bool(bodies) and all(re.fullmatch(rb"\w+|\([^()]*\)", body) for body in bodies)


def defined_later(program: TranslationUnit, name: str, span: Span) -> bool:
    """Whether a macro is defined in a file only behind a place."""
    data = program.files.get(span.file, b"")
    define = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+" + re.escape(name.encode()) + rb"\b", re.M)
    places = [m.start() for m in define.finditer(data)]
    return bool(places) and min(places) > span.offset


def changes(node: Node, key: str) -> bool:
    """Whether anything below a node may change a variable: assigns to it, or lets its address out."""
    return any(_changes(part, key) for part in walk(node))


def _changes(node: Node, key: str) -> bool:
    match node:
        case Assign(target=target) | IncDec(target=target):
            return _base(target) == key
        case AddressOf(operand=operand, decay=False):
            return _base(operand) == key
        case Call(receiver=receiver) if receiver is not None:
            return _base(receiver) == key
        case Lambda(captures=captures):
            return any(c.by_reference and c.symbol.key == key for c in captures)
        case _:
            return False


def _base(expr: Expr) -> str | None:
    """The variable that an lvalue is, or is a part of."""
    while isinstance(expr, Member | Index) and not (isinstance(expr, Member) and expr.arrow):
        expr = expr.base
    return expr.symbol.key if isinstance(expr, Var) else None
