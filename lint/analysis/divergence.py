"""How often the lanes of a warp part at a branch, and how unequal their loops are.

Only decisions that the launch and the thread index settle are judged. What loaded data decide, no one can tell
from the source; the borders of a grid part one warp among thousands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.exec_facts import LOOP_TURNS
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    Bools,
    Branch,
    BranchKind,
    Ints,
    LaneGrid,
    LoopRun,
    Trace,
)
from cudalint.lint.model.source import Span

Floats = npt.NDArray[np.float64]
MIN_RATE = 0.9
"""Least share of the warps at the dearer side that enter it with part of their lanes only."""
MIN_SPARED = 0.3
"""Least share of the issue slots of both sides that go if the lanes of a block are regrouped into whole warps."""
HEAVY_SIDE = 8
"""Cost estimate (instructions) of the dearer side from which compilers branch instead of predicating."""
HEAVY_WORK = 64
"""Cost estimate of the dearer side, times how often a warp comes by, from which it is worth a finding."""
MIN_WEIGHT = 0.1
"""Least share of the kernel's cost that the sides make up."""
MIN_IDLE = 0.25
"""Least share of a warp's lanes on each of two heavy sides: with less, one is the border of a tile."""
LONG_ALONE = 64
"""Iterations of a loop that few lanes run while the others wait, from which it is worth a finding."""
FEW_LANES = 2
"""Up to this many lanes of a block, a side is the leader's work."""
MIN_TRIPS = 8
"""Iterations of the longest lane from which an unequal loop is worth a finding."""
MIN_UNEQUAL = 0.2
"""Least share of a warp's iterations that only part of its lanes take."""


@dataclass(frozen=True, slots=True, eq=False)
class DivergentBranch:
    """A branch at which the lanes of a warp part.

    `rate` is the share of the warps at the dearer side that have part of their lanes there; `spared` the share of
    the issue slots of both sides that whole warps would not need; `taken` the lanes of `active` that enter, in the
    warp of `lane` (its first lane); `cost` the dearer side's estimate; `weight` the share of the kernel's cost that
    both sides make up. `alone` is the longest loop that one or two lanes of a block run there, 0 where more work.
    """

    branch: Branch
    rate: float
    spared: float
    lane: int
    taken: int
    active: int
    cost: int
    weight: float
    alone: int


@dataclass(frozen=True, slots=True, eq=False)
class UnequalLoop:
    """A loop whose lanes iterate unequally: `least` to `most` times in the warp of `lane`.

    `unequal` is the share of the warps' iterations that only part of the lanes take.
    """

    loop: LoopRun
    unequal: float
    lane: int
    least: int
    most: int


def divergent_branches(trace: Trace, kernel_cost: int) -> Iterator[DivergentBranch]:
    """Branches whose sides the warps run with part of their lanes, though whole warps could, one per place.

    `kernel_cost` is the estimate of the whole kernel, in the units of `Branch.then_cost`.
    """
    for span, runs in _by_span([e for e in trace.events if isinstance(e, Branch)]).items():
        runs = [r for r in runs if not (r.taint | r.mask_taint) & OPAQUE]
        if span.line and runs and runs[0].kind in (BranchKind.IF, BranchKind.SWITCH, BranchKind.SELECT):
            found = _judge(runs, trace, kernel_cost)
            if found is not None:
                yield found


def _by_span(branches: list[Branch]) -> dict[Span, list[Branch]]:
    grouped: dict[Span, list[Branch]] = defaultdict(list)
    for branch in branches:
        grouped[branch.span].append(branch)
    return grouped


@dataclass(slots=True)
class _Slots:
    """Issue slots of the sides of a branch, per block and world: as run, and as whole warps would need."""

    warp: Ints
    cta_of_warp: Ints
    ctas: int
    spent: Floats
    needed: Floats

    def side(self, lanes: Bools, cost: int) -> None:
        """Add one execution of a side by some lanes."""
        busy = _per_warp(self.warp, lanes)
        self.spent += cost * np.bincount(self.cta_of_warp[busy > 0], minlength=self.ctas)
        self.needed += cost * -(-np.bincount(self.cta_of_warp, weights=busy, minlength=self.ctas) // 32)


def _judge(runs: list[Branch], trace: Trace, kernel_cost: int) -> DivergentBranch | None:
    lanes = trace.lanes
    cta_of_warp = np.zeros(int(lanes.warp.max(initial=-1)) + 1, dtype=np.int64)
    cta_of_warp[lanes.warp] = lanes.cta
    ctas = int(lanes.cta.max(initial=-1)) + 1
    slots = _Slots(lanes.warp, cta_of_warp, ctas, np.zeros(ctas), np.zeros(ctas))
    entering, parted, times = np.zeros(ctas), np.zeros(ctas), np.zeros(ctas)
    worst: tuple[Branch, int] | None = None
    most = 0
    for run in runs:
        slots.side(run.mask & run.taken, run.then_cost)
        slots.side(run.mask & ~run.taken, run.else_cost)
        active, inside = _per_warp(lanes.warp, run.mask), _per_warp(lanes.warp, _dear(run))
        split = np.flatnonzero((inside > 0) & (inside < active))
        entering += np.bincount(cta_of_warp[inside > 0], minlength=ctas)
        parted += np.bincount(cta_of_warp[split], minlength=ctas)
        times += np.bincount(lanes.cta[run.mask], minlength=ctas) > 0
        if len(split) > most:
            worst, most = (run, int(split[len(split) // 2])), len(split)
    ran = entering > 0
    # What parts the first block of the grid only is a border: the least divergent block counts.
    if worst is None or not ran[times > 0].all():
        return None
    rate = float((parted[ran] / entering[ran]).min())
    spared = float((1 - slots.needed[ran] / np.maximum(slots.spent[ran], 1)).min())
    found = _describe(*worst, trace, rate, spared, runs, kernel_cost)
    return found if _matters(found, float(times.max()), lanes) else None


def _describe(
    branch: Branch, number: int, trace: Trace, rate: float, spared: float, runs: list[Branch], kernel_cost: int
) -> DivergentBranch:
    """The finding, with the warp `number` as its example."""
    lanes = np.flatnonzero(trace.lanes.warp == number)
    workers = int(np.bincount(trace.lanes.cta[_dear(branch)]).max(initial=0))
    share = (branch.then_cost + branch.else_cost) * LOOP_TURNS ** len(branch.frames) / max(kernel_cost, 1)
    return DivergentBranch(
        branch,
        rate,
        spared,
        int(lanes[0]),
        int((branch.taken & branch.mask)[lanes].sum()),
        int(branch.mask[lanes].sum()),
        max(branch.then_cost, branch.else_cost),
        min(share, 1.0),
        max(_longest_loop(run, trace) for run in runs) if workers <= FEW_LANES else 0,
    )


def _matters(found: DivergentBranch, times: float, lanes: LaneGrid) -> bool:
    """Whether the lanes that wait lose enough: guards, a leader's short work and what is predicated do not count."""
    if found.weight < MIN_WEIGHT or found.rate < MIN_RATE:
        return False
    if found.alone:
        return found.alone >= LONG_ALONE
    heavy = found.cost >= HEAVY_SIDE and found.cost * times >= HEAVY_WORK
    if not heavy or found.spared < MIN_SPARED or found.branch.exits:
        return False
    both = min(found.branch.then_cost, found.branch.else_cost) >= HEAVY_SIDE
    fewer = min(found.taken, found.active - found.taken)
    return (both and fewer >= MIN_IDLE * found.active) or not _is_box(found.branch, lanes)


def _is_box(branch: Branch, lanes: LaneGrid) -> bool:
    """Whether the threads on the dearer side are a box in the block: a guard against the bounds of the data."""
    dear = _dear(branch)
    lane = int(np.flatnonzero(dear)[0])
    dear = dear & (lanes.cta == lanes.cta[lane])
    sides = [c[dear] for c in (lanes.tx, lanes.ty, lanes.tz)]
    volume = int(np.prod([int(side.max()) - int(side.min()) + 1 for side in sides]))
    return volume == int(dear.sum())


def _dear(branch: Branch) -> Bools:
    """The lanes that go to the dearer side."""
    return branch.mask & (branch.taken if branch.then_cost >= branch.else_cost else ~branch.taken)


def _longest_loop(branch: Branch, trace: Trace) -> int:
    """The most iterations of a loop under a branch, 0 where none is exactly known: a sampled size says nothing."""
    trips = [
        int(e.trips[e.mask].max(initial=0))
        for e in trace.events
        if isinstance(e, LoopRun)
        and e.order > branch.order
        and not (e.truncated or e.taint)
        and contains(branch.node, e.span)
    ]
    return max(trips, default=0)


def _per_warp(warp: Ints, mask: Bools) -> Ints:
    return np.bincount(warp[mask], minlength=int(warp.max()) + 1)


def unequal_loops(trace: Trace) -> Iterator[UnequalLoop]:
    """Loops whose number of iterations differs within whole warps, by the thread index alone, one per place.

    How much iterations differ next to a size that is not known cannot be told, so sizes have to be exact.
    """
    told: set[Span] = set()
    for event in trace.events:
        if isinstance(event, LoopRun) and event.span not in told and not event.taint and not _explored(event, trace):
            found = _judge_loop(event, trace)
            if found is not None:
                told.add(event.span)
                yield found


def _explored(loop: LoopRun, trace: Trace) -> bool:
    """Whether the loop was run only to see what it would do, on a side that no sampled lane takes."""
    inside = [
        e for e in trace.events if isinstance(e, Access) and e.order < loop.order and contains(loop.node, e.span)
    ]
    return bool(inside) and all(access.explored for access in inside)


def _judge_loop(loop: LoopRun, trace: Trace) -> UnequalLoop | None:
    if loop.truncated:
        return None
    warp = trace.lanes.warp
    count = int(warp.max()) + 1
    trips = np.where(loop.mask, loop.trips, 0)
    most, least = np.zeros(count, dtype=np.int64), np.full(count, np.iinfo(np.int64).max)
    np.maximum.at(most, warp, trips)
    np.minimum.at(least, warp[loop.mask], trips[loop.mask])
    used = most > 0
    total = int(most[used].sum())
    partial = int((most - least)[used].sum())
    worst = int(np.argmax(np.where(used, most - least, -1)))
    if not total or partial < MIN_UNEQUAL * total or most[worst] < MIN_TRIPS:
        return None
    lane = int(np.flatnonzero(warp == worst)[0])
    return UnequalLoop(loop, partial / total, lane, int(least[worst]), int(most[worst]))
