"""How often the lanes of a warp part at a branch, and how unequal their loops are.

Only decisions that the launch and the thread index settle are judged. What loaded data decide, no one can tell
from the source; the borders of a grid part one warp among thousands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.trace import OPAQUE, Bools, Branch, BranchKind, Ints, LoopRun, Trace
from cudalint.lint.model.source import Span

MIN_RATE = 0.25
"""Least share of a branch's executions by whole warps that part, to call it divergent."""
HEAVY_SIDE = 24
"""Cost estimate (instructions) of the dearer side from which compilers branch instead of predicating."""
HEAVY_ALONE = 120
"""Cost from which work that few lanes do while the warp waits is worth a finding."""
FEW_LANES = 2
"""Up to this many lanes of a warp, a side counts as the leader's work."""
MIN_TRIPS = 8
"""Iterations of the longest lane from which an unequal loop is worth a finding."""
MIN_IDLE = 0.25
"""Least share of the lanes' iterations in which a lane of an unequal loop waits for the longest."""


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
    """A loop whose lanes iterate unequally: `least` to `most` times in the warp of `lane`, `idle` the share lost."""

    loop: LoopRun
    idle: float
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
    executed = parted = 0
    worst: tuple[Branch, int] | None = None
    for run in runs:
        active, taken = _per_warp(warp, run.mask), _per_warp(warp, run.taken & run.mask)
        split = np.flatnonzero((taken > 0) & (taken < active))
        executed += int((active > 0).sum())
        parted += len(split)
        if len(split) and worst is None:
            worst = run, int(split[len(split) // 2])
    if worst is None or parted < MIN_RATE * executed:
        return None
    branch, number = worst
    lanes = np.flatnonzero(warp == number)
    taken_count = int((branch.taken & branch.mask)[lanes].sum())
    active_count = int(branch.mask[lanes].sum())
    found = DivergentBranch(
        branch,
        parted / executed,
        int(lanes[0]),
        taken_count,
        active_count,
        max(branch.then_cost, branch.else_cost),
        min(branch.then_cost, branch.else_cost) >= HEAVY_SIDE,
    )
    return found if _matters(found) else None


def _matters(found: DivergentBranch) -> bool:
    """Whether the lanes that wait lose enough: a leader's short work and what is predicated do not count."""
    branch = found.branch
    entering = found.taken if branch.then_cost >= branch.else_cost else found.active - found.taken
    if entering <= FEW_LANES:
        return found.cost >= HEAVY_ALONE
    return found.cost >= HEAVY_SIDE and not branch.exits


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
    lanes = _per_warp(warp, loop.mask)
    work = np.bincount(warp, weights=trips, minlength=count)
    total = float((most * lanes).sum())
    idle = 1 - float(work.sum()) / total if total else 0.0
    worst = int(np.argmax(most - np.where(lanes > 0, least, most)))
    if idle < MIN_IDLE or most[worst] < MIN_TRIPS:
        return None
    lane = int(np.flatnonzero(warp == worst)[0])
    return UnequalLoop(loop, idle, lane, int(least[worst]), int(most[worst]))
