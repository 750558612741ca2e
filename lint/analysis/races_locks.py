"""Order that threads make for themselves: locks and flags out of atomics and fences.

A *release* is an atomic that a thread executes once, after a fence; an *acquire* is an atomic in the condition
of a waiting loop. Two accesses under one lock are ordered when both lie between an acquire with a fence behind it
and a release with a fence before it. An access is ordered before another by a flag when the first thread
releases the flag after its access, and the other acquires it before its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.lint.analysis.races import Party, Race, Reach
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, LaneGrid, LoopRun, Space, Sync, SyncKind, Trace
from cudalint.lint.model.source import Span

Variable = tuple[int, int]
"""An object's id and a byte offset in it."""


@dataclass(frozen=True, slots=True)
class _Step:
    """An atomic or a fence of one thread; `variable` is None for a fence."""

    position: int
    variable: Variable | None
    waits: bool
    wide: bool


class Protocol:
    """The locks and flags of a kernel."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._lanes: LaneGrid = trace.lanes
        self._steps: dict[int, list[_Step]] = {}
        self._heads = {(e.span, e.calls) for e in trace.events if isinstance(e, LoopRun) and e.taint & OPAQUE}
        self.fences = any(isinstance(e, Sync) and e.kind is SyncKind.FENCE for e in trace.events)
        self.waits = any(isinstance(e, Access) and self._waits(e) for e in trace.events)

    def settles(self, race: Race) -> bool:
        """Whether a race on global memory is ordered by a lock or flag, or may be by means not understood."""
        if race.object.space is not Space.GLOBAL:
            return False
        if not self.waits:
            polls = any(p.access.volatile and p.access.kind is AccessKind.LOAD for p in (race.first, race.second))
            return race.reach is Reach.GRID and (self.fences or polls)
        if not self.fences:
            return True
        one_block = bool(self._lanes.cta[race.first.lane] == self._lanes.cta[race.second.lane])
        first, second = self._of(race.first.lane), self._of(race.second.lane)
        waited = {s.variable for s in (*first, *second) if s.waits and s.variable is not None}
        return any(_ordered((first, race.first), (second, race.second), v, one_block) for v in waited)

    def _waits(self, access: Access) -> bool:
        """Whether an atomic stands in the condition of a loop that runs until it succeeds."""
        if access.kind is not AccessKind.ATOMIC:
            return False
        return any(calls == access.calls and _within(head, access.span) for head, calls in self._heads)

    def _of(self, lane: int) -> list[_Step]:
        """The atomics on global memory and the fences that a lane executes, in order."""
        steps = self._steps.get(lane)
        if steps is None:
            steps = self._steps[lane] = []
            for position, event in enumerate(self._trace.events):
                if isinstance(event, Access) and event.kind is AccessKind.ATOMIC and event.mask[lane]:
                    variable = (event.object.id, int(event.address[lane]))
                    steps.append(_Step(position, variable, self._waits(event), event.scope != "block"))
                elif isinstance(event, Sync) and event.kind is SyncKind.FENCE and event.mask[lane]:
                    steps.append(_Step(position, None, False, event.scope != "block"))
        return steps


def _ordered(
    one: tuple[list[_Step], Party], other: tuple[list[_Step], Party], variable: Variable, one_block: bool
) -> bool:
    """Whether two accesses are ordered by one variable, as a lock when both threads wait for it, else as a flag."""
    waiting = [any(s.waits and s.variable == variable for s in steps) for steps, _ in (one, other)]
    if all(waiting):
        return all(_held(steps, party.position, variable, one_block) for steps, party in (one, other))
    giver, taker = (one, other) if waiting[1] else (other, one)
    return _flagged(*giver, *taker, variable, one_block)


def _within(outer: Span, inner: Span) -> bool:
    return outer.file == inner.file and outer.offset <= inner.offset and inner.end_offset <= outer.end_offset


def _held(steps: list[_Step], position: int, lock: Variable, one_block: bool) -> bool:
    """Whether a thread holds a lock at a position, with fences inside both ends."""
    acquired = fenced = False
    for step in steps:
        if step.position > position:
            break
        if step.variable == lock:
            acquired, fenced = step.waits and (step.wide or one_block), False
        elif step.variable is None and (step.wide or one_block):
            fenced = True
    return acquired and fenced and _released(steps, position, lock, one_block)


def _released(steps: list[_Step], position: int, variable: Variable, one_block: bool) -> bool:
    """Whether the first non-waiting atomic on a variable after a position comes after a fence."""
    fenced = False
    for step in steps:
        if step.position <= position:
            continue
        if step.variable is None and (step.wide or one_block):
            fenced = True
        elif step.variable == variable and not step.waits:
            return fenced and (step.wide or one_block)
    return False


def _flagged(
    giver: list[_Step], given: Party, taker: list[_Step], taken: Party, flag: Variable, one_block: bool
) -> bool:
    """Whether the giver raises a flag after its access and the taker waits for it before its own."""
    waited = any(s.waits and s.variable == flag and s.position < taken.position for s in taker)
    return waited and _released(giver, given.position, flag, one_block)
