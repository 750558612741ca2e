"""The last block: blocks leave results, count themselves, and the one that counts last reads what all left.

The count orders the results before their use only if a fence stands between a block's stores and its atomic: an
atomic of relaxed order (`atomicInc`, `atomicAdd`) orders nothing but itself. A block barrier before the fence
makes it cover the stores of the whole block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.barriers_edit import before, listed_statement
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.lastblock import LastTests, Region
from cudalint.lint.analysis.races import Race, Reach
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    CallEvent,
    Ints,
    Space,
    Sync,
    SyncKind,
    Trace,
)
from cudalint.lint.diagnostics import Applicability, Fix
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span

FENCE = "__threadfence();"
GRANULE = 4
"""Bytes of the pieces that accesses are compared by; smaller accesses are compared by their own size."""


@dataclass(frozen=True, slots=True, eq=False)
class Unfenced:
    """Results that reach the last block unordered.

    Lane `writer` stores at `store`, its block counts at `count`, and lane `reader` of another block loads at `load`
    what was stored, `offset` bytes into the object. `covered`: a fence right before the count would do, since the
    storing lanes count themselves or a block barrier stands between.
    """

    store: Access
    count: Access
    load: Access
    writer: int
    reader: int
    offset: int
    covered: bool


class LastBlocks:
    """The code of a program that only the last block to count itself runs."""

    def __init__(self, program: TranslationUnit) -> None:
        self._tests = LastTests(program)

    def settles(self, race: Race, trace: Trace) -> bool:
        """Whether a race between blocks is none, since one side is the last block's and the other comes before.

        Whether a fence makes that so is told apart (`unfenced`).
        """
        if race.reach is not Reach.GRID or not self._tests.regions:
            return False
        sides = (race.first.access, race.second.access)
        for own, other in (sides, sides[::-1]):
            region = self._region(own)
            count = self._count(region, own, trace) if region is not None else None
            if region is not None and count is not None and (_inside(region, other) or other.order <= count.order):
                return True
        return False

    def unfenced(self, trace: Trace) -> Iterator[Unfenced]:
        """The results that blocks store and count, with no fence between, at most one per count."""
        if not self._tests.regions:
            return
        told: set[object] = set()
        accesses = trace.accesses(Space.GLOBAL)
        for load in accesses:
            region = self._region(load) if load.kind is AccessKind.LOAD and _known(load) else None
            count = self._count(region, load, trace) if region is not None else None
            if region is None or count is None or (count.span, count.calls) in told:
                continue
            for store in accesses:
                if store.object.id != load.object.id or store.kind is not AccessKind.STORE or not _known(store):
                    continue
                if store.order > count.order or _inside(region, store) or _ordered(store, count, load, trace):
                    continue
                meeting = _meeting(store, load, trace)
                if meeting is not None:
                    told.add((count.span, count.calls))
                    yield Unfenced(store, count, load, *meeting, _covered(store, count, trace))
                    break

    def _region(self, access: Access) -> Region | None:
        return next((r for r in self._tests.regions if _inside(r, access)), None)

    def _count(self, region: Region, access: Access, trace: Trace) -> Access | None:
        """The latest execution, before an access, of an atomic by which the region tells the last block."""
        found = None
        for event in trace.events[: access.order]:
            if (
                isinstance(event, Access)
                and event.kind is AccessKind.ATOMIC
                and event.object.space is Space.GLOBAL
                and any(contains(span, event.span) for span in region.counts)
            ):
                found = event
        return found


def fence_fix(program: TranslationUnit, found: Unfenced) -> Fix | None:
    """Insert a fence before the statement that counts, or None where that would not cover all stores."""
    statement = listed_statement(program, found.count.span)
    if not found.covered or statement is None or any(contains(statement.span, s) for s in _sites(found.store)):
        return None
    edit = before(program, statement.span, FENCE)
    if edit is None:
        return None
    return Fix(Applicability.SAFE, f"insert `{FENCE}` on line {statement.span.line}", (edit,))


def _sites(access: Access) -> tuple[Span, ...]:
    """The calls that lead to an access, and its own place."""
    return (*access.calls, access.span)


def _inside(region: Region, access: Access) -> bool:
    return any(contains(region.span, site) for site in _sites(access))


def _known(access: Access) -> bool:
    """Whether it is known who accesses what; that data pick the last block is what the pattern is about."""
    return not access.address_taint & OPAQUE


def _ordered(store: Access, count: Access, load: Access, trace: Trace) -> bool:
    """Whether something orders a store before the count, or may."""
    if store.mask_taint & OPAQUE:
        return True
    met = False
    for event in trace.events[store.order : load.order]:
        if isinstance(event, Sync) and event.kind is SyncKind.GRID:
            return True
        if event.order > count.order:
            continue
        if isinstance(event, CallEvent) and not event.known:
            return True
        if not isinstance(event, Sync):
            continue
        met = met or event.kind in (SyncKind.BLOCK, SyncKind.NAMED)
        if event.kind is SyncKind.FENCE and event.scope != "block":
            # A fence of the counting thread covers what others stored before a barrier.
            needed = count.mask if met else store.mask
            if event.mask_taint & OPAQUE or (event.mask & needed).any():
                return True
    return False


def _covered(store: Access, count: Access, trace: Trace) -> bool:
    barrier = any(
        isinstance(e, Sync) and e.kind is SyncKind.BLOCK and not (count.mask & ~e.mask).any()
        for e in trace.events[store.order : count.order]
    )
    return barrier or not (store.mask & ~count.mask).any()


def _meeting(store: Access, load: Access, trace: Trace) -> tuple[int, int, int] | None:
    """A lane that stores what a lane of another block loads, and the byte offset."""
    piece = min(GRANULE, store.size, load.size)
    (writers, put), (readers, got) = _pieces(store, piece), _pieces(load, piece)
    world, cta = trace.lanes.world, trace.lanes.cta
    order = np.lexsort((readers, got, world[readers]))
    readers, got = readers[order], got[order]
    stride = int(max(put.max(initial=0), got.max(initial=0))) + 1
    keys = world[readers] * stride + got
    for writer, at in zip(writers.tolist(), put.tolist(), strict=True):
        low, high = np.searchsorted(keys, (world[writer] * stride + at, world[writer] * stride + at + 1))
        others = readers[low:high]
        others = others[cta[others] != cta[writer]]
        if len(others):
            return writer, int(others[0]), at * piece
    return None


def _pieces(access: Access, piece: int) -> tuple[Ints, Ints]:
    """The lanes of an access, and the pieces that they touch, pairwise."""
    lanes = np.flatnonzero(access.mask & (access.address >= 0))
    count = max(1, access.size // piece)
    first = access.address[lanes] // piece
    return np.repeat(lanes, count), (first[:, None] + np.arange(count)).ravel()
