"""Calls of the executor: functions of the program are inlined, others looked up by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cudalint.lint.analysis.exec_expr import as_pointer, place, poke
from cudalint.lint.analysis.exec_machine import FunctionFrame, Machine
from cudalint.lint.analysis.exec_memory import LocalObj, is_aggregate
from cudalint.lint.analysis.exec_stmt import reference
from cudalint.lint.analysis.exec_values import EXACT, I32, UNKNOWN, Fn, Ptr, Rec, Val, Value, tainted
from cudalint.lint.model.expressions import AddressOf, Call, Cast, Deref, Expr, Unknown, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import PointerType, RecordType, VoidType

MAX_DEPTH = 12
"""Calls inside calls that are followed."""

Intrinsic = Callable[[Machine, Call], Value]
NOTHING = Val(0, I32)
"""What a call of a void function gives."""


def call_handler(intrinsics: Callable[[Call], Intrinsic | None]) -> Callable[[Machine, Any], Value]:
    """The handler of `Call`; `intrinsics` finds what to do for a function without a definition."""

    def call(m: Machine, expr: Call) -> Value:
        key = expr.key
        if key is None and expr.callee is not None:
            callee = m.eval(expr.callee)
            key = callee.key if isinstance(callee, Fn) else None
        function = m.program.functions.get(key) if key is not None else None
        if function is not None and function.body is not None:
            return _follow(m, expr, function)
        handler = intrinsics(expr)
        if handler is not None:
            try:
                return handler(m, expr)
            except IndexError:
                # Arguments that did not compile are missing.
                m.record.not_understood(expr.span, f"call of {expr.qualified or expr.name}")
                return m.unknown_value(expr.type)
        if expr.constructor:
            return construct(m, expr)
        return unknown_call(m, expr)

    return call


def _follow(m: Machine, expr: Call, function: Function) -> Value:
    receiver = _receiver(m, expr, function)
    arguments = [_argument(m, symbol.type, arg) for symbol, arg in zip(function.params, expr.args, strict=False)]
    arguments += [m.unknown_value(s.type) for s in function.params[len(arguments) :]]
    if len(m.functions) > MAX_DEPTH or any(f.key == function.key for f in m.functions):
        m.record.not_understood(expr.span, "recursion" if len(m.functions) <= MAX_DEPTH else "deep calls")
        return m.unknown_value(expr.type)
    result = inline(m, function, arguments, receiver, expr)
    if expr.constructor and receiver is not None:
        obj = receiver.obj
        return Rec(dict(obj.cells)) if isinstance(obj, LocalObj) else Rec({}, UNKNOWN)
    if result is None:
        return NOTHING if isinstance(expr.type, VoidType) else m.unknown_value(expr.type)
    return result


def _receiver(m: Machine, expr: Call, function: Function) -> Ptr | None:
    if expr.constructor:
        return Ptr(LocalObj("", expr.type, m.scopes[-1]), 0)
    if function.this is None or expr.receiver is None:
        return None
    if expr.arrow:
        return as_pointer(m, m.eval(expr.receiver), expr.receiver.type)
    return place(m, expr.receiver)


def _argument(m: Machine, of: Any, arg: Expr) -> Value:
    if isinstance(of, PointerType) and of.reference:
        return reference(m, arg)
    return m.as_type(m.eval(arg), of)


def inline(m: Machine, function: Function, arguments: list[Value], receiver: Ptr | None, expr: Call) -> Value | None:
    """Execute a function's body here; gives what it returns."""
    assert function.body is not None
    outer, outer_ctl = m.mask, m.ctl
    frame = FunctionFrame(function.key, depth=len(m.scopes), result=function.result)
    with _called(m, expr), m.journal() as written, m.region(outer, EXACT, may=False):
        m.functions.append(frame)
        try:
            for symbol, value in zip(function.params, arguments, strict=False):
                obj = m.new_local(symbol)
                _initialise(m, obj, value)
            if function.this is not None:
                this = m.new_local(function.this)
                this.cells[0] = receiver or m.unknown_value(function.this.type)
                _members(m, function, receiver)
            m.run(function.body)
            end = m.lanes.union(m.mask, frame.returned)
        finally:
            m.functions.pop()
    extra = frame.exit_ctl & ~outer_ctl
    m.taint_written(written, extra)
    m.mask = outer if end.n == outer.n else end
    return None if frame.value is None else tainted(frame.value, extra)


def _initialise(m: Machine, obj: LocalObj, value: Value) -> None:
    if isinstance(value, Rec):
        obj.cells = dict(m.flattened(value, obj.type))
    else:
        obj.cells[0] = value


def _members(m: Machine, function: Function, receiver: Ptr | None) -> None:
    """A constructor's member initialisers."""
    record = function.receiver
    if receiver is None or record is None:
        return
    for name, init in function.initializers:
        field = record.field(name)
        if field is None:
            value = m.eval(init)
            if isinstance(value, Rec):
                receiver.obj.store(m, receiver.off, record, value, EXACT)
        else:
            value = _argument(m, field.type, init)
            receiver.obj.store(m, receiver.off + field.offset, field.type, value, receiver.taint)


@contextmanager
def _called(m: Machine, expr: Call) -> Iterator[None]:
    outer = m.record.calls
    m.record.calls = (*outer, expr.span)
    try:
        yield
    finally:
        m.record.calls = outer


def construct(m: Machine, expr: Call) -> Value:
    """A constructor without a visible body: one value copies, several fill the members in order."""
    of = expr.type
    values = [m.eval(arg) for arg in expr.args]
    if not isinstance(of, RecordType) or not of.fields:
        if len(values) == 1 and not is_aggregate(of):
            return m.as_type(values[0], of)
        return Rec({0: values[0]} if len(values) == 1 else {}, EXACT if len(values) == 1 else UNKNOWN)
    if len(values) == 1 and isinstance(values[0], Rec):
        return values[0]
    return fill(m, of, values)


def fill(m: Machine, of: RecordType, values: list[Value]) -> Rec:
    """A record from its members in order; missing members of a dim3 are 1."""
    cells: dict[int, Value] = {}
    for field, value in zip(of.fields, values, strict=False):
        value = m.as_type(value, field.type)
        if isinstance(value, Rec):
            cells.update({field.offset + off: cell for off, cell in m.flattened(value, field.type)})
        else:
            cells[field.offset] = value
    if of.name == "dim3":
        for field in of.fields[len(values) :]:
            cells[field.offset] = m.as_type(Val(1, I32), field.type)
    return Rec(cells)


def pointee(m: Machine, arg: Expr, call: Call) -> tuple[Ptr, Expr]:
    """Where a pointer argument leads, and the lvalue to report."""
    if isinstance(arg, AddressOf) and not arg.decay:
        return place(m, arg.operand), arg.operand
    key = ("deref", id(call), id(arg))
    lvalue: Deref | None = m.notes.get(key)
    if lvalue is None:
        of = arg.type.pointee if isinstance(arg.type, PointerType) else call.type
        lvalue = m.notes[key] = Deref(arg, of, arg.span)
    return as_pointer(m, m.eval(arg), arg.type), lvalue


def bytes_at(m: Machine, arg: Expr, call: Call) -> tuple[Ptr, Expr]:
    """Where a `void *` argument leads: what was converted to it says what is there."""
    while isinstance(arg, Cast) and isinstance(arg.type, PointerType):
        arg = arg.operand
    return pointee(m, arg, call)


def unknown_handler(intrinsics: Callable[[Call], Intrinsic | None]) -> Callable[[Machine, Unknown], Value]:
    """The handler of what does not compile; an atomic given arguments that none takes is still an atomic."""

    def unknown(m: Machine, expr: Unknown) -> Value:
        name = _called_name(m, expr)
        if not name.startswith("atomic") or len(expr.parts) < 2:
            return not_understood(m, expr)
        key = ("atomic", id(expr))
        if key not in m.notes:
            of = expr.parts[1].type
            result = of.pointee if isinstance(of, PointerType) else expr.type
            m.notes[key] = Call(name, name, None, expr.parts[1:], result, expr.span)
        call = m.notes[key]
        handler = intrinsics(call) if isinstance(expr.parts[1].type, PointerType) else None
        try:
            return handler(m, call) if handler is not None else not_understood(m, expr)
        except IndexError:
            return not_understood(m, expr)

    return unknown


def _called_name(m: Machine, expr: Unknown) -> str:
    """The name of the function that a call that does not compile is of."""
    callee = expr.parts[0] if expr.parts else None
    return m.record.text(callee.span) if isinstance(callee, Unknown) and not callee.parts else ""


def not_understood(m: Machine, expr: Unknown) -> Value:
    """Code that does not compile, or a call of what is not declared: what it is given may be changed there.

    Names that begin with two underscores are the compiler's: its built-in functions take values, not references.
    """
    m.record.not_understood(expr.span, expr.reason)
    name = _called_name(m, expr)
    if not name.isidentifier():
        for part in expr.parts:
            m.eval(part)
        return m.unknown_value(expr.type)
    for part in expr.parts[1:]:
        value = m.eval(part)
        if isinstance(value, Ptr):
            value.obj.smear(m, UNKNOWN)
        elif isinstance(part, Var) and not part.symbol.const and not name.startswith("__"):
            poke(m, place(m, part), part.type, m.unknown_value(part.type))
    m.record.call(m, name, expr.span, known=False)
    return m.unknown_value(expr.type)


def unknown_call(m: Machine, expr: Call) -> Value:
    """A call that cannot be followed: pointers handed over may have been written through."""
    values = [m.eval(arg) for arg in expr.args]
    if expr.receiver is not None:
        values.append(m.eval(expr.receiver) if expr.arrow else place(m, expr.receiver))
    m.record.call(m, expr.name, expr.span, known=False)
    m.record.not_understood(expr.span, f"call of {expr.qualified or expr.name}")
    for value in values:
        if isinstance(value, Ptr):
            value.obj.smear(m, UNKNOWN)
    return m.unknown_value(expr.type)
