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
from cudalint.lint.model.types import IntType, PointerType

Run = Callable[[Mapping[str, tuple[int, int]]], Trace]
"""Executes the kernel with these integers in its buffers: the first, and by how much each is larger."""

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
    """Bytes reached in each buffer, by symbol key, and iterations of all loops."""

    reach: Mapping[str, int]
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
        if isinstance(p.type, PointerType) and isinstance(p.type.pointee, IntType) and p.key in loaded
    ]
    if not integers or not _steered(first):
        return {}
    if len(integers) > MAX_BUFFERS:
        return dict.fromkeys(integers, Draw(2))
    zeros = dict.fromkeys(integers, (0, 0))
    still = run(zeros)
    before = _effect(still)
    found = {}
    for key in integers:
        count = sizes.get(key, 0) // max(1, loaded[key])
        if _in_pairs(still, key):
            made = _rows(before, _effect(run({**zeros, key: (0, 1)})), sizes, count)
        else:
            made = _range(before, _effect(run({**zeros, key: (1, 0)})), sizes)
        if made is not None:
            found[key] = made
    return found


def _steered(trace: Trace) -> bool:
    """Whether memory content decides where the kernel accesses memory, or how often a loop runs."""
    return any(
        (isinstance(e, Access) and e.object.space is Space.GLOBAL and e.address_taint & STEERING)
        or (isinstance(e, LoopRun) and e.taint & STEERING)
        for e in trace.events
    )


def _effect(trace: Trace) -> _Effect:
    reach: dict[str, int] = {}
    for access in trace.accesses(Space.GLOBAL):
        symbol = access.object.symbol
        if symbol is not None and access.mask.any():
            end = int(access.address[access.mask].max()) + access.size
            reach[symbol.key] = max(reach.get(symbol.key, 0), end)
    trips = sum(int(e.trips[e.mask].sum()) for e in trace.events if isinstance(e, LoopRun))
    return _Effect(reach, trips)


def _range(before: _Effect, after: _Effect, sizes: Mapping[str, int]) -> Draw | None:
    """What fits when each 1 moves the accesses this far; None when nothing moves."""
    limits = [TRIPS] if after.trips != before.trips else []
    for key, reach in after.reach.items():
        step = reach - before.reach.get(key, 0)
        if step > 0 and key in sizes and key in before.reach:
            limits.append(max(0, sizes[key] - before.reach[key]) // step + 1)
    return Draw(min(limits)) if limits else None


def _rows(before: _Effect, after: _Effect, sizes: Mapping[str, int], count: int) -> Draw | None:
    """Growing integers that stay within every buffer that they reach, with a few elements to a row."""
    moved = [sizes[k] for k, reach in after.reach.items() if k in sizes and reach != before.reach.get(k, 0)]
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
