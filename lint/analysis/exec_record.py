"""Recording what the executor does as trace events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from cudalint.lint.analysis.exec_lanes import Mask
from cudalint.lint.analysis.exec_memory import LocalObj, Obj
from cudalint.lint.analysis.exec_values import EXACT, F64, I64, UNKNOWN, Array, Data, Ptr, Rec, Val, Value
from cudalint.lint.analysis.trace import (
    Access,
    AccessKind,
    Bools,
    Branch,
    BranchKind,
    CallEvent,
    Event,
    Frame,
    LoopRun,
    Sync,
    SyncKind,
    Taint,
)
from cudalint.lint.model.expressions import Deref, Expr, Index, Member, Var
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import PointerType, Type

if TYPE_CHECKING:
    from cudalint.lint.analysis.exec_machine import Machine

TAINTS = tuple(Taint(i) for i in range(128))
GOLDEN = 1.618033988749895
"""Divides the members of a record: no small members have the same sum by chance."""
EVENT_LIMIT = 4000
"""Events of one trace at most: beyond that, the execution stops with `complete` false."""


class Recorder:
    """Collects the events of one execution."""

    def __init__(self, program: TranslationUnit) -> None:
        self.events: list[Event] = []
        self.frames: tuple[Frame, ...] = ()
        self.calls: tuple[Span, ...] = ()
        self.interval = 0
        self.warp_interval = 0
        self.quiet = 0
        self.unknown: dict[tuple[Span, str], None] = {}
        self._program = program
        self._texts: dict[Span, str] = {}
        self._shapes: dict[int, tuple[Type | None, bool]] = {}

    @property
    def full(self) -> bool:
        """Whether no more events should be made."""
        return len(self.events) >= EVENT_LIMIT

    def text(self, span: Span) -> str:
        """The source text of a span, cached."""
        found = self._texts.get(span)
        if found is None:
            found = self._texts[span] = self._program.text(span)
        return found

    def not_understood(self, span: Span, reason: str) -> None:
        """Note a construct whose effects are missing."""
        if not self.quiet:
            self.unknown[span, reason] = None

    def access(
        self,
        m: Machine,
        expr: Expr,
        kind: AccessKind,
        ptr: Ptr,
        size: int,
        value: Value | None = None,
        scope: str = "device",
    ) -> None:
        """Record an access by the active lanes, one event per object pointed to."""
        if self.quiet or not m.mask.n:
            return
        rest = m.mask
        for lanes, obj in ptr.alts:
            self._access(m, expr, kind, obj, ptr, size, m.lanes.both(m.mask, lanes), value, scope)
            rest = m.lanes.both(rest, ~lanes)
        self._access(m, expr, kind, ptr.obj, ptr, size, rest, value, scope)

    def _access(
        self,
        m: Machine,
        expr: Expr,
        kind: AccessKind,
        obj: Obj,
        ptr: Ptr,
        size: int,
        mask: Mask,
        value: Value | None,
        scope: str,
    ) -> None:
        if not mask.n:
            return
        if isinstance(obj, LocalObj):
            if not self._worth_local(obj, ptr):
                return
            m.describe(obj)
        memory = obj.described
        if memory is None or self.full:
            return
        record, volatile = self._shape(expr)
        shape = m.lanes.shape
        number = value if isinstance(value, Val) else _mixed(m, value, size)
        self.events.append(
            Access(
                order=len(self.events),
                expr=expr,
                span=expr.span,
                kind=kind,
                object=memory,
                address=m.lanes.flat(ptr.off),
                size=max(1, size),
                mask=mask.flat(shape),
                address_taint=TAINTS[ptr.taint],
                mask_taint=TAINTS[m.ctl],
                interval=self.interval,
                warp_interval=self.warp_interval,
                value=None if number is None else m.lanes.flat(number.data, number.dt),
                value_taint=TAINTS[EXACT if value is None else value.taint | (number.taint if number else EXACT)],
                field_of=record,
                volatile=volatile,
                scope=scope,
                frames=self.frames,
                calls=self.calls,
                text=self.text(expr.span),
                explored=m.shadow > 0,
            )
        )

    def _worth_local(self, obj: LocalObj, ptr: Ptr) -> bool:
        """Only local arrays at positions that a compiler cannot know are in memory."""
        if not obj.array:
            return False
        if not isinstance(ptr.off, int) or ptr.taint:
            return True
        return any(frame.trip is None or frame.truncated for frame in self.frames)

    def _shape(self, expr: Expr) -> tuple[Type | None, bool]:
        """The record whose member the lvalue is, and whether it is volatile."""
        found = self._shapes.get(id(expr))
        if found is None:
            found = self._shapes[id(expr)] = (_record_of(expr), _is_volatile(expr))
        return found

    def branch(
        self,
        m: Machine,
        kind: BranchKind,
        span: Span,
        node: Span,
        taken: bool | Array,
        taint: int,
        costs: tuple[int, int] = (0, 0),
        exits: bool = False,
    ) -> None:
        """Record a decision of the active lanes."""
        if self.quiet or self.full or not m.mask.n:
            return
        mask = m.mask.flat(m.lanes.shape)
        self.events.append(
            Branch(
                order=len(self.events),
                kind=kind,
                span=span,
                node=node,
                mask=mask,
                taken=mask & m.lanes.flat(taken, np.dtype(np.bool_)),
                taint=TAINTS[taint],
                mask_taint=TAINTS[m.ctl],
                then_cost=costs[0],
                else_cost=costs[1],
                exits=exits,
                varies=isinstance(taken, np.ndarray) and taken.shape[-1] > 1,
                frames=self.frames,
                calls=self.calls,
                text=self.text(span),
            )
        )

    def loop(self, m: Machine, span: Span, node: Span, mask: Mask, trips: Data, taint: int, truncated: bool) -> None:
        """Record a loop that ended."""
        if self.quiet or self.full:
            return
        self.events.append(
            LoopRun(
                order=len(self.events),
                span=span,
                node=node,
                mask=mask.flat(m.lanes.shape),
                trips=m.lanes.flat(trips, I64),
                taint=TAINTS[taint],
                truncated=truncated,
                frames=self.frames,
                calls=self.calls,
            )
        )

    def sync(
        self,
        m: Machine,
        kind: SyncKind,
        name: str,
        span: Span,
        members: Val | None = None,
        width: int | None = None,
        scope: str = "block",
    ) -> None:
        """Record a synchronisation; barriers then begin a new interval."""
        if self.quiet or not m.mask.n:
            return
        if not self.full:
            shape = m.lanes.shape
            self.events.append(
                Sync(
                    order=len(self.events),
                    kind=kind,
                    name=name,
                    span=span,
                    mask=m.mask.flat(shape),
                    mask_taint=TAINTS[m.ctl],
                    alive=m.scopes[0].live.flat(shape),
                    interval=self.interval,
                    warp_interval=self.warp_interval,
                    members=None if members is None else m.lanes.flat(members.data, I64),
                    members_taint=TAINTS[EXACT if members is None else members.taint],
                    width=width,
                    scope=scope,
                    frames=self.frames,
                    calls=self.calls,
                )
            )
        if kind in {SyncKind.BLOCK, SyncKind.GRID}:
            self.interval += 1
            self.warp_interval += 1
        elif kind in {SyncKind.WARP, SyncKind.TILE}:
            self.warp_interval += 1

    def call(self, m: Machine, name: str, span: Span, *, known: bool) -> None:
        """Record a call whose body was not executed."""
        if self.quiet or self.full or not m.mask.n:
            return
        mask: Bools = m.mask.flat(m.lanes.shape)
        self.events.append(
            CallEvent(
                order=len(self.events),
                name=name,
                span=span,
                mask=mask,
                known=known,
                frames=self.frames,
                calls=self.calls,
            )
        )


def _mixed(m: Machine, value: Value | None, size: int) -> Val | None:
    """A number for a record of `size` bytes that is made here: it differs where members that are known do.

    None where that would not tell records apart.
    """
    if not isinstance(value, Rec) or value.src is not None:
        return None
    known = [(at, v) for at, v in sorted(value.cells.items()) if isinstance(v, Val) and not v.taint & UNKNOWN]
    total: Any = 0.0
    taint = value.taint
    for at, cell in known:
        total = total + m.lanes.spread(cell.data, cell.dt).astype(np.float64) / (at + GOLDEN)
        taint |= cell.taint
    complete = sum(cell.dt.itemsize for _, cell in known) == size
    varies = isinstance(total, np.ndarray) and bool((total != total[:, :1]).any())
    return Val(total, F64, taint) if known and (complete or varies) else None


def _record_of(expr: Expr) -> Type | None:
    """The type of the outermost record that a chain of members starts from."""
    found: Type | None = None
    while isinstance(expr, Member):
        base: Any = expr.base.type
        found = base.pointee if expr.arrow and isinstance(base, PointerType) else base
        if expr.arrow:
            break
        expr = expr.base
    return found


def _is_volatile(expr: Expr) -> bool:
    while True:
        if isinstance(expr, Var):
            kind = expr.type
            return expr.symbol.volatile or (isinstance(kind, PointerType) and kind.volatile)
        if isinstance(expr.type, PointerType) and expr.type.volatile:
            return True
        if isinstance(expr, Member | Index):
            expr = expr.base
        elif isinstance(expr, Deref):
            expr = expr.pointer
        else:
            inner = getattr(expr, "operand", None)
            if inner is None:
                return False
            expr = inner
