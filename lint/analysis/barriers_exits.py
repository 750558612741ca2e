"""Which decisions can keep threads from a later barrier: by enclosing it, or by leaving before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.trace import Branch, Sync
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
    Block,
    Break,
    Case,
    Continue,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    Try,
    While,
)


@dataclass(frozen=True, slots=True)
class _Leaving:
    """How the sides of a decision leave: the function, or the loop at `loop` (`again`: by `continue` only)."""

    returns: bool
    loop: Span | None
    again: bool


class Exits:
    """The `return`, `break` and `continue` under the decisions of device code, by the decision's span."""

    def __init__(self, program: TranslationUnit) -> None:
        self._known: dict[Span, _Leaving] = {}
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                self._enter(function.body, None)

    def keeps_from(self, branch: Branch, sync: Sync) -> bool:
        """Whether a side of an earlier decision leads past a barrier."""
        place = _place(branch, sync)
        if place is None:
            return False
        if contains(branch.node, place):
            return True
        leaving = self._known.get(branch.node)
        if leaving is None:
            return False
        if leaving.returns:
            return True
        if leaving.loop is None or not contains(leaving.loop, place):
            return False
        return not leaving.again or place.offset > branch.node.offset

    def returns(self, branch: Branch, sync: Sync) -> bool:
        """Whether the decision's way past the barrier is a return from the kernel."""
        place = _place(branch, sync)
        leaving = self._known.get(branch.node)
        return bool(leaving and leaving.returns and not branch.calls and place and not contains(branch.node, place))

    def _enter(self, statement: Stmt | Case, loop: Span | None) -> None:
        if isinstance(statement, If):
            self._known[statement.span] = _leaving(statement, loop)
        inner = statement.span if isinstance(statement, For | While | RangeFor) else loop
        for part in parts(statement):
            self._enter(part, inner)


def _place(branch: Branch, sync: Sync) -> Span | None:
    """Where a barrier, or the call that leads to it, stands in the function that a decision is in."""
    depth = len(branch.calls)
    if sync.calls[:depth] != branch.calls:
        return None
    return (*sync.calls, sync.span)[depth]


def contains(outer: Span, inner: Span) -> bool:
    """Whether a span lies within another."""
    return outer.file == inner.file and outer.offset <= inner.offset and inner.end_offset <= outer.end_offset


def parts(statement: Stmt | Case) -> Iterator[Stmt | Case]:
    """The statements directly within a statement."""
    match statement:
        case Block(body=body) | Case(body=body):
            yield from body
        case If(then=then, otherwise=otherwise):
            yield then
            if otherwise is not None:
                yield otherwise
        case For(body=inner) | RangeFor(body=inner) | While(body=inner) | Try(body=inner):
            yield inner
        case Switch(cases=cases):
            yield from cases
        case _:
            return


def _leaving(decision: If, loop: Span | None) -> _Leaving:
    """What the statements under a decision leave; inner loops keep their own breaks."""
    returns = breaks = again = False
    todo: list[tuple[Stmt | Case, bool]] = [(part, False) for part in parts(decision)]
    while todo:
        statement, inside = todo.pop()
        returns = returns or isinstance(statement, Return)
        if not inside:
            breaks = breaks or isinstance(statement, Break)
            again = again or isinstance(statement, Continue)
        deeper = inside or isinstance(statement, For | While | RangeFor | Switch)
        todo.extend((part, deeper) for part in parts(statement))
    return _Leaving(returns, loop if breaks or again else None, again and not breaks)
