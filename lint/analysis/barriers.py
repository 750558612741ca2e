"""Barriers that only some threads reach, and barriers that order nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.trace import Bools, Branch, Ints, Sync, SyncKind, Taint, Trace
from cudalint.lint.model.expressions import Call, Const, Var
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, Decl, ExprStmt, Stmt
from cudalint.lint.model.walk import walk

_UNCLEAR = Taint.UNKNOWN | Taint.APPROXIMATE
"""A mask that rests on these says nothing about who reaches a barrier."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitBarrier:
    """A barrier that lane `here` waits at and lane `away` never reaches.

    `exited`: the other lane has left the kernel. `cause` is the decision that parted the two. `certain` is
    False when loaded data decide. `more` are further barriers that the same decision splits.
    """

    sync: Sync
    here: int
    away: int
    exited: bool
    cause: Branch | None
    certain: bool
    more: tuple[Span, ...] = ()


def split_barriers(trace: Trace) -> tuple[SplitBarrier, ...]:
    """The barriers of block and grid that part of their threads does not reach, one per deciding condition."""
    found: dict[tuple[object, ...], list[SplitBarrier]] = {}
    told: set[tuple[Span, tuple[Span, ...]]] = set()
    for event in trace.events:
        if not isinstance(event, Sync) or event.kind not in (SyncKind.BLOCK, SyncKind.GRID):
            continue
        if event.mask_taint & _UNCLEAR or (event.span, event.calls) in told:
            continue
        split = _split(event, trace)
        if split is not None:
            told.add((event.span, event.calls))
            cause = split.cause.span if split.cause is not None else event.span
            found.setdefault((cause, event.kind), []).append(split)
    return tuple(_merged(splits) for splits in found.values())


def _merged(splits: Sequence[SplitBarrier]) -> SplitBarrier:
    first = splits[0]
    spans = dict.fromkeys(s.sync.span for s in splits[1:])
    spans.pop(first.sync.span, None)
    more = tuple(spans)
    return SplitBarrier(first.sync, first.here, first.away, first.exited, first.cause, first.certain, more)


def _split(sync: Sync, trace: Trace) -> SplitBarrier | None:
    """A lane at the barrier and one of its block (or grid) that is elsewhere; a living one for choice."""
    scope = trace.lanes.world if sync.kind is SyncKind.GRID else trace.lanes.cta
    here = _counts(scope, sync.mask)
    for away, exited in ((sync.alive & ~sync.mask, False), (~sync.alive, True)):
        both = np.flatnonzero((here > 0) & (_counts(scope, away) > 0))
        if len(both):
            inside = scope == both[0]
            one, other = _nearest(np.flatnonzero(sync.mask & inside), np.flatnonzero(away & inside))
            cause = _cause(trace, sync, one, other)
            certain = not sync.mask_taint & (Taint.LOADED | Taint.ATOMIC)
            return SplitBarrier(sync, one, other, exited, cause, certain)
    return None


def _counts(scope: Ints, mask: Bools) -> Ints:
    return np.bincount(scope[mask], minlength=int(scope.max()) + 1)


def _nearest(here: Ints, away: Ints) -> tuple[int, int]:
    """The lane of `here` right before the first of `away`, or the first ones of both."""
    other = int(away[0])
    before = here[here < other]
    return int(before[-1] if len(before) else here[0]), other


def _cause(trace: Trace, sync: Sync, here: int, away: int) -> Branch | None:
    """The last decision before a barrier that sent the two lanes different ways."""
    cause: Branch | None = None
    for event in trace.events:
        if event is sync:
            break
        if isinstance(event, Branch) and _parts(event, here, away):
            cause = event
    return cause


def _parts(branch: Branch, here: int, away: int) -> bool:
    """Whether a decision sends two lanes different ways."""
    return bool(branch.mask[here] and branch.mask[away] and branch.taken[here] != branch.taken[away])


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
        last = _barrier(body.body[-1])
        if last is not None:
            yield IdleBarrier(function, last, body.body[-1].span, None)


def _idle_in_list(function: Function, statements: Sequence[Stmt]) -> Iterator[IdleBarrier]:
    previous: Span | None = None
    for statement in statements:
        barrier = _barrier(statement)
        if barrier is not None:
            if previous is not None:
                yield IdleBarrier(function, barrier, statement.span, previous)
            previous = statement.span
        elif not _register_work(statement):
            previous = None


def _barrier(statement: Stmt) -> Call | None:
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
