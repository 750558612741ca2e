"""Whether one block can make both accesses of a race: sides of a branch that a block takes as a whole exclude.

The executor runs both sides of a condition on loaded data, and sides that no sampled value takes. Where all
threads of a block take the same side, what stands on one and what stands on the other never run together.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.lint.analysis.barriers_edit import may_meet
from cudalint.lint.analysis.barriers_exits import contains, parts
from cudalint.lint.analysis.races import Race, Reach
from cudalint.lint.analysis.trace import Access, Branch, BranchKind, LoopRun, Taint, Trace
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
    While,
)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A branch: its sides, and per side the region that what follows is left out of when it is taken."""

    sides: tuple[Span, ...]
    skips: tuple[Span | None, ...]


class Paths:
    """The branches and loops of device code, by the span of their statement."""

    def __init__(self, program: TranslationUnit) -> None:
        self._program = program
        self._choices: dict[Span, _Choice] = {}
        self._loops: dict[Span, Stmt] = {}
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                self._enter(function.body, None, function.body.span)

    def _enter(self, statement: Stmt | Case, loop: Span | None, function: Span) -> None:
        sides: list[Stmt | Case] = []
        if isinstance(statement, If):
            sides = [statement.then] if statement.otherwise is None else [statement.then, statement.otherwise]
        elif isinstance(statement, Switch):
            sides = list(statement.cases)
        if sides:
            skips = tuple(_skipped(side, loop, function) for side in sides)
            self._choices[statement.span] = _Choice(tuple(s.span for s in sides), skips)
        inner = loop
        if isinstance(statement, For | While | RangeFor):
            inner = statement.span
            self._loops[inner] = statement
        for part in parts(statement):
            self._enter(part, inner, function)

    def together(self, race: Race, trace: Trace) -> bool:
        """Whether one execution can hold both sides of a race, as far as branches decide."""
        first, second = race.first.access, race.second.access
        if any(_picked_by_chance(a, trace) for a in (first, second)):
            return False
        if race.one_instruction:
            # Who goes to a side that no sample takes is not known: it may be one thread, or none at all.
            return not first.explored
        if first.explored and second.explored and not self._one_region(first, second, trace):
            return False
        if race.reach is Reach.GRID and (first.explored or second.explored):
            # Nor is which blocks go there: the sixth of seven alone, in a `switch`.
            return False
        if any(a.explored and _beyond_bound(a, trace) for a in (first, second)) or _hidden(race, trace):
            return False
        if self._passes_barrier(race, trace):
            return False
        if not _same_iteration(first, second):
            return True
        whole_grid = race.reach is Reach.GRID
        return not any(
            self._excludes(branch, first, second)
            for branch in trace.events
            if isinstance(branch, Branch) and _one_way(branch, whole_grid)
        )

    def _passes_barrier(self, race: Race, trace: Trace) -> bool:
        """Whether a loop between the two sides, cut short, holds a barrier: one of the missing turns may meet it."""
        return any(
            isinstance(e, LoopRun)
            and e.truncated
            and (loop := self._loops.get(e.node)) is not None
            and may_meet(self._program, loop)
            for e in trace.events[race.first.position : race.second.position]
        )

    def _one_region(self, first: Access, second: Access, trace: Trace) -> bool:
        """Whether one branch leads to both of two accesses that no sample reaches."""
        return any(
            isinstance(e, Branch)
            and (place := _place(e, first)) is not None
            and (other := _place(e, second)) is not None
            and contains(e.node, place)
            and contains(e.node, other)
            for e in trace.events
        )

    def _excludes(self, branch: Branch, first: Access, second: Access) -> bool:
        choice = self._choices.get(branch.node)
        a, b = _place(branch, first), _place(branch, second)
        if choice is None or a is None or b is None:
            return False
        for position, side in enumerate(choice.sides):
            for one, other in ((a, b), (b, a)):
                if not contains(side, one) or contains(side, other):
                    continue
                if any(contains(s, other) for s in choice.sides):
                    return True
                skipped = choice.skips[position]
                if skipped is not None and contains(skipped, other) and other.offset > branch.node.offset:
                    return True
        return False


def _skipped(side: Stmt | Case, loop: Span | None, function: Span) -> Span | None:
    """The region whose rest is not executed after a side that always leaves."""
    last: Stmt | Case = side
    while isinstance(last, Block) and last.body:
        last = last.body[-1]
    if isinstance(last, Return):
        return function
    return loop if isinstance(last, Break | Continue) else None


def _one_way(branch: Branch, whole_grid: bool) -> bool:
    """Whether all threads of a block (or of the grid) take the same side."""
    if branch.varies or branch.taint & (Taint.LOADED | Taint.ATOMIC):
        return False
    if not whole_grid:
        return True
    sides = int(branch.taken.sum()) in (0, int(branch.mask.sum()))
    return sides and not branch.taint & Taint.LOADED_UNIFORM


def _place(branch: Branch, access: Access) -> Span | None:
    depth = len(branch.calls)
    if access.calls[:depth] != branch.calls:
        return None
    return (*access.calls, access.span)[depth]


def _beyond_bound(access: Access, trace: Trace) -> bool:
    """Whether a thread's own condition keeps it from an access that was executed to see what it would do."""
    return any(
        isinstance(e, Branch)
        and e.varies
        and not e.taken.any()
        and (place := _place(e, access)) is not None
        and contains(e.node, place)
        for e in trace.events
    )


def _picked_by_chance(access: Access, trace: Trace) -> bool:
    """Whether a condition on what a loop cut short left behind picks the threads: all were taken to come by."""
    return bool(access.mask_taint & Taint.APPROXIMATE) and any(
        isinstance(e, Branch)
        and e.kind is not BranchKind.LOOP
        and e.taint & Taint.APPROXIMATE
        and (place := _place(e, access)) is not None
        and contains(e.node, place)
        for e in trace.events
    )


def _hidden(race: Race, trace: Trace) -> bool:
    """Whether a call that was not understood stands between the two sides, or may: it may be a barrier."""
    first, second = race.first.access, race.second.access
    calls = [span for span, reason in trace.unknown if "call" in reason or "compile" in reason]
    if not calls:
        return False
    straight = first.calls == second.calls and first.span.file == second.span.file and _same_iteration(first, second)
    if not straight:
        return True
    low, high = sorted((first.span.offset, second.span.offset))
    return any(span.file == first.span.file and low <= span.offset <= high for span in calls)


def _same_iteration(first: Access, second: Access) -> bool:
    pairs = zip(first.frames, second.frames, strict=False)
    return all(a.iteration == b.iteration for a, b in pairs if a.head == b.head)
