"""Atomics of the executor: built-in functions, cuda::atomic and cuda::atomic_ref."""

from __future__ import annotations

import numpy as np
from cudalint.lint.analysis.exec_calls import NOTHING, Intrinsic, pointee
from cudalint.lint.analysis.exec_expr import as_pointer, place, poke
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_values import (
    ATOMIC,
    I32,
    I64,
    LOADED_UNIFORM,
    OPAQUE,
    Ptr,
    Rec,
    Val,
    Value,
    dtype_of,
    fit,
    tainted,
)
from cudalint.lint.analysis.trace import AccessKind
from cudalint.lint.model.expressions import AddressOf, Call, Deref, Expr
from cudalint.lint.model.types import PointerType, RecordType, Type, VoidType

_OPERATIONS = ["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"]


def _distinct(m: Machine, of: Type) -> Value:
    """What an atomic may return: another value for every lane."""
    dt = dtype_of(of)
    if dt is None:
        return tainted(m.unknown_value(of), ATOMIC)
    data = np.arange(m.lanes.count, dtype=np.int64).reshape(m.lanes.shape)
    return Val(fit(data, dt), dt, ATOMIC)


def _sums(m: Machine, ptr: Ptr, of: Type, value: Value, sign: int) -> Value | None:
    """What an addition of `sign` times `value` returns where threads that add nothing share their result.

    A thread that adds 0 leaves the sum to the next one. None where all results differ, or where that is not
    known: the operands, who takes part, one address for all.
    """
    dt = dtype_of(of)
    if dt is None or dt.kind not in "iu" or not isinstance(value, Val) or value.taint or m.shadow:
        return None
    if not isinstance(ptr.off, int) or ptr.taint or ptr.alts or m.ctl & OPAQUE:
        return None
    active = np.broadcast_to(m.mask.bits, m.lanes.shape)
    operands = np.where(active, m.lanes.spread(value.data, value.dt), 0).astype(np.int64) * sign
    crowded = active.sum(axis=1) > 1
    if not ((active & (operands == 0)).any(axis=1) & crowded).any():
        return None
    base, passed = m.notes.get(("sum", ptr.obj, ptr.off)) or (ptr.obj.load(m, ptr.off, of, 0), 0)
    if not isinstance(base, Val) or base.taint & OPAQUE:
        return None
    by_world = operands.reshape(m.lanes.worlds, -1)
    through = by_world.cumsum(axis=1)
    m.notes["sum", ptr.obj, ptr.off] = base, passed + through[:, -1:]
    before = (passed + through - by_world).reshape(m.lanes.shape)
    return Val(fit(base.data + before, dt), dt, base.taint | LOADED_UNIFORM)


def _update(m: Machine, ptr: Ptr, lvalue: Expr, value: Value, scope: str, result: Type, sign: int = 0) -> Value:
    """An atomic of which the effect is recorded; `sign` is 1 for additions, -1 for subtractions."""
    of = lvalue.type
    m.record.access(m, lvalue, AccessKind.ATOMIC, ptr, of.size or result.size, value, scope)
    sums = _sums(m, ptr, of, value, sign) if sign else None
    old = sums or _distinct(m, result if not isinstance(result, VoidType) else of)
    poke(m, ptr, of, m.as_type(tainted(value if isinstance(value, Val) else old, ATOMIC), of))
    return old


def _scope(name: str) -> str:
    return "block" if name.endswith("_block") else "system" if name.endswith("_system") else "device"


def _atomic(m: Machine, expr: Call) -> Value:
    address = expr.args[0]
    values = [m.eval(arg) for arg in expr.args[1:]]
    ptr, lvalue = pointee(m, address, expr)
    value = values[-1] if values else Val(1, I32)
    sign = {"Add": 1, "Sub": -1}.get(expr.name.removeprefix("atomic").split("_")[0], 0)
    return _update(m, ptr, lvalue, value, _scope(expr.name), expr.type, sign)


def is_reference(of: Type) -> bool:
    """Whether the type is a cuda::atomic_ref."""
    return isinstance(of, RecordType) and "atomic_ref" in of.name


def construct_reference(m: Machine, expr: Call) -> Value:
    """cuda::atomic_ref(object): remembers where the object is."""
    target = expr.args[0] if expr.args else None
    if target is None:
        return m.unknown_value(expr.type)
    return Rec({0: place(m, target) if not isinstance(target, AddressOf) else m.eval(target)})


def find_method(expr: Call) -> Intrinsic | None:
    """Members of cuda::atomic and cuda::atomic_ref."""
    if expr.receiver is None or "atomic" not in expr.qualified:
        return None
    if expr.name in {"load", "store", "exchange"} or expr.name.startswith(("fetch_", "compare_exchange")):
        return _method
    return None


def _method(m: Machine, expr: Call) -> Value:
    receiver = expr.receiver
    assert receiver is not None
    base = as_pointer(m, m.eval(receiver), receiver.type) if expr.arrow else place(m, receiver)
    if "atomic_ref" in expr.qualified:
        target = m.part(Rec({}, base.taint, base), 0, PointerType(receiver.type))
        base = target if isinstance(target, Ptr) else base
    values = [m.eval(arg) for arg in expr.args if not isinstance(arg.type, PointerType)]
    of = expr.type if not isinstance(expr.type, VoidType) else expr.args[0].type
    key = ("atomic", id(expr))
    lvalue: Expr = m.notes.setdefault(key, Deref(receiver, of, receiver.span))
    scope = (
        "block" if "thread_scope_block" in expr.qualified or "::thread_scope::block" in expr.qualified else "device"
    )
    if expr.name == "load":
        m.record.access(m, lvalue, AccessKind.ATOMIC, base, of.size, None, scope)
        return _distinct(m, of)
    result = _update(m, base, lvalue, values[0] if values else Val(0, I64), scope, of)
    return NOTHING if isinstance(expr.type, VoidType) else result


def generic(m: Machine, expr: Call) -> Value:
    """__nv_atomic_fetch_add(pointer, value, order, scope) and its kin."""
    ptr, lvalue = pointee(m, expr.args[0], expr)
    of = lvalue.type
    values = [m.eval(arg) for arg in expr.args[1:]]
    if "_load" in expr.name:
        m.record.access(m, lvalue, AccessKind.ATOMIC, ptr, of.size)
        result = _distinct(m, of)
    else:
        result = _update(m, ptr, lvalue, values[0] if values else Val(0, I32), "device", of)
    return NOTHING if isinstance(expr.type, VoidType) else result


TABLE: dict[str, Intrinsic] = {
    f"atomic{operation}{suffix}": _atomic for operation in _OPERATIONS for suffix in ("", "_block", "_system")
}
