"""What in a launch lets a kernel's results vary whatever its code: seen by executing its model on that launch.

Made-up sizes may not fit each other. Rows that are shorter than what is stored in them overlap, a last group of
threads that is cut short leaves shared memory unwritten that others read, and a block of another shape than the
kernel is written for leaves its arrays. Such sizes are avoided where others do; else the report says what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Bools, CallEvent, Ints, Space, Taint, Trace

SHARED_LIMIT = 256 * 1024
"""Bytes of a shared array that are looked at; more than any GPU has."""

MAX_CELLS = 1 << 22
"""Elements of one buffer that are looked at, all accesses together."""

VAGUE = OPAQUE | Taint.LOADED_UNIFORM | Taint.UNDEFINED
"""An address that rests on any of these may be another one on the GPU."""


def misfits(trace: Trace) -> tuple[str, ...]:
    """What other sizes may cure, in words; empty where the trace does not show all that the kernel does."""
    if not _shows_all(trace):
        return ()
    return tuple(dict.fromkeys([*_outside(trace), *_unwritten(trace), *_overlaps(trace)]))


def doubts(trace: Trace) -> tuple[str, ...]:
    """The misfits, and stores whose place rests on what buffers hold."""
    return misfits(trace) + (tuple(dict.fromkeys(_placed_by_content(trace))) if _shows_all(trace) else ())


def _shows_all(trace: Trace) -> bool:
    calls = (e for e in trace.events if isinstance(e, CallEvent))
    return trace.complete and not trace.unknown and all(call.known for call in calls)


def _placed_by_content(trace: Trace) -> Iterator[str]:
    for access in trace.accesses(Space.GLOBAL):
        if access.kind is AccessKind.STORE and access.address_taint & OPAQUE & ~Taint.ATOMIC:
            yield f"where it stores to {access.object.name} rests on made-up content of buffers"


def _outside(trace: Trace) -> Iterator[str]:
    for access in trace.accesses(Space.SHARED):
        size = access.object.size or (trace.shape.shared_bytes if access.object.dynamic else None)
        if size and not access.explored and not access.address_taint & VAGUE and not access.mask_taint & VAGUE:
            reached = access.address[access.mask]
            if reached.size and (int(reached.min()) < 0 or int(reached.max()) + access.size > size):
                yield f"threads of this block leave the shared array {access.object.name}"


def _unwritten(trace: Trace) -> Iterator[str]:
    """Shared elements that a block reads and none of its threads has written."""
    _, block = np.unique(trace.lanes.cta, return_inverse=True)
    written: dict[object, Bools | None] = {}
    before: dict[object, Ints] = {}
    for access in trace.accesses(Space.SHARED):
        key = "dynamic" if access.object.dynamic else access.object.id
        if key not in written:
            written[key] = np.zeros((int(block.max()) + 1, SHARED_LIMIT), np.bool_)
        memory = written[key]
        if memory is None:
            continue
        lanes = np.flatnonzero(access.mask & (access.address >= 0) & (access.address + access.size <= SHARED_LIMIT))
        places = block[lanes], access.address[lanes]
        vague = bool((access.address_taint | access.mask_taint) & VAGUE) or access.explored
        if access.kind is AccessKind.LOAD:
            if not vague and not memory[places].all():
                yield f"some blocks read elements of the shared array {access.object.name} that none has written"
        elif vague or _moves(access, before):
            written[key] = None
        else:
            for byte in range(access.size):
                memory[places[0], places[1] + byte] = True


def _moves(store: Access, before: dict[object, Ints]) -> bool:
    """Whether a store in a loop that was not followed to its end goes elsewhere in each iteration."""
    if not any(frame.truncated for frame in store.frames):
        return False
    known = before.setdefault((store.span, store.calls), store.address)
    return not np.array_equal(known, store.address)


def _overlaps(trace: Trace) -> Iterator[str]:
    """Buffers of which one block stores what another one stores or reads."""
    by_buffer: dict[int, list[Access]] = {}
    for access in trace.accesses(Space.GLOBAL):
        by_buffer.setdefault(access.object.id, []).append(access)
    for accesses in by_buffer.values():
        sure = [a for a in accesses if not a.explored and not a.address_taint & VAGUE]
        stores = [a for a in sure if a.kind is AccessKind.STORE and not _constant(a)]
        if stores and _shared_cells(trace, stores, [a for a in sure if a.kind is AccessKind.LOAD]):
            yield f"different blocks store to the same elements of {accesses[0].object.name}"


def _constant(store: Access) -> bool:
    """Whether all threads store the same value: a flag that several blocks set."""
    value = store.value
    return (
        value is not None
        and store.value_taint is Taint.EXACT
        and value.size > 0
        and bool((value == value.flat[0]).all())
    )


def _shared_cells(trace: Trace, stores: list[Access], loads: list[Access]) -> bool:
    """Whether a stored element is reached by two blocks of one world."""
    grain = min(a.size for a in (*stores, *loads))
    if sum(int(a.mask.sum()) * (a.size // grain) for a in (*stores, *loads)) > MAX_CELLS or grain == 0:
        return False
    stored, by = _cells(trace, stores, grain)
    read, reader = _cells(trace, loads, grain)
    kept = np.isin(read, stored)
    cells, blocks = np.concatenate([stored, read[kept]]), np.concatenate([by, reader[kept]])
    order = np.lexsort((blocks, cells))
    cells, blocks = cells[order], blocks[order]
    return bool(((cells[1:] == cells[:-1]) & (blocks[1:] != blocks[:-1])).any())


def _cells(trace: Trace, accesses: list[Access], grain: int) -> tuple[Ints, Ints]:
    """The elements of some accesses, apart for each world, and the block that reaches each."""
    cells, blocks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for access in accesses:
        lanes = np.flatnonzero(access.mask)
        first = access.address[lanes] // grain * trace.lanes.worlds + trace.lanes.world[lanes]
        for step in range(max(1, access.size // grain)):
            cells.append(first + step * trace.lanes.worlds)
            blocks.append(trace.lanes.cta[lanes])
    return np.concatenate(cells), np.concatenate(blocks)
