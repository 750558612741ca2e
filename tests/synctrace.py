"""Traces made by hand, for tests of what is decided over traces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from cudalint.lint.analysis.trace import (
    Access,
    AccessKind,
    Branch,
    BranchKind,
    CallEvent,
    Event,
    LaneGrid,
    LaunchShape,
    LoopRun,
    MemoryObject,
    ShapeSource,
    Space,
    Sync,
    SyncKind,
    Taint,
    Trace,
)
from cudalint.lint.model.expressions import Const
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block
from cudalint.lint.model.types import INT, VOID


def span(line: int, column: int = 1) -> Span:
    offset = line * 100 + column
    return Span("k.cu", line, column, line, column + 4, offset, offset + 4)


def lane_grid(block: tuple[int, int, int], blocks: int, worlds: int) -> LaneGrid:
    threads = block[0] * block[1] * block[2]
    thread = np.tile(np.arange(threads), blocks * worlds)
    cta = np.repeat(np.arange(blocks * worlds), threads)
    warps = (threads + 31) // 32
    zero = np.zeros_like(thread)
    return LaneGrid(
        thread=thread,
        block=cta % blocks,
        world=cta // blocks,
        warp=cta * warps + thread // 32,
        lane=thread % 32,
        cta=cta,
        tx=thread % block[0],
        ty=thread // block[0] % block[1],
        tz=thread // (block[0] * block[1]),
        bx=cta % blocks,
        by=zero,
        bz=zero,
        worlds=worlds,
    )


@dataclass
class Build:
    """Collects events; every method takes a line, which stands for the site in the source."""

    block: tuple[int, int, int] = (64, 1, 1)
    blocks: int = 2
    worlds: int = 2
    source: ShapeSource = ShapeSource.LAUNCH
    grid: tuple[int | None, int | None, int | None] = (8, 1, 1)
    events: list[Event] = field(default_factory=list)
    objects: list[MemoryObject] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lanes = lane_grid(self.block, self.blocks, self.worlds)
        self.t = self.lanes.thread
        self.all = np.ones(self.lanes.count, dtype=bool)
        self.alive = self.all.copy()

    def object(self, name: str, space: Space = Space.SHARED, extents: tuple[int, ...] = (64,)) -> MemoryObject:
        made = MemoryObject(len(self.objects), name, space, INT, extents)
        self.objects.append(made)
        return made

    def access(self, kind, obj, index, line, mask=None, size=4, value=None, **more):
        more = {"address_taint": Taint.EXACT, "mask_taint": Taint.EXACT, **more}
        self.events.append(
            Access(
                order=len(self.events),
                expr=Const(0, INT, span(line)),
                span=span(line, 1 + 10 * list(AccessKind).index(kind)),
                kind=kind,
                object=obj,
                address=np.broadcast_to(np.asarray(index) * 4, self.t.shape).astype(np.int64),
                size=size,
                mask=self.all if mask is None else mask,
                interval=0,
                warp_interval=0,
                value=None if value is None else np.broadcast_to(np.asarray(value), self.t.shape),
                **more,
            )
        )

    def load(self, obj, index, line, mask=None, **more):
        self.access(AccessKind.LOAD, obj, index, line, mask, **more)

    def store(self, obj, index, line, mask=None, value=None, **more):
        self.access(AccessKind.STORE, obj, index, line, mask, value=self.t if value is None else value, **more)

    def atomic(self, obj, index, line, mask=None, **more):
        self.access(AccessKind.ATOMIC, obj, index, line, mask, **more)

    def sync(self, line, mask=None, kind=SyncKind.BLOCK, name="__syncthreads", taint=Taint.EXACT, **more):
        self.events.append(
            Sync(
                order=len(self.events),
                kind=kind,
                name=name,
                span=span(line),
                mask=self.all if mask is None else mask,
                mask_taint=taint,
                alive=self.alive,
                interval=0,
                warp_interval=0,
                **more,
            )
        )

    def syncwarp(self, line, mask=None, **more):
        self.sync(line, mask, SyncKind.WARP, "__syncwarp", **more)

    def branch(self, line, taken, mask=None, taint=Taint.EXACT, kind=BranchKind.IF, then_cost=100, **more):
        self.events.append(
            Branch(
                order=len(self.events),
                kind=kind,
                span=span(line),
                node=replace(span(line), end_offset=span(line).offset + 105),
                mask=self.all if mask is None else mask,
                taken=taken,
                taint=taint,
                mask_taint=Taint.EXACT,
                then_cost=then_cost,
                **more,
            )
        )

    def loop(self, line, trips, mask=None, taint=Taint.EXACT, truncated=False):
        head = replace(span(line), end_offset=span(line).offset + 99)
        self.events.append(
            LoopRun(len(self.events), head, head, self.all if mask is None else mask, trips, taint, truncated)
        )

    def call(self, line, known=False):
        self.events.append(CallEvent(len(self.events), "helper", span(line), self.all, known))

    def trace(self) -> Trace:
        kernel = Function(
            key="k",
            pattern="k",
            name="k",
            qualified="k",
            kind=FunctionKind.KERNEL,
            params=(),
            result=VOID,
            body=Block((), span(1)),
            span=span(1),
            name_span=span(1),
        )
        shape = LaunchShape(self.block, self.grid, self.source)
        return Trace(kernel, shape, self.lanes, tuple(self.events), tuple(self.objects), True)
