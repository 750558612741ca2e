"""Shared arrays of a fixed extent, indexed by thread coordinates that go further under the launch in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.launch import device_nodes, thread_axis, thread_names
from cudalint.lint.analysis.trace import Access, Bools, Ints, ShapeSource, Space, Taint, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Expr, Index
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import ArrayType

_AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True, eq=False)
class PastTheTile:
    """An access past the end of a shared array: by which thread, at which element, of how many.

    `axis` when it is the end of a row: the coordinate that is too large as an index, the extent as `count`.
    """

    trace: Trace
    access: Access
    thread: tuple[int, int, int]
    element: int
    count: int
    axis: str


def past_the_tile(unit: Unit) -> Iterator[PastTheTile]:
    """Accesses that a launched block makes outside a shared array of fixed size, once per place.

    Only what is exact counts: addresses that rest on thread coordinates and constants, of threads that nothing
    unknown keeps away.
    """
    seen: set[Span] = set()
    for kernel in unit.kernels:
        names = thread_names(list(device_nodes(unit.program, kernel)))
        for trace in unit.traces(kernel):
            launched = trace.shape.block_known and trace.shape.source in {ShapeSource.LAUNCH, ShapeSource.OPTION}
            for access in trace.accesses(Space.SHARED) if launched else ():
                found = None if access.span in seen else _past(trace, access, names)
                if found is not None:
                    seen.add(access.span)
                    yield found


def _past(trace: Trace, access: Access, names: dict[str, str]) -> PastTheTile | None:
    size, each = access.object.size, access.object.element.size
    if not size or not each or access.object.dynamic or access.explored:
        return None
    if access.address_taint is not Taint.EXACT or access.mask_taint is not Taint.EXACT:
        return None
    outside: Bools = access.mask & ((access.address < 0) | (access.address + access.size > size))
    count, axis = size // each, ""
    rows = iter(()) if outside.any() else _rows(trace, access.expr, names)
    while not outside.any():
        row = next(rows, None)
        if row is None:
            return None
        axis, coordinate, count = row
        outside = access.mask & (coordinate >= count)
    lane = int(np.flatnonzero(outside)[0])
    grid = trace.lanes
    thread = int(grid.tx[lane]), int(grid.ty[lane]), int(grid.tz[lane])
    element = thread[_AXES.index(axis)] if axis else int(access.address[lane]) // each
    return PastTheTile(trace, access, thread, element, count, axis)


def _rows(trace: Trace, expr: Expr, names: dict[str, str]) -> Iterator[tuple[str, Ints, int]]:
    """The coordinates that index an array of several dimensions, where all of its indices are plain coordinates.

    Others may run over the end of a row on purpose: `tile[0][threadIdx.x]`.
    """
    coordinates = dict(zip(_AXES, (trace.lanes.tx, trace.lanes.ty, trace.lanes.tz), strict=True))
    found: list[tuple[str, Ints, int]] = []
    while isinstance(expr, Index):
        of, axis = expr.base.type, thread_axis(expr.index, names)
        if not isinstance(of, ArrayType) or of.count is None or axis is None:
            return
        found.append((axis, coordinates[axis], of.count))
        expr = expr.base
    if len(found) > 1:
        yield from found
