"""Where a file does not compile, and what that makes of the functions around.

Clang recovers from errors by leaving statements out, dropping initialisers and taking unknown types for `int`.
A model that hid this would let analyses claim what is not so, so each such place becomes explicitly unknown.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import replace

from cudalint.lint.model.expressions import Expr, Unknown
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
    Block,
    Case,
    Decl,
    ExprStmt,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    Try,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import BOOL
from cudalint.lint.model.walk import Node, walk

_REASON = "code that does not compile"


class Damage:
    """The places of the errors of one parse."""

    def __init__(self, places: Iterable[Span] = ()) -> None:
        self._offsets: dict[str, list[int]] = {}
        self.names: set[str] = set()
        """Type names whose definition has an error: what they stand for is not known."""
        for place in places:
            insort(self._offsets.setdefault(place.file, []), place.offset)

    def __bool__(self) -> bool:
        return bool(self._offsets)

    def within(self, span: Span) -> list[int]:
        """The errors inside a span."""
        return self.between(span.file, span.offset, span.end_offset)

    def between(self, file: str, start: int, end: int) -> list[int]:
        """The errors from `start` up to before `end`."""
        offsets = self._offsets.get(file)
        return offsets[bisect_left(offsets, start) : bisect_left(offsets, end)] if offsets else []

    def mend(self, stmt: Stmt) -> Stmt:
        """The statement with what its errors hide made unknown."""
        if not self.within(stmt.span):
            return stmt
        match stmt:
            case Block(body=body):
                return replace(stmt, body=self._filled([self.mend(part) for part in body], stmt.span))
            case If():
                mended: Stmt = self._branch(stmt)
            case For(condition=condition, step=step):
                mended = replace(
                    stmt,
                    init=tuple(self.mend(part) for part in stmt.init),
                    condition=self._expression(condition) if condition is not None else None,
                    step=self._expression(step) if step is not None else None,
                    body=self.mend(stmt.body),
                )
            case While():
                mended = replace(stmt, condition=self._expression(stmt.condition), body=self.mend(stmt.body))
            case RangeFor():
                mended = replace(stmt, range=self._expression(stmt.range), body=self.mend(stmt.body))
            case Switch():
                cases = tuple(self._case(case) for case in stmt.cases)
                mended = replace(stmt, condition=self._expression(stmt.condition), cases=cases)
            case Try():
                handlers = tuple(self.mend(handler) for handler in stmt.handlers)
                mended = replace(stmt, body=self.mend(stmt.body), handlers=handlers)
            case _:
                return _leaf(stmt)
        return mended if is_unknown(mended) else UnknownStmt(_REASON, (mended,), stmt.span)

    def _branch(self, stmt: If) -> If:
        return replace(
            stmt,
            init=tuple(self.mend(part) for part in stmt.init),
            condition=self._expression(stmt.condition),
            then=self.mend(stmt.then),
            otherwise=self.mend(stmt.otherwise) if stmt.otherwise is not None else None,
        )

    def _case(self, case: Case) -> Case:
        return replace(case, body=self._filled([self.mend(part) for part in case.body], case.span))

    def _expression(self, expr: Expr) -> Expr:
        if not self.within(expr.span) or is_unknown(expr):
            return expr
        return Unknown(_REASON, (expr,), expr.type, expr.span)

    def _filled(self, body: list[Stmt], span: Span) -> tuple[Stmt, ...]:
        """The statements with one more wherever an error lies between them: clang left something out there."""
        for offset in self.within(span):
            if any(part.span.offset <= offset < part.span.end_offset for part in body):
                continue
            at = next((i for i, part in enumerate(body) if part.span.offset > offset), len(body))
            here = replace(span, offset=offset, end_offset=offset)
            before = body[at - 1] if at else None
            if isinstance(before, Decl) and before.init is None:  # its initialiser is what was left out
                body[at - 1] = _leaf(before)
            if not any(isinstance(part, UnknownStmt) for part in body[max(at - 1, 0) : at]):
                body.insert(at, UnknownStmt(_REASON, (), here))
        return tuple(body)


def _leaf(stmt: Stmt) -> Stmt:
    if is_unknown(stmt):
        return stmt
    match stmt:
        case Decl(symbol=symbol, init=init):
            parts = (init,) if init is not None else ()
            return replace(stmt, init=Unknown(_REASON, parts, symbol.type, stmt.span))
        case ExprStmt(expr=expr):
            return replace(stmt, expr=Unknown(_REASON, (expr,), expr.type, expr.span))
        case Return():
            value = Unknown(_REASON, (), stmt.value.type if stmt.value is not None else BOOL, stmt.span)
            return replace(stmt, value=value)
        case _:
            return UnknownStmt(_REASON, (stmt,), stmt.span)


def is_unknown(node: Node) -> bool:
    """Whether a node says somewhere that it is not understood."""
    return any(isinstance(part, Unknown | UnknownStmt) for part in walk(node))
