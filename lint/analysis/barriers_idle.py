"""Barriers that order nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cudalint.lint.model.expressions import Call, Const, Var
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, Decl, ExprStmt, Stmt
from cudalint.lint.model.walk import walk


@dataclass(frozen=True, slots=True)
class IdleBarrier:
    """A block barrier with nothing to order: `previous` is the barrier before it (None: the kernel ends after)."""

    function: Function
    call: Call
    statement: Span
    previous: Span | None


def idle_barriers(program: TranslationUnit) -> Iterator[IdleBarrier]:
    """Barriers that follow another one with only register work between, or that end a kernel.

    Decided on the statements themselves, so that it holds for every execution: the barriers stand in one
    statement list, and what stands between reads and writes no memory and calls nothing.
    """
    told: set[Span] = set()
    for function in program.functions.values():
        if function.body is None or function.kind is FunctionKind.HOST:
            continue
        for idle in _idle_in(function, function.body):
            if idle.statement not in told:
                told.add(idle.statement)
                yield idle


def _idle_in(function: Function, body: Block) -> Iterator[IdleBarrier]:
    for node in walk(body):
        if isinstance(node, Block | Case):
            yield from _idle_in_list(function, node.body)
    if function.kind is FunctionKind.KERNEL and body.body:
        last = barrier_call(body.body[-1])
        if last is not None:
            yield IdleBarrier(function, last, body.body[-1].span, None)


def _idle_in_list(function: Function, statements: Sequence[Stmt]) -> Iterator[IdleBarrier]:
    previous: Span | None = None
    for statement in statements:
        barrier = barrier_call(statement)
        if barrier is not None:
            if previous is not None:
                yield IdleBarrier(function, barrier, statement.span, previous)
            previous = statement.span
        elif not _register_work(statement):
            previous = None


def barrier_call(statement: Stmt) -> Call | None:
    """The barrier call that a statement consists of."""
    if isinstance(statement, ExprStmt) and isinstance(statement.expr, Call):
        call = statement.expr
        if call.name == "__syncthreads" and not call.args:
            return call
    return None


def _register_work(statement: Stmt) -> bool:
    """Whether a statement is a declaration of a scalar by constants and scalars only."""
    if isinstance(statement, Decl):
        return statement.init is None or isinstance(statement.init, Const | Var)
    return isinstance(statement, Block) and not statement.body
