"""Expressions of the executor: values, places, conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_lanes import AXES, WARP, grid_extent
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_memory import LocalObj, is_aggregate
from cudalint.lint.analysis.exec_values import (
    ASSUMED,
    BOOL,
    COMPARISONS,
    EXACT,
    F64,
    I32,
    I64,
    LOADED,
    MAY,
    U32,
    UNKNOWN,
    Array,
    Fn,
    Group,
    Ptr,
    Rec,
    Val,
    Value,
    arithmetic,
    convert,
    dtype_of,
    fit,
    invert,
    negate,
    promoted,
    scalar_fields,
    select,
    tainted,
    truth,
)
from cudalint.lint.analysis.trace import AccessKind, BranchKind
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Cast,
    Conditional,
    Const,
    Delete,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Index,
    InitList,
    Lambda,
    Launch,
    Member,
    New,
    Throw,
    Unary,
    Var,
)
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type, VoidType

COSTLY = 4
"""Cost from which a `?:` or `&&` is recorded as a branch; cheaper ones are always predicated."""
_LVALUES = (Var, Index, Deref, Member)


# -- places ----------------------------------------------------------------------------------------------------


def place(m: Machine, expr: Expr) -> Ptr:
    """Where an lvalue is; an rvalue is put into a temporary."""
    handler = _PLACES.get(type(expr))
    if handler is not None:
        m.steps += 1
        return handler(m, expr)
    value = m.eval(expr)
    if isinstance(value, Ptr) and isinstance(expr.type, PointerType) and expr.type.reference:
        return value
    return temporary(m, value, expr.type)


def temporary(m: Machine, value: Value, of: Type) -> Ptr:
    """A fresh local variable with that value."""
    obj = LocalObj("", of, m.scopes[-1])
    ptr = Ptr(obj, 0)
    obj.store(m, 0, of, m.as_type(value, of), EXACT)
    return ptr


def as_pointer(m: Machine, value: Value, of: Type) -> Ptr:
    """The value as an address; what is none leads to an unknown object."""
    if isinstance(value, Ptr):
        return value
    if isinstance(value, Rec | Group):
        return temporary(m, value, of.pointee if isinstance(of, PointerType) else of)
    unknown = m.unknown_value(of if isinstance(of, PointerType) else PointerType(of))
    assert isinstance(unknown, Ptr)
    return unknown


def _place_var(m: Machine, expr: Var) -> Ptr:
    return Ptr(m.variable(expr.symbol), 0)


def _place_index(m: Machine, expr: Index) -> Ptr:
    base = expr.base
    start = place(m, base) if isinstance(base.type, ArrayType) else as_pointer(m, m.eval(base), base.type)
    index = m.number(expr.index)
    return start.moved(_bytes(index, expr.type.size), index.taint)


def _bytes(index: Val, size: int) -> int | Array:
    data = fit(index.data, I64)
    return data * size if isinstance(data, np.ndarray) else int(data) * size


def _place_deref(m: Machine, expr: Deref) -> Ptr:
    return as_pointer(m, m.eval(expr.pointer), expr.pointer.type)


def _place_member(m: Machine, expr: Member) -> Ptr:
    base = as_pointer(m, m.eval(expr.base), expr.base.type) if expr.arrow else place(m, expr.base)
    return base.moved(expr.offset) if expr.offset else base


def _place_cast(m: Machine, expr: Cast) -> Ptr:
    """A conversion of a number is a new value; all other casts are the same place seen otherwise."""
    if isinstance(expr.type, IntType | FloatType) and expr.type != expr.operand.type:
        return temporary(m, m.eval(expr), expr.type)
    return place(m, expr.operand)


def _place_conditional(m: Machine, expr: Conditional) -> Ptr:
    found = _choose(m, expr, place)
    assert isinstance(found, Ptr)
    return found


def _place_assign(m: Machine, expr: Assign | IncDec) -> Ptr:
    m.eval(expr)
    m.record.quiet += 1
    found = place(m, expr.target)
    m.record.quiet -= 1
    return found


_PLACES: dict[type[Any], Callable[[Machine, Any], Ptr]] = {
    Var: _place_var,
    Index: _place_index,
    Deref: _place_deref,
    Member: _place_member,
    Cast: _place_cast,
    Conditional: _place_conditional,
    Assign: _place_assign,
    IncDec: _place_assign,
}


def load(m: Machine, ptr: Ptr, of: Type, expr: Expr) -> Value:
    """The content of a place, with the access recorded."""
    if isinstance(of, ArrayType):
        return ptr
    if ptr.alts or not isinstance(ptr.obj, LocalObj) or ptr.obj.array:
        m.record.access(m, expr, AccessKind.LOAD, ptr, of.size)
    return peek(m, ptr, of)


def peek(m: Machine, ptr: Ptr, of: Type) -> Value:
    """The content of a place."""
    value = ptr.obj.load(m, ptr.off, of, ptr.taint)
    for lanes, obj in ptr.alts:
        value = select(lanes, obj.load(m, ptr.off, of, ptr.taint), value)
    return value


def store(m: Machine, ptr: Ptr, of: Type, value: Value, expr: Expr, kind: AccessKind = AccessKind.STORE) -> Value:
    """Write a place, with the access recorded; gives the value as stored."""
    value = m.as_type(value, of)
    if ptr.alts or not isinstance(ptr.obj, LocalObj) or ptr.obj.array:
        m.record.access(m, expr, kind, ptr, of.size, value)
    poke(m, ptr, of, value)
    return value


def poke(m: Machine, ptr: Ptr, of: Type, value: Value) -> None:
    """Write a place."""
    if not ptr.alts:
        ptr.obj.store(m, ptr.off, of, value, ptr.taint)
        return
    outer = rest = m.mask
    for lanes, obj in ptr.alts:
        m.mask = m.lanes.both(outer, lanes)
        if m.mask.n:
            obj.store(m, ptr.off, of, value, ptr.taint)
        rest = m.lanes.both(rest, ~lanes)
    m.mask = rest
    if rest.n:
        ptr.obj.store(m, ptr.off, of, value, ptr.taint)
    m.mask = outer


# -- conditions ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Condition:
    """A decision: `data` per lane, and the lanes that may find it true (`yes`) and false (`no`)."""

    data: bool | Array
    taint: int
    yes: bool | Array
    no: bool | Array


def condition(m: Machine, expr: Expr) -> Condition:
    """Evaluate a condition; memory content decides nothing, so such lanes are in both sets."""
    if isinstance(expr, Unary) and expr.op == "!":
        inner = condition(m, expr.operand)
        data = ~inner.data if isinstance(inner.data, np.ndarray) else not inner.data
        return Condition(data, inner.taint, inner.no, inner.yes)
    if isinstance(expr, Cast) and dtype_of(expr.type) is BOOL and dtype_of(expr.operand.type) is BOOL:
        return condition(m, expr.operand)
    if isinstance(expr, Binary) and expr.op in {"&&", "||"}:
        return _short_circuit(m, expr)
    if isinstance(expr, Binary) and expr.op in {"==", "!="}:
        left, right = m.eval(expr.left), m.eval(expr.right)
        found = _decide(truth(combine(m, expr.op, left, right, expr.type, expr)))
        return _one_of_many(m, expr.op, left, right, found)
    return _decide(truth(m.eval(expr)))


def _one_of_many(m: Machine, op: str, left: Value, right: Value, found: Condition) -> Condition:
    """A comparison of what differs between threads with one value from memory: only equal threads can meet it.

    `if (threadIdx.x == winner)` is entered by one thread, whichever it is: the sampled one, else the first.
    """
    if not found.taint & MAY or not isinstance(left, Val) or not isinstance(right, Val):
        return found
    many, one = (left, right) if one_per_block(right) else (right, left)
    known = not many.taint & MAY and isinstance(many.data, np.ndarray) and many.data.shape[1] > 1
    if not known or not one_per_block(one):
        return found
    values = m.lanes.spread(many.data, many.dt)
    active = np.broadcast_to(m.mask.bits, m.lanes.shape)
    sampled = (values == one.data) & active
    first = np.take_along_axis(values, active.argmax(axis=1).reshape(-1, 1), axis=1)
    same = np.where(sampled.any(axis=1, keepdims=True), sampled, values == first)
    return Condition(same, found.taint, same, True) if op == "==" else Condition(~same, found.taint, True, same)


def one_per_block(value: Val) -> bool:
    """Whether all threads of a block have the same number, in form."""
    return not isinstance(value.data, np.ndarray) or value.data.shape[1] == 1


def _decide(value: Val) -> Condition:
    """What a boolean value decides."""
    data: Any = value.data
    taint = value.taint
    if taint & MAY:
        if isinstance(data, np.ndarray) and data.shape[1] > 1:
            # A bound from memory may be the same for the block, what it decides is not.
            taint |= LOADED
        return Condition(data, taint, True, True)
    no = ~data if isinstance(data, np.ndarray) else not data
    return Condition(data, taint, data, no)


def _short_circuit(m: Machine, expr: Binary) -> Condition:
    left = condition(m, expr.left)
    conjunction = expr.op == "&&"
    onward = left.yes if conjunction else left.no
    if not isinstance(onward, np.ndarray) and not onward:
        return left
    cost = m.facts.cost(expr.right)
    if cost >= COSTLY and isinstance(left.data, np.ndarray):
        taken = left.data if conjunction else ~left.data
        m.record.branch(m, BranchKind.LOGICAL, expr.left.span, expr.span, taken, left.taint, (cost, 0))
    outer, outer_ctl = m.mask, m.ctl
    m.mask = m.lanes.both(outer, onward)
    m.ctl |= left.taint
    if not m.mask.n:
        m.mask, m.ctl = outer, outer_ctl
        return left
    right = condition(m, expr.right)
    m.mask, m.ctl = outer, outer_ctl
    taint = left.taint | right.taint
    if conjunction:
        return Condition(_and(left.data, right.data), taint, _and(left.yes, right.yes), _or(left.no, right.no))
    return Condition(_or(left.data, right.data), taint, _or(left.yes, right.yes), _and(left.no, right.no))


def _and(a: Any, b: Any) -> Any:
    if not isinstance(a, np.ndarray):
        return b if a else False
    if not isinstance(b, np.ndarray):
        return a if b else False
    return a & b


def _or(a: Any, b: Any) -> Any:
    if not isinstance(a, np.ndarray):
        return True if a else b
    if not isinstance(b, np.ndarray):
        return True if b else a
    return a | b


# -- values ----------------------------------------------------------------------------------------------------


def _const(m: Machine, expr: Const) -> Value:
    found: Value | None = m.notes.get(id(expr))
    if found is None:
        value = expr.value
        if isinstance(value, str):
            found = Val(0, I64)
        else:
            dt = dtype_of(expr.type) or (F64 if isinstance(value, float) else I64)
            found = Val(fit(value, dt), dt)
        m.notes[id(expr)] = found
    return found


def _read(m: Machine, expr: Expr) -> Value:
    return load(m, place(m, expr), expr.type, expr)


def _var(m: Machine, expr: Var) -> Value:
    obj = m.variables.get(expr.symbol.key)
    if isinstance(obj, LocalObj):
        cell = obj.cells.get(0)
        if cell is not None and not is_aggregate(expr.type):
            return cell
    return load(m, Ptr(m.variable(expr.symbol), 0), expr.type, expr)


def _member(m: Machine, expr: Member) -> Value:
    if not expr.arrow and not isinstance(expr.base, _LVALUES):
        base = m.eval(expr.base)
        if isinstance(base, Rec):
            return m.part(base, expr.offset, expr.type)
        if not isinstance(base, Ptr):
            return tainted(m.unknown_value(expr.type), base.taint)
        return load(m, base.moved(expr.offset), expr.type, expr)
    return _read(m, expr)


def _builtin(m: Machine, expr: Builtin) -> Value:
    if expr.name == "warpSize":
        return Val(WARP, I32)
    if not expr.axis:
        return Rec({4 * axis: _coordinate(m, expr.name, axis) for axis in range(3)})
    return _coordinate(m, expr.name, AXES.index(expr.axis))


def _coordinate(m: Machine, name: str, axis: int) -> Val:
    if name == "threadIdx":
        return m.lanes.thread_coordinate(axis)
    if name == "blockIdx":
        return m.lanes.block_coordinate(axis)
    if name == "blockDim":
        return Val(m.shape.block[axis], U32, EXACT)
    if not m.grid:
        m.grid = [m.sampler.note(f"gridDim.{n}", grid_extent(m.lanes, m.shape, a)) for a, n in enumerate(AXES)]
    return m.grid[axis]


def _unary(m: Machine, expr: Unary) -> Value:
    if expr.op == "!":
        found = condition(m, expr)
        return Val(found.data, BOOL, found.taint)
    value = m.number(expr.operand)
    dt = dtype_of(expr.type) or value.dt
    if expr.op == "-":
        return negate(value, dt)
    if expr.op == "~":
        return invert(value, dt)
    return convert(value, dt)


def _binary(m: Machine, expr: Binary) -> Value:
    op = expr.op
    if op == ",":
        m.eval(expr.left)
        return m.eval(expr.right)
    if op in {"&&", "||"}:
        found = condition(m, expr)
        return Val(found.data, BOOL, found.taint)
    return combine(m, op, m.eval(expr.left), m.eval(expr.right), expr.type, expr)


def combine(m: Machine, op: str, left: Value, right: Value, of: Type, expr: Binary | Assign) -> Value:
    """`left op right`, numbers or pointers."""
    if isinstance(left, Val) and isinstance(right, Val):
        return arithmetic(op, left, right, None if op in COMPARISONS else dtype_of(of))
    if isinstance(left, Ptr) or isinstance(right, Ptr):
        return _pointers(m, op, left, right, of, expr)
    return tainted(m.unknown_value(of), left.taint | right.taint)


def _pointers(m: Machine, op: str, left: Value, right: Value, of: Type, expr: Binary | Assign) -> Value:
    if op in COMPARISONS:
        return _compare_pointers(op, left, right)
    if isinstance(left, Ptr) and isinstance(right, Ptr):
        kind = (expr.left if isinstance(expr, Binary) else expr.target).type
        size = kind.pointee.size if isinstance(kind, PointerType) else 1
        if op == "-" and left.obj is right.obj:
            distance = Val(left.off - right.off, I64, left.taint | right.taint)
            return arithmetic("/", distance, Val(max(1, size), I64), I64)
        return tainted(m.unknown_value(of), left.taint | right.taint)
    if isinstance(right, Ptr):
        left, right = right, left
        if op != "+":
            return Val(0, I64, UNKNOWN)
    assert isinstance(left, Ptr)
    number = m.as_number(right)
    if op in {"+", "-"}:
        size = of.pointee.size or 1 if isinstance(of, PointerType) else 1
        by = _bytes(number, size if op == "+" else -size)
        return left.moved(by, number.taint)
    found = arithmetic(op, Val(left.off, I64, left.taint), number, I64)
    if op in {"|", "^"} or (op == "&" and np.all(np.asarray(number.data) < 0)):
        # The low bits of an address are set or cleared: it still points into the same object.
        there = found.data if isinstance(found.data, np.ndarray) else int(found.data)
        return Ptr(left.obj, there, found.taint, left.alts)
    return arithmetic(op, m.as_number(left), number, dtype_of(of))


def _compare_pointers(op: str, left: Value, right: Value) -> Value:
    taint = left.taint | right.taint
    if isinstance(left, Ptr) and isinstance(right, Ptr) and left.obj is right.obj:
        return arithmetic(op, Val(left.off, I64, taint), Val(right.off, I64), None)
    return Val(op in {"!=", ">", ">="}, BOOL, taint | ASSUMED)


def _conditional(m: Machine, expr: Conditional) -> Value:
    return _choose(m, expr, lambda machine, side: machine.eval(side))


def _choose(m: Machine, expr: Conditional, evaluate: Callable[[Machine, Expr], Value]) -> Value:
    decision = condition(m, expr.condition)
    if not isinstance(decision.yes, np.ndarray) and not isinstance(decision.no, np.ndarray):
        if not decision.no:
            return tainted(evaluate(m, expr.then), decision.taint)
        if not decision.yes:
            return tainted(evaluate(m, expr.otherwise), decision.taint)
    sides = m.facts.cost(expr.then), m.facts.cost(expr.otherwise)
    if sum(sides) >= COSTLY:
        m.record.branch(m, BranchKind.SELECT, expr.condition.span, expr.span, decision.data, decision.taint, sides)
    outer, outer_ctl = m.mask, m.ctl
    results: list[Value | None] = [None, None]
    m.ctl |= decision.taint
    for i, (side, lanes) in enumerate(((expr.then, decision.yes), (expr.otherwise, decision.no))):
        m.mask = m.lanes.both(outer, lanes)
        if m.mask.n:
            results[i] = evaluate(m, side)
    m.mask, m.ctl = outer, outer_ctl
    then, otherwise = results
    if then is None or otherwise is None:
        return tainted(then or otherwise or m.unknown_value(expr.type), decision.taint)
    if isinstance(then, Val) and isinstance(otherwise, Val):
        dt = dtype_of(expr.type) or promoted(then.dt, otherwise.dt)
        then, otherwise = convert(then, dt), convert(otherwise, dt)
    return select(decision.data, then, otherwise, decision.taint)


def _cast(m: Machine, expr: Cast) -> Value:
    target = expr.type
    if isinstance(target, PointerType) and target.reference:
        return place(m, expr.operand)
    value = m.eval(expr.operand)
    if isinstance(target, VoidType):
        return value
    if isinstance(value, Ptr) and not isinstance(target, PointerType):
        if dtype_of(target) is BOOL:
            return truth(value)
        return value if target.size == value_size(target) else m.as_type(m.as_number(value), target)
    return m.as_type(value, target)


def value_size(of: Type) -> int:
    """8 for types that can hold an address, else -1."""
    return 8 if of.size == 8 else -1


def _address_of(m: Machine, expr: AddressOf) -> Value:
    operand = expr.operand
    if isinstance(operand, FunctionName):
        return Fn(operand.key)
    return place(m, operand)


def _assign(m: Machine, expr: Assign) -> Value:
    value = m.eval(expr.value)
    ptr = place(m, expr.target)
    if expr.op != "=":
        old = load(m, ptr, expr.target.type, expr.target)
        value = _updated(m, expr, old, value)
    return store(m, ptr, expr.target.type, value, expr.target)


def _updated(m: Machine, expr: Assign, old: Value, value: Value) -> Value:
    op = expr.op[:-1]
    if isinstance(old, Val) and isinstance(value, Val):
        dt = promoted(old.dt, old.dt) if op in {"<<", ">>"} else promoted(old.dt, value.dt)
        return arithmetic(op, old, value, dt)
    return combine(m, op, old, value, expr.target.type, expr)


def _inc_dec(m: Machine, expr: IncDec) -> Value:
    ptr = place(m, expr.target)
    of = expr.target.type
    old = load(m, ptr, of, expr.target)
    step = 1 if expr.op == "++" else -1
    new: Value
    if isinstance(old, Ptr):
        new = old.moved(step * (of.pointee.size or 1 if isinstance(of, PointerType) else 1))
    else:
        number = m.as_number(old)
        new = arithmetic("+", number, Val(step, I32), promoted(number.dt, I32))
    stored = store(m, ptr, of, new, expr.target)
    return stored if expr.prefix else old


def _init_list(m: Machine, expr: InitList) -> Value:
    of = expr.type
    if not is_aggregate(of):
        return m.as_type(m.eval(expr.items[0]), of) if expr.items else zero(m, of)
    if isinstance(of, RecordType):
        slots = [(f.offset, f.type) for f in of.fields]
    else:
        assert isinstance(of, ArrayType)
        slots = [(i * of.element.size, of.element) for i in range(len(expr.items))]
    result = zero(m, of)
    assert isinstance(result, Rec)
    for (off, kind), item in zip(slots, expr.items, strict=False):
        value = m.as_type(m.eval(item), kind)
        if isinstance(value, Rec):
            result.cells.update({off + at: cell for at, cell in m.flattened(value, kind)})
        else:
            result.cells[off] = value
    return result


def zero(m: Machine, of: Type) -> Value:
    """The zero of a type."""
    if is_aggregate(of):
        return Rec({off: zero(m, kind) for off, kind in scalar_fields(of)})
    dt = dtype_of(of)
    return Val(fit(0, dt), dt) if dt is not None else Val(0, I64)


def _lambda(m: Machine, expr: Lambda) -> Value:
    return Rec({})


def _function_name(m: Machine, expr: FunctionName) -> Value:
    return Fn(expr.key)


def _outside(m: Machine, expr: New | Delete | Throw | Launch) -> Value:
    """Allocation, exceptions and launches inside a kernel are not followed."""
    m.record.not_understood(expr.span, type(expr).__name__.lower())
    return m.unknown_value(expr.type)


HANDLERS: dict[type[Any], Callable[[Machine, Any], Value]] = {
    Const: _const,
    Var: _var,
    Index: _read,
    Deref: _read,
    Member: _member,
    Builtin: _builtin,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Cast: _cast,
    AddressOf: _address_of,
    Assign: _assign,
    IncDec: _inc_dec,
    InitList: _init_list,
    Lambda: _lambda,
    FunctionName: _function_name,
    New: _outside,
    Delete: _outside,
    Throw: _outside,
    Launch: _outside,
}
