"""Barriers that only some threads reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from cudalint.lint.analysis.barriers_exits import Exits
from cudalint.lint.analysis.trace import Bools, Branch, BranchKind, Ints, Sync, SyncKind, Taint, Trace
from cudalint.lint.model.source import Span

_UNCLEAR = Taint.UNKNOWN | Taint.APPROXIMATE
"""A mask that rests on these says nothing about who reaches a barrier."""
_DATA = Taint.LOADED | Taint.ATOMIC
"""A condition that rests on these may differ between the threads of a block, though the samples do not say how."""


class Why(Enum):
    """How it is known that some threads do not reach a barrier."""

    SEEN = "seen"
    """Threads of an executed block took another way."""
    DATA = "data"
    """A condition on data that each thread loads decides."""
    BORDER = "border"
    """A condition on the thread index and an unknown size decides: it parts the block on the border."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitBarrier:
    """A barrier that lane `here` waits at and lane `away` does not reach (for DATA, BORDER: may not reach).

    `exited`: the other lane has left the kernel. `cause` is the decision that parted the two. `more` are
    further barriers that the same decision splits.
    """

    sync: Sync
    why: Why
    here: int
    away: int
    exited: bool
    cause: Branch | None
    more: tuple[Span, ...] = ()


def split_barriers(trace: Trace, exits: Exits) -> tuple[SplitBarrier, ...]:
    """The barriers of block and grid that part of their threads does not reach, one per deciding condition."""
    found: dict[tuple[object, ...], list[SplitBarrier]] = {}
    told: set[tuple[Span, tuple[Span, ...]]] = set()
    branches: list[Branch] = []
    for event in trace.events:
        if isinstance(event, Branch):
            branches.append(event)
        if not isinstance(event, Sync) or event.kind not in (SyncKind.BLOCK, SyncKind.GRID):
            continue
        if event.mask_taint & _UNCLEAR or (event.span, event.calls) in told:
            continue
        split = _seen(event, trace, branches) or _possible(event, trace, branches, exits)
        if split is not None:
            told.add((event.span, event.calls))
            cause = split.cause.span if split.cause is not None else event.span
            found.setdefault((cause, event.kind), []).append(split)
    return tuple(_merged(splits) for splits in found.values())


def guards_exactly(trace: Trace, exits: Exits) -> bool:
    """Whether a condition that is exactly known, and varies by thread, may part a block that was not executed."""
    branches = [e for e in trace.events if isinstance(e, Branch) and e.varies and not e.taint]
    barriers = [e for e in trace.events if isinstance(e, Sync) and e.kind is SyncKind.BLOCK]
    return any(exits.keeps_from(b, s) for s in barriers for b in branches if b.order < s.order)


def _merged(splits: Sequence[SplitBarrier]) -> SplitBarrier:
    first = splits[0]
    spans = dict.fromkeys(s.sync.span for s in splits[1:])
    spans.pop(first.sync.span, None)
    return SplitBarrier(first.sync, first.why, first.here, first.away, first.exited, first.cause, tuple(spans))


def _seen(sync: Sync, trace: Trace, branches: Sequence[Branch]) -> SplitBarrier | None:
    """A lane at the barrier and one of its block (or grid) that is elsewhere; a living one for choice."""
    scope = trace.lanes.world if sync.kind is SyncKind.GRID else trace.lanes.cta
    here = _counts(scope, sync.mask)
    for away, exited in ((sync.alive & ~sync.mask, False), (~sync.alive, True)):
        both = np.flatnonzero((here > 0) & (_counts(scope, away) > 0))
        if len(both):
            inside = scope == both[0]
            one, other = _nearest(np.flatnonzero(sync.mask & inside), np.flatnonzero(away & inside))
            cause = next((b for b in reversed(branches) if _parts(b, one, other)), None)
            return SplitBarrier(sync, Why.SEEN, one, other, exited, cause)
    return None


def _possible(sync: Sync, trace: Trace, branches: Sequence[Branch], exits: Exits) -> SplitBarrier | None:
    """A decision on the way to a barrier that may part the block though the samples do not show it."""
    for branch in reversed(branches):
        why = _why(branch)
        if why is None or not exits.keeps_from(branch, sync):
            continue
        lanes = np.flatnonzero(sync.mask)
        block = lanes[trace.lanes.cta[lanes] == trace.lanes.cta[lanes[0]]]
        if len(block) > 1:
            exited = exits.returns(branch, sync)
            return SplitBarrier(sync, why, int(block[0]), int(block[-1]), exited, branch)
    return None


def _why(branch: Branch) -> Why | None:
    if branch.kind not in (BranchKind.IF, BranchKind.LOOP, BranchKind.SWITCH):
        return None
    if branch.taint & _UNCLEAR:
        return None
    if branch.taint & _DATA:
        return Why.DATA if branch.varies and not branch.taint & Taint.ATOMIC else None
    return Why.BORDER if branch.varies and branch.taint == Taint.ASSUMED else None


def _counts(scope: Ints, mask: Bools) -> Ints:
    return np.bincount(scope[mask], minlength=int(scope.max()) + 1)


def _nearest(here: Ints, away: Ints) -> tuple[int, int]:
    """The lane of `here` right before the first of `away`, or the first ones of both."""
    other = int(away[0])
    before = here[here < other]
    return int(before[-1] if len(before) else here[0]), other


def _parts(branch: Branch, here: int, away: int) -> bool:
    """Whether a decision sends two lanes different ways."""
    return bool(branch.mask[here] and branch.mask[away] and branch.taken[here] != branch.taken[away])
