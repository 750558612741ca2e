"""What is not ordered and should be, and what is ordered and need not be: work on several streams, and the host.

Follows the effects of each root in order and keeps the work that may still be running. Whatever may wait ends
it: what is left is claimed only when nothing that could order two things stands between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.hosteffects import (
    ApiCall,
    Choice,
    Enter,
    HostAccess,
    Item,
    LaunchCall,
    Leave,
    LeaveKind,
    Loop,
    NotUnderstood,
    Run,
)
from cudalint.lint.analysis.hostflow import BLOCKING_COPIES, CAPTURE_BEGINS, HostFlow, host_flow, items_of
from cudalint.lint.analysis.hostflow_copies import ON_DEVICE
from cudalint.lint.analysis.hostflow_time import waits
from cudalint.lint.analysis.hostflow_work import ASYNC_COPIES, Stream, StreamKind, StreamWork, Touch, Work, is_fixed
from cudalint.lint.analysis.hostvalues import Memory, Object, Pointer, integer
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.source import Span

MOST = 64
"""Pieces of work that are kept in mind; older ones are taken to be done."""
_HOST_CALLS: dict[str, tuple[int | None, int | None]] = {
    "memcpy": (0, 1),
    "memmove": (0, 1),
    "memset": (0, None),
    "fread": (0, None),
    "fwrite": (None, 0),
}
"""Functions of the C library, with the argument that they write through and the one that they read through."""
_EXCHANGES: dict[str, tuple[int | None, int | None]] = {
    **dict.fromkeys(("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Isend", "MPI_Issend"), (None, 0)),
    **dict.fromkeys(("MPI_Recv", "MPI_Irecv", "MPI_Bcast"), (0, None)),
    **dict.fromkeys(("MPI_Allreduce", "MPI_Reduce", "MPI_Iallreduce", "MPI_Scan"), (1, 0)),
    **dict.fromkeys(("MPI_Allgather", "MPI_Gather", "MPI_Scatter", "MPI_Alltoall"), (3, 0)),
    "MPI_Sendrecv": (5, 0),
}
"""Functions that exchange messages, with the buffer that they write and the one that they read: also on a device.

They know nothing of streams.
"""
_RELEASES_HOST = frozenset({"cudaFreeHost", "cudaHostUnregister", "cuMemFreeHost"})


@dataclass(frozen=True, slots=True)
class Race:
    """Two pieces of work on different streams touch the same bytes, one writes, and nothing orders them.

    In `loop` the second is of a later iteration.
    """

    first: Work
    second: Work
    object: Object
    loop: Loop | None = None


@dataclass(frozen=True, slots=True)
class Serialised:
    """Work on the default stream between work on created streams, which cannot overlap because of it.

    In `loop` the streams are those of the iterations, and `after` is `before`.
    """

    work: Work
    before: Work
    after: Work
    loop: Loop | None = None


@dataclass(frozen=True, slots=True)
class Early:
    """The host reads, writes or releases memory that queued work may still be using; `by` which function, if any."""

    span: Span
    verb: str
    work: Work
    object: Object
    writes: bool
    loop: Loop | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    """Work that may be running; `before` are the streams whose later work waits for it.

    `joined`: work on the legacy default stream waits for it, and so does all later work but that on non-blocking
    streams.
    """

    work: Work
    before: frozenset[object] = frozenset()
    joined: bool = False


@dataclass(slots=True)
class _State:
    """What may be running, and which default-stream work stands behind which."""

    pending: list[_Pending] = field(default_factory=list)
    behind: list[tuple[Work, Work]] = field(default_factory=list)
    capturing: bool = False

    def copy(self) -> _State:
        return _State(list(self.pending), list(self.behind), self.capturing)

    def clear(self) -> None:
        self.pending.clear()
        self.behind.clear()


@dataclass(slots=True)
class Findings:
    """Everything found in a unit, once per place."""

    races: dict[Span, Race] = field(default_factory=dict)
    serialised: dict[Span, Serialised] = field(default_factory=dict)
    early: dict[Span, Early] = field(default_factory=dict)


def stream_findings(unit: Unit) -> Findings:
    """What the streams of a unit do wrong, for `Unit.once`."""
    flow = unit.once(host_flow)
    found = Findings()
    works = StreamWork(flow)
    for root in flow.host.roots:
        _Follower(flow, works, found).run(root, _State())
    return found


class _Follower:
    """Follows one root."""

    def __init__(self, flow: HostFlow, works: StreamWork, found: Findings) -> None:
        self.flow = flow
        self.works = works
        self.found = found
        self.loops: list[Loop] = []
        self.again: tuple[Loop, frozenset[Work]] | None = None
        """The loop whose second iteration is followed, with the work that its first one left."""
        self._returns: list[list[_State]] = []
        self._runs: list[Run] = []

    def run(self, run: Run, state: _State) -> _State:
        """Follow a function; the state where it returns."""
        self._returns.append([])
        self._runs.append(run)
        end = self.items(run.body, state)
        self._runs.pop()
        ends = self._returns.pop() + ([end] if end is not None else [])
        return _joined(ends, state)

    def items(self, items: list[Item], state: _State) -> _State | None:
        """Follow effects; None when control leaves."""
        for item in items:
            if isinstance(item, Leave):
                if item.kind is LeaveKind.RETURN:
                    self._returns[-1].append(state)
                return None
            if isinstance(item, Choice):
                before = state.copy()
                ways = [self.items(side, state.copy()) for side in (item.then, item.otherwise)]
                left = [way for way in ways if way is not None]
                if not left:
                    return None
                state = _joined(left, before)
            else:
                state = self.item(item, state)
        return state

    def item(self, item: Item, state: _State) -> _State:
        """Follow one effect that neither branches nor leaves."""
        match item:
            case Loop():
                return self.loop(item, state)
            case Enter(repeated=False):
                return self.run(item.run, state)
            case HostAccess() if self._queued_for(item.object):
                self.access(item.object, item.place, item.span, item.write, state)
            case LaunchCall() | ApiCall():
                self.call(item, state)
            case Enter():
                if any(map(_may_order, items_of(item.run.body))):
                    state.clear()
            case NotUnderstood():
                state.clear()
            case _:
                pass
        return state

    def loop(self, loop: Loop, state: _State) -> _State:
        """One iteration, then a second one for what the first leaves behind."""
        before = state.copy()
        self.loops.append(loop)
        end = self.items(loop.body, state)
        repeats = end is not None and loop.trip != 1
        if end is not None and repeats:
            self._varying(loop)
        if end is not None and repeats and self.again is None and end.pending:
            known = {p.work for p in before.pending}
            self.again = (loop, frozenset(p.work for p in end.pending if p.work not in known))
            end = self.items(loop.body, end.copy()) or end
            self.again = None
        self.loops.pop()
        return end if end is not None else before

    # -- calls ---------------------------------------------------------------------------------

    def call(self, item: LaunchCall | ApiCall, state: _State) -> None:
        """Something is queued, waited for, or done by the host."""
        if item.__class__ is ApiCall and self._captures(item, state):
            return
        if isinstance(item, ApiCall):
            self._host_call(item, state)
        work = self.works.work(item, self.loops, self._runs[-1].function)
        if work is not None:
            self._queue(work, state)
        elif isinstance(item, ApiCall):
            self._order(item, state)

    def _captures(self, item: ApiCall | LaunchCall, state: _State) -> bool:
        name = item.name if isinstance(item, ApiCall) else ""
        if name in CAPTURE_BEGINS or name == "cudaStreamEndCapture":
            state.clear()
            state.capturing = name in CAPTURE_BEGINS
        return state.capturing

    def _order(self, item: ApiCall, state: _State) -> None:
        """A call that may make the host, or a stream, wait for what is queued."""
        if item.name == "cudaStreamWaitEvent" and isinstance(item.args[0], Pointer):
            target = item.args[0].object.id
            state.pending[:] = [replace(p, before=p.before | {target}) for p in state.pending]
            state.behind.clear()
        elif item.name == "cudaStreamSynchronize" and item.args and isinstance(item.args[0], Pointer):
            self._done(self.works.stream(item.args[0]), state)
        elif self._is_of_default_stream(item):
            self._default_stream_is_done(state)
        elif (
            _unseen_order(item)
            or waits(item)
            or item.name in _ORDERS
            or item.name.startswith(("cudaGraph", "cudaSetDevice"))
        ):
            state.clear()

    @staticmethod
    def _is_of_default_stream(item: ApiCall) -> bool:
        """Whether the host waits for the legacy default stream here, and for what that waits for."""
        if item.name == "cudaStreamSynchronize":
            return bool(item.args) and item.args[0] in (0, 1)
        return item.name in BLOCKING_COPIES and item.name.startswith("cuda")

    def _default_stream_is_done(self, state: _State) -> None:
        """Work on non-blocking streams may still be running."""
        state.behind.clear()
        kept = [p for p in state.pending if p.work.stream.kind is StreamKind.NONBLOCKING and not p.before]
        state.pending[:] = [] if self.works.per_thread else kept

    def _queue(self, work: Work, state: _State) -> None:
        if state.capturing:
            return
        for pending in state.pending:
            if self._unordered(pending, work.stream):
                self._race(pending.work, work)
        if _blocks(work):
            self._done(work.stream, state)
            return
        if not self.works.per_thread:
            self._legacy(work, state)
        state.pending.append(_Pending(work))
        del state.pending[:-MOST], state.behind[:-MOST]

    def _done(self, stream: Stream, state: _State) -> None:
        """The host waits for a stream, and so for what that waits for."""
        if stream.kind is StreamKind.DEFAULT:
            self._default_stream_is_done(state)
        elif stream.key is None:
            state.clear()
        else:
            state.behind.clear()
            state.pending[:] = [p for p in state.pending if not _reached(p, stream)]

    def _legacy(self, work: Work, state: _State) -> None:
        """The legacy default stream and blocking streams wait for each other."""
        stream = work.stream
        if stream.kind is StreamKind.DEFAULT:
            for at, pending in enumerate(state.pending):
                if pending.work.stream.kind is StreamKind.BLOCKING and not pending.joined:
                    state.pending[at] = replace(pending, joined=True)
                    if _independent(pending.work, work):
                        state.behind.append((pending.work, work))
        elif stream.kind is StreamKind.BLOCKING and self.again is None:
            for before, default in state.behind:
                apart = before.stream.created and _different(before.stream, stream)
                if apart and _independent(default, work) and _independent(before, work):
                    self.found.serialised.setdefault(default.span, Serialised(default, before, work))

    def _unordered(self, pending: _Pending, stream: Stream) -> bool:
        """Whether nothing makes a stream wait for pending work of another one."""
        first = pending.work.stream
        if pending.joined and stream.kind is not StreamKind.NONBLOCKING:
            return False
        if stream.key is not None and stream.key[0] in pending.before:
            return False
        kinds = {first.kind, stream.kind}
        if self.again is not None and (first.varies is not None or stream.varies is not None):
            return False
        if kinds == {StreamKind.DEFAULT, StreamKind.NONBLOCKING}:
            return True
        return first.created and stream.created and _different(first, stream)

    def _race(self, first: Work, second: Work) -> None:
        loop = None
        if self.again is not None:
            loop, left = self.again
            if first not in left:
                return
        for a in first.touches:
            for b in second.touches:
                fixed = loop is None or (is_fixed(a, loop) and is_fixed(b, loop))
                if fixed and (a.writes or b.writes) and _on_device(a.place.object) and a.meets(b):
                    self.found.races.setdefault(second.span, Race(first, second, a.place.object, loop))
                    return

    def _varying(self, loop: Loop) -> None:
        """A loop whose iterations take a stream each: what they share, and what holds them together."""
        inside = list(items_of(loop.body))
        inside += [i for e in inside if isinstance(e, Enter) and e.repeated for i in items_of(e.run.body)]
        if any(map(_may_order, inside)):
            return
        calls = [i for i in inside if isinstance(i, (LaunchCall, ApiCall))]
        found = [self.works.work(i, self.loops, self._runs[-1].function) for i in calls]
        works = [w for w in found if w is not None]
        varying = [w for w in works if w.stream.varies is loop and w.stream.created]
        default = [w for w in works if w.stream.kind is StreamKind.DEFAULT]
        blocking = [w for w in varying if w.stream.kind is StreamKind.BLOCKING]
        if default:
            if blocking and not self.works.per_thread:
                first = blocking[0]
                self.found.serialised.setdefault(default[0].span, Serialised(default[0], first, first, loop))
            return
        shared: set[Object] = set()
        for work in varying:
            for touch in work.touches:
                thing = touch.place.object
                if not touch.writes or not is_fixed(touch, loop) or not _on_device(thing) or thing in shared:
                    continue
                meeting = (o for o in varying for t in o.touches if touch.meets(t) and is_fixed(t, loop))
                other = next(meeting, None)
                if other is not None:
                    shared.add(thing)
                    self.found.races.setdefault(work.span, Race(work, other, thing, loop))

    # -- the host ------------------------------------------------------------------------------

    def _host_call(self, item: ApiCall, state: _State) -> None:
        if item.name in _RELEASES_HOST and item.args and isinstance(item.args[0], Pointer):
            self._release(item, item.args[0].object, state)
        used = _HOST_CALLS.get(item.name) or _EXCHANGES.get(item.name) or ()
        for at, write in zip(used, (True, False), strict=False):
            place = item.args[at] if at is not None and at < len(item.args) else None
            if isinstance(place, Pointer) and self._queued_for(place.object):
                self.access(place.object, place, item.span, write, state)
            elif isinstance(place, Pointer) and item.name in _EXCHANGES:
                self.access(place.object, place, item.span, write, state, by=item.name)

    def _release(self, item: ApiCall, thing: Object, state: _State) -> None:
        for pending in state.pending:
            if isinstance(pending.work.item, ApiCall):
                for touch in pending.work.touches:
                    if touch.place.object is thing and self._current(pending.work, thing):
                        loop = self.again[0] if self.again is not None else None
                        early = Early(item.span, "releases", pending.work, thing, touch.writes, loop)
                        self.found.early.setdefault(item.span, early)

    @staticmethod
    def _queued_for(thing: Object) -> bool:
        """Whether queued work and host code can both use an object."""
        return thing.kind in {Memory.PINNED, Memory.MANAGED} or thing.registered

    def access(
        self,
        thing: Object,
        place: Pointer | None,
        span: Span,
        write: bool,
        state: _State,
        *,
        by: str = "",
    ) -> None:
        """Host code, or the function `by`, reads or writes memory that queued work may use.

        A function uses a part: only work from the same place on is sure to meet it.
        """
        for pending in state.pending:
            for touch in pending.work.touches:
                conflict = touch.place.object is thing and (write or touch.writes) and _covers(touch, place)
                conflict = conflict and (not by or touch.place == place)
                if conflict and self._current(pending.work, thing):
                    loop = self.again[0] if self.again is not None else None
                    verb = "writes" if write else "reads"
                    early = Early(span, verb, pending.work, thing, touch.writes, loop, by)
                    self.found.early.setdefault(span, early)

    def _current(self, work: Work, thing: Object) -> bool:
        """In a second iteration: whether the work is of the first, on memory that the loop does not make."""
        return self.again is None or (work in self.again[1] and thing.id < self.again[0].start)


_ORDERS = frozenset(
    {
        *("cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaStreamBeginCapture", "cudaDeviceReset"),
        *("cudaMallocManaged", "cudaMallocPitch", "cudaMalloc3D", "cudaMallocArray", "cudaHostRegister"),
    }
)
"""Calls that order work, or may."""


def _unseen_order(item: ApiCall) -> bool:
    """Whether a call queues work that is not followed: on the default stream, it orders other streams."""
    known = item.name in {"cudaMallocAsync", "cudaFreeAsync", "cudaMallocFromPoolAsync"}
    return item.name.startswith("cuda") and item.name.endswith("Async") and not known


def _may_order(item: Item) -> bool:
    if isinstance(item, ApiCall):
        return (
            waits(item)
            or item.name in _ORDERS
            or item.name.startswith(("cudaStreamWaitEvent", "cudaGraph", "cudaSet"))
        )
    return isinstance(item, NotUnderstood)


def _blocks(work: Work) -> bool:
    """Whether a copy or fill makes the host wait.

    An asynchronous copy to pageable memory does after all; one from device memory to device memory does not.
    """
    item = work.item
    if isinstance(item, ApiCall) and item.name in BLOCKING_COPIES:
        return item.name != "cudaMemcpy" or len(item.args) < 4 or item.args[3] != ON_DEVICE
    if isinstance(item, ApiCall) and item.name in {"cudaMemset", "cudaMemset2D"} and item.args:
        filled = item.args[0]
        return isinstance(filled, Pointer) and filled.object.kind in {Memory.MANAGED, Memory.PINNED}
    target = item.args[0] if isinstance(item, ApiCall) and item.name in ASYNC_COPIES else None
    return isinstance(target, Pointer) and target.object.pageable


def _reached(pending: _Pending, stream: Stream) -> bool:
    """Whether waiting for a created stream waits for pending work, or may."""
    key, waited = pending.work.stream.key, stream.key[0] if stream.key is not None else None
    if (key is not None and key[0] == waited) or waited in pending.before:
        return True
    joined = pending.joined or key is None
    apart = stream.kind is StreamKind.NONBLOCKING and pending.work.stream.kind is not StreamKind.UNKNOWN
    return joined and not apart


def _different(one: Stream, two: Stream) -> bool:
    """Whether two created streams are surely not the same one."""
    if one.key is None or two.key is None:
        return False
    if one.key[0] != two.key[0]:
        return True
    return None not in (one.key[1], two.key[1]) and one.key[1] != two.key[1]


def _independent(one: Work, two: Work) -> bool:
    """Whether two pieces of work surely have no buffer in common."""
    return one.complete and two.complete and not one.objects & two.objects


def _on_device(thing: Object) -> bool:
    return thing.kind in {Memory.DEVICE, Memory.DEVICE_ASYNC, Memory.MANAGED}


def _covers(touch: Touch, place: Pointer | None) -> bool:
    """Whether host code at a place surely meets what work touches; a kernel given a part of a buffer stays there."""
    if touch.whole or (touch.bytes is None and touch.place.offset == 0):
        return True
    if place is None or place.path or touch.place.path:
        return False
    at, start, size = integer(place.offset), integer(touch.place.offset), integer(touch.bytes)
    if at is None or start is None or size is None:
        return place.offset == touch.place.offset
    return start <= at < start + size


def _joined(ways: Iterable[_State], before: _State) -> _State:
    """The state after several ways: what was running before runs on only if it does on each of them."""
    known = {p.work for p in before.pending}
    states = list(ways)
    kept: dict[Work, _Pending] = {}
    for state in states:
        for pending in state.pending:
            everywhere = all(any(p.work is pending.work for p in s.pending) for s in states)
            if everywhere or pending.work not in known:
                old = kept.get(pending.work)
                kept[pending.work] = replace(pending, before=pending.before | (old.before if old else frozenset()))
    pairs = [p for p in states[0].behind if all(p in s.behind for s in states)] if states else []
    return _State(list(kept.values()), pairs, any(s.capturing for s in states))
