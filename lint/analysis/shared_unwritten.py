"""Elements of shared memory that a block reads although no thread of it has written them.

What may have been written is counted generously: every byte that a store executed before the read reaches in any of
the executed blocks and worlds, under whatever conditions. A store at an address that is not exact, or whose address
changes in a loop that was not followed to its end, may have written everything.

Some reads are harmless: a warp loads 32 partial sums, of which the scan behind it uses the first few. So the kernel
is executed once more with other content in the bytes in question, and only reads count that change what the kernel
writes to global memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from cudalint.lint.analysis.exec_memory import Disturbance
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.launch import device_nodes
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    Bools,
    Branch,
    CallEvent,
    Frame,
    Ints,
    LoopRun,
    ShapeSource,
    Space,
    Taint,
    Trace,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import AddressOf, Call
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import FloatType, IntType, RecordType, Type
from cudalint.lint.model.walk import uncast

_HARMLESS = frozenset(
    {
        *("arrive", "producer_acquire", "producer_commit", "consumer_release", "make_pipeline", "init", "quit"),
        *("load_matrix_sync", "mma_sync", "fill_fragment", "__pipeline_commit"),
    }
)
"""Calls without a visible body that write no shared memory."""
_LIMIT = 256 * 1024
"""Bytes of a shared array that are looked at; more than any GPU has."""
_STORES = frozenset({AccessKind.STORE, AccessKind.ASYNC_STORE})
_TRIALS = 8
"""Places of a trace that are tried out at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Unwritten:
    """A read of an element that nothing has written: by which thread, where, and how much else is missing.

    `missing` elements are read so at this place. `never`: the kernel has no store to the array at all, only
    operations that change what it holds. `store` is the last one before, which leaves these elements out.
    """

    trace: Trace
    access: Access
    thread: tuple[int, int, int]
    element: int
    missing: int
    never: bool
    store: Access | None


@dataclass(slots=True)
class _Memory:
    """What may have been written of one array, byte by byte; `anywhere` when that cannot be told."""

    written: Bools = field(default_factory=lambda: np.zeros(_LIMIT, np.bool_))
    anywhere: bool = False
    last: Access | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A place that reads what nothing has written: the first time it does, by which lanes; and all of the bytes."""

    access: Access
    lanes: Ints
    store: Access | None
    offsets: list[Ints] = field(default_factory=list)

    def meets(self, other: _Candidate) -> bool:
        """Whether both read some byte."""
        if self.access.object.id != other.access.object.id:
            return False
        return bool(np.isin(np.concatenate(self.offsets), np.concatenate(other.offsets)).any())


def unwritten_reads(unit: Unit) -> Iterator[Unwritten]:
    """Reads of shared memory that no thread of the block can have written before, once per array."""
    seen: set[object] = set()
    for kernel in unit.kernels:
        replacing: frozenset[Span] | None = None
        for trace in unit.traces(kernel):
            if not trace.accesses(Space.SHARED) or not _understood(trace):
                continue
            if replacing is None:
                replacing = _replacing(unit, kernel)
            for found in _Reader(trace, replacing).found(unit):
                place = found.access.object.symbol.span if found.access.object.symbol else found.access.span
                if place not in seen:
                    seen.add(place)
                    yield found


def _understood(trace: Trace) -> bool:
    """Whether the trace shows everything that the kernel may write."""
    if not trace.complete or trace.unknown:
        return False
    if any(isinstance(e, CallEvent) and e.name not in _HARMLESS for e in trace.events):
        return False
    return not any(a.kind is not AccessKind.LOAD and a.object.name == "?" for a in trace.accesses(Space.GLOBAL))


def _replacing(unit: Unit, kernel: Function) -> frozenset[Span]:
    """What atomic operations set without regard to what is there: exchanges and stores."""
    places: set[Span] = set()
    for node in device_nodes(unit.program, kernel):
        if not isinstance(node, Call) or not ("Exch" in node.name or node.name.endswith(("store", "exchange"))):
            continue
        if node.receiver is not None:
            places.add(node.receiver.span)
        for arg in node.args[:1]:
            target = uncast(arg)
            places |= {arg.span, target.span, *([target.operand.span] if isinstance(target, AddressOf) else ())}
    return frozenset(places)


class _Reader:
    """Goes through the accesses of one trace in order."""

    def __init__(self, trace: Trace, replacing: frozenset[Span]) -> None:
        self.trace = trace
        self.replacing = replacing
        self.memories: dict[object, _Memory] = {}
        shape = trace.shape
        self.launched = shape.block_known and shape.source in {ShapeSource.LAUNCH, ShapeSource.OPTION}
        loops = [e for e in trace.events if isinstance(e, LoopRun)]
        open_heads = {r.span for r in loops if r.taint is not Taint.EXACT or r.truncated}
        self.exact_heads = {r.span for r in loops} - open_heads
        self.shared = trace.accesses(Space.SHARED)
        self.stores = [a for a in self.shared if self._is_store(a)]
        self.stored = {_key(a) for a in self.stores}
        self.moving = self._moving()
        guards = [e for e in trace.events if isinstance(e, Branch) and e.varies and e.taint is not Taint.EXACT]
        self.guards = {guard.node for guard in guards}
        self.exits = min((g.order for g in guards if g.exits), default=len(trace.events))

    def found(self, unit: Unit) -> Iterator[Unwritten]:
        """The reads of this trace that change what the kernel writes, the first one of each array."""
        candidates: dict[Span, _Candidate] = {}
        for access in self.shared:
            memory = self.memories.setdefault(_key(access), _Memory())
            if self._is_store(access):
                self._write(access, memory)
            elif _is_number(access.object.element):
                lanes = self._read(access, memory)
                if lanes is not None:
                    candidate = candidates.setdefault(access.span, _Candidate(access, lanes, memory.last))
                    candidate.offsets.append(self._offsets(access, lanes))
        done: set[int] = set()
        for candidate in self._that_matter(unit, list(candidates.values())[:_TRIALS]):
            if candidate.access.object.id not in done:
                done.add(candidate.access.object.id)
                yield self._finding(candidate)

    def _is_store(self, access: Access) -> bool:
        return access.kind in _STORES or (access.kind is AccessKind.ATOMIC and access.span in self.replacing)

    # -- what may be written -------------------------------------------------------------------

    def _write(self, access: Access, memory: _Memory) -> None:
        memory.last = access
        if access.address_taint is not Taint.EXACT or self._site(access) in self.moving:
            memory.anywhere = True
            return
        memory.written[_reached(access)] = True

    def _site(self, access: Access) -> tuple[object, ...]:
        """A place in the kernel, with the iterations of the loops around it that are followed to their end."""
        return access.span, access.calls, tuple(f.iteration for f in access.frames if self._followed(f))

    def _followed(self, frame: Frame) -> bool:
        return not frame.truncated and (frame.trip is not None or frame.head in self.exact_heads)

    def _moving(self) -> set[tuple[object, ...]]:
        """Stores in loops that were not followed to their end, at addresses that change, or that ran only once."""
        first: dict[tuple[object, ...], tuple[Ints, tuple[Frame, ...]]] = {}
        repeated: set[tuple[object, ...]] = set()
        moving: set[tuple[object, ...]] = set()
        for access in self.stores:
            if all(map(self._followed, access.frames)):
                continue
            site = self._site(access)
            address, frames = first.setdefault(site, (access.address, access.frames))
            if frames != access.frames:
                repeated.add(site)
                if not np.array_equal(address, access.address):
                    moving.add(site)
        return moving | (first.keys() - repeated)

    # -- what is read --------------------------------------------------------------------------

    def _read(self, access: Access, memory: _Memory) -> Ints | None:
        """The lanes that read what nothing has written."""
        lanes = np.flatnonzero(access.mask)
        addresses = access.address[lanes]
        if ((addresses < 0) | (addresses + access.size > _LIMIT)).any():
            return None
        if _key(access) not in self.stored:
            return lanes
        if not self.launched or memory.anywhere or not self._certain(access):
            return None
        unwritten: Ints = lanes[~memory.written[addresses]]
        return unwritten if len(unwritten) else None

    def _certain(self, access: Access) -> bool:
        """Whether the read happens at these addresses whatever the sampled values are.

        Of loops that may end earlier only the first iteration counts, and no thread that an inexact guard may keep
        away.
        """
        if access.explored or access.address_taint is not Taint.EXACT:
            return False
        if access.mask_taint & (OPAQUE | Taint.UNDEFINED):
            return False
        if any(f.iteration > 0 and f.trip is None and f.head not in self.exact_heads for f in access.frames):
            return False
        if access.order > self.exits:
            return False
        places = (access.span, *access.calls)
        return not any(_within(place, node) for place in places for node in self.guards)

    # -- whether it matters --------------------------------------------------------------------

    def _offsets(self, access: Access, lanes: Ints) -> Ints:
        if access.address_taint is not Taint.EXACT and access.object.size:
            return np.arange(min(access.object.size, _LIMIT))
        return _bytes(access.address[lanes], access.size)

    def _that_matter(self, unit: Unit, candidates: list[_Candidate]) -> Iterator[_Candidate]:
        """Those without whose bytes the kernel writes something else, where all of them hold something else."""
        if not candidates:
            return
        everything = self._outputs(unit, candidates)
        usual = self.trace.accesses(Space.GLOBAL)
        if not any(map(_differs, usual, everything)):
            return
        for candidate in candidates:
            others = [c for c in candidates if not candidate.meets(c)]
            if not others or any(map(_differs, self._outputs(unit, others), everything)):
                yield candidate

    def _outputs(self, unit: Unit, candidates: list[_Candidate]) -> list[Access]:
        """The accesses to global memory where the bytes of these reads hold something else."""
        disturbed = [d for c in candidates for d in self._disturbances(c)]
        trace, grid = self.trace, self.trace.lanes
        blocks = zip(grid.bx.tolist(), grid.by.tolist(), grid.bz.tolist(), strict=True)
        where = list(dict.fromkeys(blocks))
        return execute(unit.program, trace.kernel, trace.shape, where=where, disturbed=disturbed).accesses(
            Space.GLOBAL
        )

    def _disturbances(self, candidate: _Candidate) -> Iterator[Disturbance]:
        """What no store ever reaches keeps its content under updates; the rest starts with it."""
        later = np.zeros(_LIMIT, np.bool_)
        for store in self.stores:
            if _key(store) == _key(candidate.access):
                later[_reached(store)] = True
        offsets = np.unique(np.concatenate(candidate.offsets))
        for lasting in (True, False):
            part = offsets[later[offsets] != lasting]
            if len(part):
                yield Disturbance(candidate.access.object.id, part, lasting)

    def _finding(self, found: _Candidate) -> Unwritten:
        access, grid = found.access, self.trace.lanes
        lane, each = int(found.lanes[0]), access.object.element.size or access.size
        missing = len(np.unique(np.concatenate(found.offsets) // each))
        thread = int(grid.tx[lane]), int(grid.ty[lane]), int(grid.tz[lane])
        never = _key(access) not in self.stored
        return Unwritten(self.trace, access, thread, int(access.address[lane]) // each, missing, never, found.store)


def _reached(store: Access) -> Ints:
    """The bytes that a store may write; a condition that is not exact may let other threads through as well."""
    reached = store.address if store.mask_taint is not Taint.EXACT else store.address[store.mask]
    starts = reached[(reached >= 0) & (reached + store.size <= _LIMIT)]
    return _bytes(starts, store.size)


def _bytes(starts: Ints, size: int) -> Ints:
    found: Ints = (np.unique(starts)[:, None] + np.arange(size)).reshape(-1)
    return found


def _differs(one: Access, two: Access) -> bool:
    """Whether two runs of an access go to different places, or write different numbers."""
    both = one.mask & two.mask
    if not np.array_equal(one.address[both], two.address[both]):
        return True
    if one.kind is AccessKind.LOAD or one.value is None or two.value is None:
        return False
    return not np.array_equal(one.value[both], two.value[both], equal_nan=one.value.dtype.kind == "f")


def _within(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.offset <= inner.offset and inner.end_offset <= outer.end_offset


def _key(access: Access) -> object:
    """Arrays whose size the launch gives all start at the same byte."""
    return "dynamic" if access.object.dynamic else access.object.id


def _is_number(of: Type) -> bool:
    """Whether an array holds numbers or vectors of them: the state of library objects is not looked at."""
    if isinstance(of, RecordType):
        return bool(of.fields) and all(isinstance(f.type, (IntType, FloatType)) for f in of.fields)
    return isinstance(of, (IntType, FloatType))
