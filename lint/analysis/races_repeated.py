"""Stores of one loaded value by all threads of a block, element after element: harmless, and done many times over.

The writes race, but whichever comes last leaves the same. One element may be meant (a value that all hand over);
a whole array that each thread copies by itself rather lacks its thread index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Bools, Ints, Space, Taint, Trace
from cudalint.lint.model.source import Span

WARP = 32


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedStore:
    """A store to shared memory that `threads` threads make alike, to `elements` elements seen, from byte `start`."""

    access: Access
    start: int
    threads: int
    elements: int


def repeated_stores(trace: Trace) -> Iterator[RepeatedStore]:
    """The stores in loops by which all threads of a block, more than a warp, copy the same elements."""
    runs: dict[tuple[Span, tuple[Span, ...]], list[Access]] = defaultdict(list)
    for access in trace.accesses(Space.SHARED):
        if access.kind is AccessKind.STORE:
            runs[access.span, access.calls].append(access)
    if trace.shape.threads <= WARP:
        return
    for accesses in runs.values():
        places = [int(a.address[np.argmax(a.mask)]) for a in accesses]
        if len(set(places)) > 1 and all(_by_all(a, trace) for a in accesses):
            yield RepeatedStore(accesses[0], places[0], trace.shape.threads, len(set(places)))


def _by_all(access: Access, trace: Trace) -> bool:
    """Whether whole blocks store one value that was loaded in one place."""
    taints = access.address_taint | access.mask_taint | access.value_taint
    if taints & OPAQUE or not access.value_taint & Taint.LOADED_UNIFORM:
        return False
    if access.value is None or access.volatile or access.explored:
        return False
    cta, mask = trace.lanes.cta, access.mask
    counts = np.bincount(cta[mask], minlength=int(cta.max()) + 1)
    return bool(np.isin(counts, (0, trace.shape.threads)).all()) and all(
        _one_in_each(values, mask, cta.reshape(-1, trace.shape.threads)) for values in (access.address, access.value)
    )


def _one_in_each(values: npt.NDArray[np.generic], mask: Bools, blocks: Ints) -> bool:
    """Whether the threads of each block have one value."""
    rows = values.reshape(blocks.shape)
    return bool((np.equal(rows, rows[:, :1]) | ~mask.reshape(blocks.shape)).all())
