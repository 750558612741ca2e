"""Asynchronous copies to shared memory that are read before anything has waited for them.

A copy (`__pipeline_memcpy_async`, `memcpy_async`) is under way until the thread that started it waits for the group
it belongs to; other threads may read what came only behind a barrier that follows the wait. Groups are counted as
the hardware does, thread by thread, over the executed events. Where a loop was cut short, what is under way is not
known, and nothing is said of copies started before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.races_order import WARP_SYNCS
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    Bools,
    CallEvent,
    Event,
    Frame,
    Ints,
    LoopRun,
    Space,
    Sync,
    SyncKind,
    Trace,
)
from cudalint.lint.model.expressions import Call, Const, Expr
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import PointerType
from cudalint.lint.model.walk import unwrapped, walk

PIECE = 4
"""Bytes of the pieces that copies and loads are compared by; smaller ones are compared by their own size."""
_COPIES = ("__pipeline_memcpy_async", "memcpy_async")
_WAITS = ("__pipeline_wait_prior", "consumer_wait", "pipeline_consumer_wait_prior", "wait", "wait_prior")
_COMMITS = ("__pipeline_commit", "producer_commit")


class Completion(Enum):
    """What waits for a copy, as the user writes it."""

    GROUP = "__pipeline_wait_prior(0)"
    PIPELINE = "consumer_wait()"
    COLLECTIVE = "cooperative_groups::wait()"
    BARRIER = "arrive_and_wait()"


@dataclass(frozen=True, slots=True, eq=False)
class EarlyRead:
    """Lane `reader` loads at `load` what lane `writer` copies at `copy`, `offset` bytes into the object.

    The copy may still be under way; `completion` is what waits for it.
    """

    copy: Access
    load: Access
    writer: int
    reader: int
    offset: int
    completion: Completion


class AsyncCalls:
    """The calls in the device code of a program that start asynchronous copies or wait for them, by span."""

    def __init__(self, program: TranslationUnit) -> None:
        self.copies: dict[Span, Call] = {}
        self.waits: dict[Span, Call] = {}
        for function in program.functions.values():
            if function.body is None or function.kind is FunctionKind.HOST:
                continue
            for node in walk(function.body):
                if isinstance(node, Call) and node.name in _COPIES:
                    self.copies[node.span] = node
                elif isinstance(node, Call) and node.name in _WAITS:
                    self.waits[node.span] = node

    def early_reads(self, trace: Trace) -> Iterator[EarlyRead]:
        """The loads of a trace that come before the copy is known to be complete, one per load and copy.

        Told are those that come too early in every world in which the copy is made.
        """
        if not self.copies or any("assembly" in reason for _, reason in trace.unknown):
            return
        run = _Run(trace, self)
        run.all()
        for (_, copy_span), found in run.found.items():
            made = {
                world
                for e in trace.events
                if isinstance(e, Access) and e.kind is AccessKind.ASYNC_STORE and e.span == copy_span
                for world in np.unique(trace.lanes.world[e.mask]).tolist()
            }
            if found.worlds >= made:
                yield found.read


def completion_of(call: Call) -> Completion | None:
    """What waits for the copy that a call starts; None where threads share a pipeline and it is not followed."""
    if call.name == "__pipeline_memcpy_async":
        return Completion.GROUP
    last = _type_name(call.args[-1]) if call.args else ""
    if "barrier" in last:
        return Completion.BARRIER
    if "pipeline" in last:
        return Completion.PIPELINE if "thread_scope_thread" in last else None
    return Completion.COLLECTIVE if "cooperative_groups" in call.qualified else None


def _type_name(expr: Expr) -> str:
    of = expr.type.pointee if isinstance(expr.type, PointerType) else expr.type
    return str(getattr(of, "name", ""))


@dataclass(frozen=True, slots=True, eq=False)
class _Copy:
    """A copy under way: the `group` that it is in per lane, `epochs` of the blocks when it was started.

    `shared`: a group of threads copies together, and who of them copies what is not known.
    """

    access: Access
    completion: Completion
    shared: bool
    group: Ints
    epochs: Ints


@dataclass(slots=True, eq=False)
class _Found:
    read: EarlyRead
    worlds: set[int] = field(default_factory=set)


class _Run:
    """The events of a trace in order, with the groups of copies that each lane has started and waited for.

    A lane has closed `groups` groups and waited for the first `done` of them; at the last barrier of its block it
    had waited for `seen`, at the last one of its warp for `seen_by_warp`.
    """

    def __init__(self, trace: Trace, calls: AsyncCalls) -> None:
        self.trace, self.calls = trace, calls
        count = trace.lanes.count
        self.groups, self.done = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.seen, self.seen_by_warp = self.done.copy(), self.done.copy()
        self.epochs: Ints = np.zeros(int(trace.lanes.cta.max(initial=-1)) + 1, dtype=np.int64)
        self.pending: dict[int, list[_Copy]] = defaultdict(list)
        self.found: dict[tuple[Span, Span], _Found] = {}
        self.iterations: dict[Span, int] = {}
        self.explored = _explored(trace.events)

    def all(self) -> None:
        """Go through all events."""
        for event in self.trace.events:
            self._enter(event.frames)
            if isinstance(event, Access):
                if event.kind is AccessKind.ASYNC_STORE:
                    self._start(event)
                elif event.kind is AccessKind.LOAD and event.object.id in self.pending:
                    self._load(event)
            elif isinstance(event, LoopRun):
                if event.truncated:
                    self.pending.clear()
            elif _key(event.frames) not in self.explored:
                self._step(event)

    def _enter(self, frames: tuple[Frame, ...]) -> None:
        """Forget what is under way where iterations of a loop are missing."""
        for frame in frames:
            if frame.iteration > self.iterations.get(frame.head, 0) + 1:
                self.pending.clear()
            self.iterations[frame.head] = frame.iteration

    def _start(self, access: Access) -> None:
        call = next((c for span, c in self.calls.copies.items() if contains(span, access.span)), None)
        completion = completion_of(call) if call is not None else None
        if call is None or completion is None or access.explored:
            return
        if access.object.space is Space.SHARED and not (access.address_taint | access.mask_taint) & OPAQUE:
            first = call.args[0].type
            shared = not isinstance(first, PointerType) or first.reference
            copy = _Copy(access, completion, shared, self.groups.copy(), self.epochs.copy())
            self.pending[access.object.id].append(copy)
        if completion is Completion.COLLECTIVE:
            self.groups[access.mask] += 1

    def _step(self, event: Event) -> None:
        if isinstance(event, CallEvent):
            if not event.known:
                self.pending.clear()
            elif event.name in _COMMITS:
                self.groups[event.mask] += 1
        elif isinstance(event, Sync):
            self._sync(event)

    def _sync(self, sync: Sync) -> None:
        mask = sync.mask
        if sync.kind is SyncKind.ASYNC_WAIT:
            self._wait(sync)
        elif sync.kind in (SyncKind.BLOCK, SyncKind.GRID, SyncKind.NAMED):
            self.seen[mask] = self.done[mask]
            self.epochs[np.unique(self.trace.lanes.cta[mask])] += 1
            if sync.kind is SyncKind.NAMED:
                for copies in self.pending.values():
                    copies[:] = [c for c in copies if c.completion is not Completion.BARRIER]
        elif sync.kind in WARP_SYNCS:
            self.seen_by_warp[mask] = self.done[mask]

    def _wait(self, sync: Sync) -> None:
        """Complete the groups that a wait is for: all but some of the latest ones, or the oldest."""
        mask, call = sync.mask, self.calls.waits.get(sync.span)
        if call is not None and call.name == "consumer_wait":
            self.done[mask] = np.minimum(self.done[mask] + 1, self.groups[mask])
            return
        left = _left_under_way(call)
        if not left:
            self.groups[mask] += 1
        self.done[mask] = np.maximum(self.done[mask], self.groups[mask] - left)

    def _load(self, load: Access) -> None:
        if load.explored or (load.address_taint | load.mask_taint) & OPAQUE:
            return
        for copy in self.pending[load.object.id]:
            key = (load.span, copy.access.span)
            early = self._early(load, copy)
            if early is None:
                continue
            writers, readers, pieces, piece = early
            if key not in self.found:
                where = int(pieces[0]) * piece
                read = EarlyRead(copy.access, load, int(writers[0]), int(readers[0]), where, copy.completion)
                self.found[key] = _Found(read)
            self.found[key].worlds |= set(self.trace.lanes.world[readers].tolist())

    def _early(self, load: Access, copy: _Copy) -> tuple[Ints, Ints, Ints, int] | None:
        """Writers, readers and pieces, pairwise, of a load that may come before the end of a copy."""
        cta, warp = self.trace.lanes.cta, self.trace.lanes.warp
        piece = min(PIECE, load.size, copy.access.size)
        chosen = copy.access.mask
        if copy.shared:
            chosen = np.zeros_like(chosen)
            chosen[np.unique(np.where(copy.access.mask, cta, -1), return_index=True)[1]] = True
            chosen &= copy.access.mask
        copiers, put = _pieces(copy.access, chosen, piece)
        readers, got = _pieces(load, load.mask, piece)
        if not len(copiers) or not len(readers):
            return None
        stride = int(max(put.max(), got.max())) + 1
        order = np.argsort(cta[copiers] * stride + put, kind="stable")
        keys = (cta[copiers] * stride + put)[order]
        wanted = cta[readers] * stride + got
        slot = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        met = keys[slot] == wanted
        writers, readers, got = copiers[order][slot][met], readers[met], got[met]
        if copy.shared:
            early = copy.access.mask[readers] & self._under_way(copy, readers, self.done)
        else:
            heard = np.where(
                warp[writers] == warp[readers],
                np.maximum(self.seen[writers], self.seen_by_warp[writers]),
                self.seen[writers],
            )
            own = writers == readers
            behind = self.epochs[cta[readers]] > copy.epochs[cta[readers]]
            unheard = copy.group[writers] >= heard if copy.completion is not Completion.BARRIER else behind
            early = np.where(own, self._under_way(copy, writers, self.done), behind & unheard)
        if not early.any():
            return None
        return writers[early], readers[early], got[early], piece

    def _under_way(self, copy: _Copy, lanes: Ints, done: Ints) -> Bools:
        """Whether lanes have not waited for their part of a copy."""
        if copy.completion is Completion.BARRIER:
            return np.ones(len(lanes), dtype=bool)
        waiting: Bools = copy.group[lanes] >= done[lanes]
        return waiting


def _left_under_way(call: Call | None) -> int:
    """How many of the latest groups a wait leaves under way; 0 where that is not known."""
    if call is None:
        return 0
    given = call.template_args[0] if call.template_args else None
    if call.name == "__pipeline_wait_prior" and call.args:
        count = unwrapped(call.args[0])
        given = count.value if isinstance(count, Const) and isinstance(count.value, int) else None
    return given if isinstance(given, int) else 0


def _pieces(access: Access, mask: Bools, piece: int) -> tuple[Ints, Ints]:
    """Lanes and the pieces that they touch, pairwise."""
    lanes = np.flatnonzero(mask & (access.address >= 0))
    count = max(1, access.size // piece)
    return np.repeat(lanes, count), (access.address[lanes, None] // piece + np.arange(count)).ravel()


def _key(frames: tuple[Frame, ...]) -> tuple[tuple[Span, int], ...]:
    return tuple((f.head, f.iteration) for f in frames)


def _explored(events: Sequence[Event]) -> set[tuple[tuple[Span, int], ...]]:
    """The iterations that no lane takes, as far as their accesses tell."""
    accesses = [e for e in events if isinstance(e, Access) and e.frames]
    taken = {_key(a.frames) for a in accesses if not a.explored}
    return {_key(a.frames) for a in accesses if a.explored} - taken
