"""Which integers a kernel can take in its buffers: found by executing it on chosen ones.

Integers that steer addresses have to lie within what they index, integers that bound loops have to be few, and
row pointers have to grow. What a buffer's integers do is seen by running the kernel's model with other content in
that buffer and looking at how far the accesses reach and how often the loops run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.trace import Access, AccessKind, LoopRun, Space, Taint, Trace
from cudalint.lint.model.expressions import Symbol
from cudalint.lint.model.types import IntType, PointerType, RecordType, Type

Contents = Mapping[str, tuple[int, int, bool]]
"""Integers in buffers by symbol key: the first, by how much each is larger, and whether for certain."""

Run = Callable[[Contents], Trace]
"""Executes the kernel with these integers in its buffers."""

TRIPS = 16
"""Iterations of a loop that memory content bounds, at most: real data rarely asks for more per thread."""

MAX_BUFFERS = 8
"""Buffers that are tried one by one; kernels with more of them take small integers."""

STEERING = Taint.LOADED | Taint.LOADED_UNIFORM


@dataclass(frozen=True, slots=True)
class Draw:
    """Integers from [0, `high`); `rows`: ones that grow from element to element instead, up to `high` at the end."""

    high: int
    rows: bool = False


@dataclass(frozen=True, slots=True)
class _Effect:
    """Bytes reached by each access, by symbol key and place, and iterations of all loops."""

    reach: Mapping[tuple[str, object], int]
    trips: int


def draws(params: Sequence[Symbol], first: Trace, run: Run, sizes: Mapping[str, int]) -> dict[str, Draw]:
    """The draw for each integer buffer whose content steers the kernel, by symbol key.

    `first` is the trace with sampled content, `sizes` are the buffers' bytes by symbol key.
    """
    loaded = {
        a.object.symbol.key: a.size
        for a in first.accesses(Space.GLOBAL)
        if a.object.symbol is not None and a.kind is not AccessKind.STORE
    }
    integers = [
        p.key
        for p in params
        if isinstance(p.type, PointerType) and isinstance(_scalar(p.type.pointee), IntType) and p.key in loaded
    ]
    if not integers or not _steered(first):
        return {}
    if len(integers) > MAX_BUFFERS:
        return dict.fromkeys(integers, Draw(2))
    bounded = any(isinstance(e, LoopRun) and e.taint & STEERING for e in first.events)

    def effect(key: str, content: tuple[int, int]) -> _Effect:
        """What happens with this content in one buffer and zeros in the others."""
        both = [
            run(_contents(integers, key, content, exact=exact)) for exact in ([False, True] if bounded else [False])
        ]
        return _Effect(_reach(both[0]), _trips(both[-1]))

    sizes = {**_shared(first), **sizes}
    scalars = {p.key for p in params if isinstance(p.type, PointerType) and isinstance(p.type.pointee, IntType)}
    still = run(_contents(integers, "", (0, 0), exact=False))
    before = effect("", (0, 0))
    found = {}
    for key in integers:
        count = sizes.get(key, 0) // max(1, loaded[key])
        if key in scalars and _in_pairs(still, key):
            made = _rows(before, effect(key, (0, 1)), sizes, count)
        else:
            made = _range(before, effect(key, (1, 0)), sizes)
        if made is not None:
            found[key] = made
    return found


def _shared(trace: Trace) -> dict[str, int]:
    """The bytes of the shared arrays, by symbol key."""
    sizes = {}
    for access in trace.accesses(Space.SHARED):
        size = access.object.size or trace.shape.shared_bytes
        if access.object.symbol is not None and size:
            sizes[access.object.symbol.key] = size
    return sizes


def _contents(keys: Sequence[str], key: str, content: tuple[int, int], *, exact: bool) -> Contents:
    return {k: (*(content if k == key else (0, 0)), exact) for k in keys}


def _scalar(of: Type) -> Type:
    """The number that a record of one kind of number is made of."""
    while isinstance(of, RecordType) and of.fields:
        of = of.fields[0].type
    return of


def _steered(trace: Trace) -> bool:
    """Whether memory content decides where the kernel accesses memory, or how often a loop runs."""
    return any(
        (isinstance(e, Access) and e.object.space in (Space.GLOBAL, Space.SHARED) and e.address_taint & STEERING)
        or (isinstance(e, LoopRun) and e.taint & STEERING)
        for e in trace.events
    )


def _reach(trace: Trace) -> dict[tuple[str, object], int]:
    reach: dict[tuple[str, object], int] = {}
    for access in trace.accesses(Space.GLOBAL, Space.SHARED):
        symbol = access.object.symbol
        if symbol is not None and access.mask.any():
            end = int(access.address[access.mask].max()) + access.size
            place = symbol.key, access.span
            reach[place] = max(reach.get(place, 0), end)
    return reach


def _trips(trace: Trace) -> int:
    return sum(int(e.trips[e.mask].sum()) for e in trace.events if isinstance(e, LoopRun))


def _range(before: _Effect, after: _Effect, sizes: Mapping[str, int]) -> Draw | None:
    """What fits when each 1 moves the accesses this far; None when nothing moves."""
    limits = [TRIPS] if after.trips != before.trips else []
    for place, reach in after.reach.items():
        step = reach - before.reach.get(place, 0)
        if step > 0 and place in before.reach and place[0] in sizes:
            limits.append(max(0, sizes[place[0]] - before.reach[place]) // step + 1)
    return Draw(min(limits)) if limits else None


def _rows(before: _Effect, after: _Effect, sizes: Mapping[str, int], count: int) -> Draw | None:
    """Growing integers that stay within every buffer that they reach, with a few elements to a row."""
    moved = [sizes[p[0]] for p, reach in after.reach.items() if p[0] in sizes and reach != before.reach.get(p, 0)]
    if not moved and after.trips == before.trips:
        return None
    most = min(moved, default=count) // 8
    return Draw(max(1, min(most, TRIPS * count)), rows=True)


def _in_pairs(trace: Trace, key: str) -> bool:
    """Whether threads load neighbouring elements of a buffer, as the ends of a row are."""
    own = [
        a
        for a in trace.accesses(Space.GLOBAL)
        if a.object.symbol is not None and a.object.symbol.key == key and a.kind is AccessKind.LOAD
    ]
    for one in own:
        for other in own:
            both = one.mask & other.mask
            apart = one.span != other.span and both.any() and one.size == other.size
            if apart and np.array_equal(other.address[both], one.address[both] + one.size):
                return True
    return False
