"""Order that threads make for themselves: locks and flags out of atomics and fences.

A *release* is an atomic that a thread executes once, after a fence; an *acquire* is an atomic in the condition
of a waiting loop. Two accesses under one lock are ordered when both lie between an acquire with a fence behind it
and a release with a fence before it. An access is ordered before another by a flag when the first thread
releases the flag after its access, and the other acquires it before its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.races import Party, Race, Reach
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, LaneGrid, LoopRun, Space, Sync, SyncKind, Trace

MAX_WAITERS = 64
"""Threads that are followed along a chain of flags."""
Variable = tuple[int, int]
"""An object's id and a byte offset in it."""


@dataclass(frozen=True, slots=True)
class _Step:
    """An atomic or a fence of one thread; `variable` is None for a fence.

    `waits`: in the condition of a waiting loop; `takes`: and it changes the variable, as taking a lock does.
    """

    position: int
    variable: Variable | None
    waits: bool
    takes: bool
    wide: bool


class Protocol:
    """The locks and flags of a kernel."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._lanes: LaneGrid = trace.lanes
        self._steps: dict[int, list[_Step]] = {}
        self._heads = {(e.span, e.calls) for e in trace.events if isinstance(e, LoopRun) and e.taint & OPAQUE}
        self.fences = any(isinstance(e, Sync) and e.kind is SyncKind.FENCE for e in trace.events)
        waiting = [e.mask for e in trace.events if isinstance(e, Access) and self._waits(e)]
        self.waits = bool(waiting)
        self._waiters = np.flatnonzero(np.any(waiting, axis=0)).tolist()[:MAX_WAITERS] if waiting else []

    def settles(self, race: Race) -> bool:
        """Whether a race on global memory is ordered by a lock or flag, or may be by means not understood."""
        if race.object.space is not Space.GLOBAL:
            return False
        if not self.waits:
            polls = any(p.access.volatile and p.access.kind is AccessKind.LOAD for p in (race.first, race.second))
            return race.reach is Reach.GRID and (self.fences or polls)
        if not self.fences:
            return True
        return self._locked(race) or self._handed(race.first, race.second) or self._handed(race.second, race.first)

    def _locked(self, race: Race) -> bool:
        """Whether both threads hold one lock."""
        near = self._one_block(race.first.lane, race.second.lane)
        sides = [(self._of(party.lane), party.position) for party in (race.first, race.second)]
        waited = {s.variable for steps, _ in sides for s in steps if s.takes and s.variable is not None}
        return any(all(_held(steps, position, lock, near) for steps, position in sides) for lock in waited)

    def _handed(self, giver: Party, taker: Party) -> bool:
        """Whether the giver raises a flag after its access and the taker waits for it before its own.

        Others may stand between: each waits for a flag and raises the next.
        """
        reached = {giver.lane: giver.position}
        todo = [giver.lane]
        while todo:
            lane = todo.pop()
            for other in self._waiters:
                near = self._one_block(lane, other)
                for step in self._of(other):
                    if not step.waits or step.variable is None or not self._raises(lane, reached[lane], step, near):
                        continue
                    if other == taker.lane and step.position < taker.position:
                        return True
                    if other not in reached:
                        reached[other] = step.position
                        todo.append(other)
        return False

    def _raises(self, lane: int, position: int, wait: _Step, near: bool) -> bool:
        """Whether a thread that does not itself wait for a variable sets it, fenced, after a position."""
        steps = self._of(lane)
        if wait.variable is None or any(s.takes and s.variable == wait.variable for s in steps):
            return False
        return _released(steps, position, wait.variable, near)

    def _one_block(self, a: int, b: int) -> bool:
        return bool(self._lanes.cta[a] == self._lanes.cta[b])

    def _waits(self, access: Access) -> bool:
        """Whether an atomic stands in the condition of a loop that runs until it succeeds."""
        if access.kind is not AccessKind.ATOMIC:
            return False
        return any(calls == access.calls and contains(head, access.span) for head, calls in self._heads)

    def _of(self, lane: int) -> list[_Step]:
        """The atomics on global memory and the fences that a lane executes, in order."""
        steps = self._steps.get(lane)
        if steps is None:
            steps = self._steps[lane] = []
            for position, event in enumerate(self._trace.events):
                if isinstance(event, Access) and event.kind is AccessKind.ATOMIC and event.mask[lane]:
                    variable = (event.object.id, int(event.address[lane]))
                    waits = self._waits(event)
                    peeks = event.value is not None and event.value[lane] == 0
                    steps.append(_Step(position, variable, waits, waits and not peeks, event.scope != "block"))
                elif isinstance(event, Sync) and event.kind is SyncKind.FENCE and event.mask[lane]:
                    steps.append(_Step(position, None, False, False, event.scope != "block"))
        return steps


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
