"""How often the lanes of a warp part at a branch, and how unequal their loops are.

Only decisions that the launch and the thread index settle are judged. What loaded data decide, no one can tell
from the source; the borders of a grid part one warp among thousands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.trace import OPAQUE, Bools, Branch, BranchKind, Ints, LoopRun, Trace
from cudalint.lint.model.source import Span

MIN_RATE = 0.4
"""Least share of a branch's executions by whole warps that part, to call it divergent."""
HEAVY_SIDE = 12
"""Cost estimate (instructions) of the dearer side from which compilers branch instead of predicating."""
LONG_ALONE = 16
"""Iterations of a loop that few lanes run while the others wait, from which it is worth a finding."""
ALONE_RATE = 0.02
"""Least share of the warps in which few lanes work alone: one warp of the block, which the others wait for."""
FEW_LANES = 2
"""Up to this many lanes of a warp, a side counts as the leader's work."""
MIN_TRIPS = 8
"""Iterations of the longest lane from which an unequal loop is worth a finding."""
MIN_UNEQUAL = 0.2
"""Least share of a warp's iterations that only part of its lanes take."""


@dataclass(frozen=True, slots=True, eq=False)
class DivergentBranch:
    """A branch at which the lanes of a warp part.

    `rate` is the share of executions (warp by warp) that part; `taken` the lanes of `active` that enter, in the
    warp of `lane` (its first lane); `two_sided`: both sides are heavy; `cost` the dearer side's estimate.
    """

    branch: Branch
    rate: float
    lane: int
    taken: int
    active: int
    cost: int
    two_sided: bool


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


def divergent_branches(trace: Trace) -> Iterator[DivergentBranch]:
    """Branches that part whole warps often and have a side heavy enough to matter, one per place."""
    for span, runs in _by_span([e for e in trace.events if isinstance(e, Branch)]).items():
        runs = [r for r in runs if not (r.taint | r.mask_taint) & OPAQUE]
        if span.line and runs and runs[0].kind in (BranchKind.IF, BranchKind.SWITCH, BranchKind.SELECT):
            found = _judge(runs, trace)
            if found is not None:
                yield found


def _by_span(branches: list[Branch]) -> dict[Span, list[Branch]]:
    grouped: dict[Span, list[Branch]] = defaultdict(list)
    for branch in branches:
        grouped[branch.span].append(branch)
    return grouped


def _judge(runs: list[Branch], trace: Trace) -> DivergentBranch | None:
    warp = trace.lanes.warp
    block_of = np.zeros(int(warp.max()) + 1, dtype=np.int64)
    block_of[warp] = trace.lanes.block
    blocks = int(trace.lanes.block.max()) + 1
    executed, parted = np.zeros(blocks), np.zeros(blocks)
    worst: tuple[Branch, int] | None = None
    for run in runs:
        active, taken = _per_warp(warp, run.mask), _per_warp(warp, run.taken & run.mask)
        split = np.flatnonzero((taken > 0) & (taken < active))
        executed += np.bincount(block_of[active > 0], minlength=blocks)
        parted += np.bincount(block_of[split], minlength=blocks)
        if len(split) and worst is None:
            worst = run, int(split[len(split) // 2])
    # What parts the first block of the grid only is a border: the least divergent block counts.
    rate = float((parted[executed > 0] / executed[executed > 0]).min())
    if worst is None or rate < ALONE_RATE:
        return None
    branch, number = worst
    lanes = np.flatnonzero(warp == number)
    taken_count = int((branch.taken & branch.mask)[lanes].sum())
    active_count = int(branch.mask[lanes].sum())
    found = DivergentBranch(
        branch,
        rate,
        int(lanes[0]),
        taken_count,
        active_count,
        max(branch.then_cost, branch.else_cost),
        min(branch.then_cost, branch.else_cost) >= HEAVY_SIDE,
    )
    return found if _matters(found, trace) else None


def _matters(found: DivergentBranch, trace: Trace) -> bool:
    """Whether the lanes that wait lose enough: a leader's short work and what is predicated do not count."""
    branch = found.branch
    entering = found.taken if branch.then_cost >= branch.else_cost else found.active - found.taken
    if entering <= FEW_LANES:
        return _longest_loop(branch, trace) >= LONG_ALONE
    return found.rate >= MIN_RATE and found.cost >= HEAVY_SIDE and not branch.exits


def _longest_loop(branch: Branch, trace: Trace) -> int:
    """The most iterations of a loop under a branch, 0 where none is exactly known."""
    trips = [
        int(e.trips[e.mask].max(initial=0))
        for e in trace.events
        if isinstance(e, LoopRun) and e.order > branch.order and not e.truncated and contains(branch.node, e.span)
    ]
    return max(trips, default=0)


def _per_warp(warp: Ints, mask: Bools) -> Ints:
    return np.bincount(warp[mask], minlength=int(warp.max()) + 1)


def unequal_loops(trace: Trace) -> Iterator[UnequalLoop]:
    """Loops whose number of iterations differs within whole warps, by the thread index alone, one per place."""
    told: set[Span] = set()
    for event in trace.events:
        if isinstance(event, LoopRun) and event.span not in told and not event.taint & OPAQUE:
            found = _judge_loop(event, trace)
            if found is not None:
                told.add(event.span)
                yield found


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
