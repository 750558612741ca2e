"""Which of the executed accesses become requests, as an optimising compiler leaves them.

A value that a thread has just loaded or stored stays in a register, so loading it again is no request; and
neighbouring accesses to a shared array or an aligned record, whose alignment the compiler knows, become one vector
access.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from cudalint.lint.analysis.lanes import WIDEST, WORD
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    CallEvent,
    Frame,
    Ints,
    Space,
    Sync,
    SyncKind,
    Trace,
)
from cudalint.lint.model.expressions import Binary, Builtin, Const, Member, Unary, Var
from cudalint.lint.model.types import PointerType, RecordType
from cudalint.lint.model.walk import Node, walk

REMEMBERED = 16
"""Values of one buffer that are taken to be kept in registers at a time."""
UNROLLED = 16
"""Iterations up to which a loop of known length is taken to be unrolled."""
_ORDERING = frozenset({SyncKind.BLOCK, SyncKind.WARP, SyncKind.TILE, SyncKind.GRID, SyncKind.NAMED, SyncKind.FENCE})


def requests_of(trace: Trace) -> list[Access]:
    """The accesses to global and shared memory that reach it, in order, with vectors formed."""
    return _vectorised(_without_reloads(trace))


def _without_reloads(trace: Trace) -> list[Access]:
    """The accesses except loads of what the same threads just loaded or stored in the same iteration."""
    kept: list[Access] = []
    known: dict[int, list[Access]] = defaultdict(list)
    for event in trace.events:
        orders = isinstance(event, Sync) and event.kind in _ORDERING
        if orders or (isinstance(event, CallEvent) and not event.known):
            known.clear()
        if not isinstance(event, Access) or event.object.space not in (Space.GLOBAL, Space.SHARED):
            continue
        if not event.mask.any():
            continue
        values = known[event.object.id]
        if event.kind is AccessKind.LOAD:
            lane = int(event.mask.argmax())
            here = event.address[lane]
            if any(v.address[lane] == here and _covers(v, event) for v in values):
                continue
        else:
            _forget(known, event)
        kept.append(event)
        if not event.volatile and event.kind in (AccessKind.LOAD, AccessKind.STORE):
            values.append(event)
            del values[:-REMEMBERED]
    return kept


def seen_running(events: Sequence[Access]) -> Sequence[Access]:
    """The executions by lanes that met the conditions; all of them where no sampled lane did."""
    return [e for e in events if not (e.explored and e.mask_taint & OPAQUE)] or events


def _covers(before: Access, now: Access) -> bool:
    """Whether a load finds its value in a register since an access before."""
    if before.size != now.size or before.frames != now.frames[: len(before.frames)] or now.volatile:
        return False
    if (before.explored and not now.explored) or (now.mask & ~before.mask).any():
        return False
    return bool((before.address == now.address)[now.mask].all())


def _forget(known: dict[int, list[Access]], store: Access) -> None:
    """Drop the values that a store may change: those of its buffer, and of others that could overlap it."""
    for values in known.values():
        if values and (values[0].object.id == store.object.id or _may_overlap(values[0], store)):
            values.clear()


def _may_overlap(value: Access, store: Access) -> bool:
    symbol = value.object.symbol
    restrict = symbol is not None and isinstance(symbol.type, PointerType) and symbol.type.restrict
    return value.object.space is store.object.space is Space.GLOBAL and value.size == store.size and not restrict


def _vectorised(accesses: Sequence[Access]) -> list[Access]:
    """The accesses with neighbouring ones to shared arrays joined: the first takes the place of all."""
    groups: dict[object, list[Access]] = defaultdict(list)
    for access in accesses:
        plain = access.kind in (AccessKind.LOAD, AccessKind.STORE) and not access.volatile
        if plain and access.size < _known_alignment(access):
            where = (access.object.id, access.kind, access.size, access.interval, access.warp_interval, _of(access))
            groups[(*where, iterations(access.frames), access.calls)].append(access)
    replaced: dict[int, Access | None] = {}
    for group in groups.values():
        if len(group) > 1:
            replaced.update(_joined(group))
    return [found for a in accesses if (found := replaced.get(a.order, a)) is not None]


def _of(access: Access) -> object:
    """What record a field belongs to, as it is written: only those of one and the same are joined."""
    if access.object.space is Space.SHARED or not isinstance(access.expr, Member):
        return None
    return tuple(_leaf(node) for node in walk(access.expr.base))


def _leaf(node: Node) -> object:
    """What tells a node of an index from others."""
    match node:
        case Var(symbol=symbol):
            return symbol.key
        case Const(value=value):
            return value
        case Builtin(name=name, axis=axis):
            return name, axis
        case Member(field=field):
            return field
        case Binary(op=op) | Unary(op=op):
            return op
        case _:
            return type(node)


def _known_alignment(access: Access) -> int:
    """Bytes that the compiler knows an address around the access to be a multiple of: a vector may be that wide."""
    if access.object.space is Space.SHARED:
        return WIDEST
    record = access.field_of
    return min(record.align, WIDEST) if isinstance(record, RecordType) else 0


def iterations(frames: Iterable[Frame], unrolled: int = UNROLLED) -> tuple[tuple[object, int], ...]:
    """The iterations that tell executions apart, those of loops of up to `unrolled` iterations left out."""
    return tuple((f.head, f.iteration) for f in frames if f.trip is None or f.trip > unrolled)


def _joined(group: Sequence[Access]) -> dict[int, Access | None]:
    """What to put in the place of accesses that form vectors, by their order."""
    waiting = sorted(group, key=lambda a: int(_active(a)[0]))
    replaced: dict[int, Access | None] = {}
    at = 0
    while at < len(waiting):
        width = next((w for w in (4, 2) if _is_vector(waiting[at : at + w], w)), 1)
        if width > 1:
            run = waiting[at : at + width]
            replaced[run[0].order] = replace(run[0], size=run[0].size * width)
            replaced.update((a.order, None) for a in run[1:])
        at += width
    return replaced


def _is_vector(run: Sequence[Access], width: int) -> bool:
    """Whether accesses in order of their addresses are an aligned vector for every lane."""
    if len(run) < width:
        return False
    first, size = run[0], run[0].size
    base = _active(first)
    if size * width > _known_alignment(first) or size < WORD or (base % (size * width)).any():
        return False
    return all(
        np.array_equal(a.mask, first.mask) and np.array_equal(_active(a), base + i * size) for i, a in enumerate(run)
    )


def _active(access: Access) -> Ints:
    return access.address[access.mask]
