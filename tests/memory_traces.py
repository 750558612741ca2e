"""Hand-made traces for tests of the memory analyses: no front end, no executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cudalint.lint.analysis.trace import (
    Access,
    AccessKind,
    Frame,
    LaneGrid,
    LaunchShape,
    MemoryObject,
    ShapeSource,
    Space,
    Taint,
    Trace,
)
from cudalint.lint.model.expressions import Storage, Symbol, Var
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.source import NOWHERE, Span
from cudalint.lint.model.types import FLOAT, VOID, Type


def span(line: int) -> Span:
    """A place in a file that does not exist."""
    return Span("made.cu", line, 1, line, 10, line * 100, line * 100 + 9)


def lane_grid(block: tuple[int, int, int], blocks: int = 1, worlds: int = 1) -> LaneGrid:
    """All threads of a row of blocks, in each world."""
    threads = block[0] * block[1] * block[2]
    n = np.arange(threads * blocks * worlds)
    thread, cta = n % threads, n // threads
    return LaneGrid(
        thread=thread,
        block=cta % blocks,
        world=cta // blocks,
        warp=cta * -(-threads // 32) + thread // 32,
        lane=thread % 32,
        cta=cta,
        tx=thread % block[0],
        ty=thread // block[0] % block[1],
        tz=thread // (block[0] * block[1]),
        bx=cta % blocks,
        by=np.zeros_like(n),
        bz=np.zeros_like(n),
        worlds=worlds,
    )


def array(
    space: Space = Space.GLOBAL, extents: tuple[int, ...] = (), element: Type = FLOAT, number: int = 0
) -> MemoryObject:
    """A buffer or a shared array."""
    storage = Storage.SHARED if space is Space.SHARED else Storage.PARAM
    symbol = Symbol(f"s{number}", f"array{number}", element, storage, NOWHERE)
    size = int(np.prod(extents)) * element.size if extents else None
    return MemoryObject(number, symbol.name, space, element, extents, size, symbol)


def access(
    lanes: LaneGrid,
    address: Any,
    line: int = 1,
    obj: MemoryObject | None = None,
    size: int = 4,
    mask: Any = True,
    taint: Taint = Taint.EXACT,
    kind: AccessKind = AccessKind.LOAD,
    of: Type = FLOAT,
    frames: Sequence[Frame] = (),
    field_of: Type | None = None,
) -> Access:
    """One execution of an access by all lanes, or those in the mask."""
    thing = obj or array()
    place = span(line)
    symbol = thing.symbol
    assert symbol is not None
    return Access(
        order=line,
        expr=Var(symbol, of, place),
        span=place,
        kind=kind,
        object=thing,
        address=np.broadcast_to(np.asarray(address, np.int64), lanes.thread.shape),
        size=size,
        mask=np.broadcast_to(np.asarray(mask, np.bool_), lanes.thread.shape),
        address_taint=taint,
        mask_taint=Taint.EXACT,
        interval=0,
        warp_interval=0,
        frames=tuple(frames),
        field_of=field_of,
        text="array[i]",
    )


def trace(lanes: LaneGrid, *events: Access, block: tuple[int, int, int] = (256, 1, 1), known: bool = True) -> Trace:
    """A trace of these accesses under one launch."""
    shape = LaunchShape(block, (1, 1, 1), ShapeSource.LAUNCH if known else ShapeSource.ASSUMED, block_known=known)
    kernel = Function("k", "k", "k", "k", FunctionKind.KERNEL, (), VOID, None, NOWHERE, NOWHERE)
    objects = {e.object.id: e.object for e in events}
    return Trace(kernel, shape, lanes, events, tuple(objects.values()), True)
