"""Which accesses of a trace are ordered by barriers: of the grid, of the block, of the warp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.trace import (
    Access,
    Bools,
    CallEvent,
    Event,
    Ints,
    LoopRun,
    Sync,
    SyncKind,
    Taint,
    Trace,
)

WARP_SYNCS = frozenset({SyncKind.WARP, SyncKind.SHUFFLE, SyncKind.TILE})
"""Shuffles and votes order nothing by the letter of the programming guide, but code that exchanges data by
them is not what a missing barrier looks like: they count as a meeting of their lanes."""


@dataclass(frozen=True, slots=True, eq=False)
class Stamped:
    """An access with its place: `position` in the trace, barriers passed before it.

    `epochs` has one count per block (index: `LaneGrid.cta`), `grid` counts barriers of the whole grid.
    """

    access: Access
    position: int
    epochs: Ints
    grid: int


@dataclass(frozen=True, slots=True, eq=False)
class WarpSync:
    """A barrier among lanes of a warp, at `position` of the trace."""

    position: int
    sync: Sync


class Order:
    """The order that barriers give to the accesses of a trace.

    A call without a visible body may contain a barrier, a loop that was cut short may pass one in the iterations
    that are missing, and a named barrier is not followed closely: all count as barriers, so that what they might
    order is not called a race.
    """

    def __init__(self, trace: Trace) -> None:
        self.lanes = trace.lanes
        self.ctas = int(trace.lanes.cta.max(initial=-1)) + 1
        self.accesses: list[Stamped] = []
        self.warp_syncs: list[WarpSync] = []
        self._epochs: Ints = np.zeros(self.ctas, dtype=np.int64)
        self._grid = 0
        for position, event in enumerate(trace.events):
            if isinstance(event, Access):
                self.accesses.append(Stamped(event, position, self._epochs, self._grid))
            elif isinstance(event, Sync):
                self._pass(event, position)
            elif isinstance(event, CallEvent) and not event.known:
                self._advance(event.mask)
                self._grid += 1
            elif isinstance(event, LoopRun) and event.truncated:
                self._leave(event, position, trace.events[:position])

    def _pass(self, sync: Sync, position: int) -> None:
        if sync.kind in WARP_SYNCS:
            self.warp_syncs.append(WarpSync(position, sync))
        elif sync.kind in (SyncKind.BLOCK, SyncKind.NAMED):
            self._advance(sync.mask)
        elif sync.kind is SyncKind.GRID:
            self._advance(sync.mask)
            self._grid += 1

    def _leave(self, loop: LoopRun, position: int, before: Sequence[Event]) -> None:
        """Pass the barriers that a loop cut short would have passed in the iterations that are missing."""
        inside = [e for e in before if isinstance(e, Sync) and e.kind is not SyncKind.FENCE and _runs_in(loop, e)]
        if any(sync.kind not in WARP_SYNCS for sync in inside):
            self._advance(loop.mask)
            self._grid += any(sync.kind is SyncKind.GRID for sync in inside)
        last = {(sync.span, sync.calls): sync for sync in inside if sync.kind in WARP_SYNCS}
        self.warp_syncs.extend(WarpSync(position, sync) for sync in last.values())

    def _advance(self, mask: Bools) -> None:
        self._epochs = self._epochs.copy()
        self._epochs[np.unique(self.lanes.cta[mask])] += 1

    def warp_ordered(self, first: int, second: int, a: Ints, b: Ints) -> Bools:
        """For pairs of lanes of one warp: whether a warp barrier between two positions orders them.

        `a` and `b` are lane indices, pairwise; the result has one element per pair.
        """
        ordered = np.zeros(len(a), dtype=bool)
        for passed in self.warp_syncs:
            if first < passed.position < second:
                ordered |= _meet(passed.sync, self.lanes.lane, a, b)
        return ordered


def _runs_in(loop: LoopRun, sync: Sync) -> bool:
    """Whether a barrier, or the call that leads to it, stands in a loop."""
    depth = len(loop.calls)
    return sync.calls[:depth] == loop.calls and contains(loop.node, (*sync.calls, sync.span)[depth])


def _meet(sync: Sync, lane: Ints, a: Ints, b: Ints) -> Bools:
    """Whether the lanes `a[i]` and `b[i]` of one warp meet at a warp-level barrier."""
    meet: Bools = sync.mask[a] & sync.mask[b]
    if sync.kind is SyncKind.TILE and sync.width and sync.width < 32:
        meet &= lane[a] // sync.width == lane[b] // sync.width
    if sync.members is not None and not sync.members_taint & Taint.UNKNOWN:
        meet &= (sync.members[a] >> lane[b]) & 1 == 1
    return meet
