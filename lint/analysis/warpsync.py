"""Warp-level synchronisation: masks that name absent lanes, shuffle widths, and waiting loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.trace import Bools, Ints, Sync, SyncKind, Taint, Trace
from cudalint.lint.model.expressions import (
    Assign,
    Builtin,
    Call,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Member,
    Storage,
    Unknown,
    Var,
)
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Asm, For, Stmt, UnknownStmt, While
from cudalint.lint.model.types import PointerType, Type
from cudalint.lint.model.walk import walk


@dataclass(frozen=True, slots=True)
class SpinLoop:
    """A loop that waits for memory to change, by plain loads; `text` is the condition's lvalue."""

    function: str
    head: Span
    text: str


def spin_loops(program: TranslationUnit) -> Iterator[SpinLoop]:
    """Loops in device code that do nothing but re-read memory which they do not change.

    The condition loads from memory through lvalues that are not volatile; neither it nor the body assigns,
    calls or contains anything that is not understood. Such a loop ends at once or never, unless another thread
    is expected to write: and for that a plain load is not enough.
    """
    told: set[Span] = set()
    for function in program.functions.values():
        if function.body is None or function.kind is FunctionKind.HOST:
            continue
        for node in walk(function.body):
            if isinstance(node, While | For) and node.head not in told:
                loads = _plain_loads(node)
                if loads:
                    told.add(node.head)
                    yield SpinLoop(function.name, node.head, program.text(loads[0].span))


def _plain_loads(loop: While | For) -> list[Expr]:
    """The loads of the condition when nothing in the loop can change their result."""
    parts: list[Stmt | Expr] = [loop.body]
    if loop.condition is None:
        return []
    parts.append(loop.condition)
    if isinstance(loop, For) and loop.step is not None:
        parts.append(loop.step)
    busy = (Assign, IncDec, Call, Unknown, Asm, UnknownStmt)
    for part in parts:
        if any(isinstance(node, busy) for node in walk(part)):
            return []
    if any(type(node).__name__ in {"Break", "Return"} for node in walk(loop.body)):
        return []
    loads = [node for node in walk(loop.condition) if isinstance(node, Index | Deref | Member | Var)]
    shared: list[Expr] = [node for node in loads if _shared_memory(node)]
    if not shared or any(_volatile(node) for node in loads):
        return []
    return shared


def _shared_memory(node: Expr) -> bool:
    """Whether an lvalue lies in memory that other threads can write."""
    match node:
        case Var(symbol=symbol):
            return symbol.storage in {Storage.SHARED, Storage.DEVICE, Storage.MANAGED, Storage.DYNAMIC_SHARED}
        case Index(base=base):
            return isinstance(base.type, PointerType) or _shared_memory(base)
        case Deref():
            return True
        case Member(base=base, arrow=arrow):
            return arrow or (not isinstance(base, Builtin) and _shared_memory(base))
        case _:
            return False


def _volatile(node: Expr) -> bool:
    match node:
        case Var(symbol=symbol):
            return symbol.volatile or _points_to_volatile(symbol.type)
        case Index(base=base) | Member(base=base):
            return _points_to_volatile(base.type)
        case Deref(pointer=pointer):
            return _points_to_volatile(pointer.type)
        case _:
            return False


def _points_to_volatile(of: Type) -> bool:
    return isinstance(of, PointerType) and of.volatile


@dataclass(frozen=True, slots=True, eq=False)
class AbsentLanes:
    """A warp operation whose mask names lanes that are elsewhere: `lane` executes it, `absent` does not."""

    sync: Sync
    lane: int
    absent: int
    certain: bool


def absent_lanes(trace: Trace) -> Iterator[AbsentLanes]:
    """Warp operations that wait for lanes which took another way, at most one per source site."""
    told: set[tuple[Span, tuple[Span, ...]]] = set()
    for event in trace.events:
        if not isinstance(event, Sync) or event.kind not in (SyncKind.WARP, SyncKind.SHUFFLE):
            continue
        if event.members_taint & ~Taint.ASSUMED or event.mask_taint & _UNCLEAR or not _has_mask(event):
            continue
        key = (event.span, event.calls)
        if key in told:
            continue
        pair = _absent(event, trace)
        if pair is not None:
            told.add(key)
            yield AbsentLanes(event, *pair, not event.mask_taint & Taint.LOADED)


def _has_mask(sync: Sync) -> bool:
    """Whether an operation names its lanes by a mask (left out, or full, when `members` is None)."""
    return sync.name == "__syncwarp" or (sync.name.startswith("__") and sync.name.endswith("_sync"))


_UNCLEAR = Taint.UNKNOWN | Taint.APPROXIMATE | Taint.ATOMIC


def _absent(sync: Sync, trace: Trace) -> tuple[int, int] | None:
    """A lane that executes the operation and a named, living lane of its warp that does not."""
    away: Bools = sync.alive & ~sync.mask
    if not away.any() or not sync.mask.any():
        return None
    members = np.full(len(sync.mask), 0xFFFFFFFF) if sync.members is None else sync.members
    warp, lane = trace.lanes.warp, trace.lanes.lane
    bits = np.zeros(int(warp.max()) + 1, dtype=np.int64)
    np.bitwise_or.at(bits, warp[away], np.left_shift(np.int64(1), lane[away]))
    here: Ints = np.flatnonzero(sync.mask & (bits[warp] & members != 0))
    if not len(here):
        return None
    one = int(here[0])
    missing = int(bits[warp[one]] & int(members[one]))
    number = (missing & -missing).bit_length() - 1
    absent = int(np.flatnonzero((warp == warp[one]) & (lane == number))[0])
    return one, absent


def bad_widths(program: TranslationUnit) -> Iterator[tuple[Call, int]]:
    """Shuffles with a constant width that is not a power of two up to 32, with that width."""
    told: set[Span] = set()
    for function in program.functions.values():
        if function.body is None or function.kind is FunctionKind.HOST:
            continue
        for node in walk(function.body):
            if not isinstance(node, Call) or not node.name.startswith("__shfl") or node.span in told:
                continue
            position = 3 if node.name.endswith("_sync") else 2
            width = node.args[position] if len(node.args) > position else None
            value = width.value if isinstance(width, Const) else None
            if isinstance(value, int) and value not in (1, 2, 4, 8, 16, 32):
                told.add(node.span)
                yield node, value
