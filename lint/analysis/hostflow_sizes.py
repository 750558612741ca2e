"""Sizes and fill values of allocations, copies and fills, judged by how they are written and what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hosteffects import ApiCall
from cudalint.lint.analysis.hostflow import HostFlow
from cudalint.lint.analysis.hostflow_buffers import CopyFault
from cudalint.lint.analysis.hostvalues import Pointer, Value, integer
from cudalint.lint.model.expressions import Binary, Cast, Const, Expr, Unary, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import FloatType, IntType, PointerType, RecordType, Type, VoidType, spelled
from cudalint.lint.model.walk import only_value, uncast


@dataclass(frozen=True, slots=True)
class _Sized:
    """A call that takes a size in bytes: which arguments are buffers, whether it makes one, where the size is."""

    buffers: tuple[int, ...]
    size: int
    makes: bool = False


_SIZED = {
    **dict.fromkeys(
        ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"),
        _Sized((0,), 1, makes=True),
    ),
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync"), _Sized((0, 1), 2)),
    **dict.fromkeys(("cudaMemset", "cudaMemsetAsync"), _Sized((0,), 2)),
}
_PATTERNS = frozenset({63, 127, 128, 255})
"""Bytes that people fill with on purpose, for what four of them are: large numbers, all ones."""


def size_faults(flow: HostFlow) -> Iterator[CopyFault]:
    """Sizes that measure a pointer or a container instead of data, and fills with numbers that set single bytes."""
    seen: set[Span] = set()
    for visit, call in flow.calls(*_SIZED):
        sized = _SIZED[call.name]
        if call.span in seen or len(call.args) <= sized.size:
            continue
        fault = _measured(call, sized, visit.run.function) or _filled(flow, call, sized)
        if fault is not None:
            seen.add(call.span)
            yield fault


def _measured(call: ApiCall, sized: _Sized, function: Function) -> CopyFault | None:
    """A size in which a sizeof measures a pointer to the data, or the container that holds it."""
    elements = _elements(call, sized)
    found = next((c for c in _factors(call.call.args[sized.size], function) if c.measured is not None), None)
    if found is None or found.measured is None or not elements:
        return None
    element, measured = elements[0], found.measured
    if (
        isinstance(measured, RecordType)
        and measured.name.startswith("std::vector")
        and measured.name != spelled(element)
    ):
        return CopyFault(
            call.span,
            f"the size given to `{call.name}` is made of the size of a `{measured.name}` itself, {measured.size} "
            "bytes, not of what it holds",
            f"multiply its size() by the element's size, {element.size} bytes",
            {"measured": measured.name, "element_bytes": element.size},
        )
    if not isinstance(measured, PointerType) or any(_holds_pointers(of) for of in elements):
        return None
    if element.size in {0, 1, measured.size}:  # bytes may be anything, and of eight bytes the size is right
        return None
    return CopyFault(
        call.span,
        f"the size given to `{call.name}` is made of the size of a pointer, {measured.size} bytes, but the data is "
        f"`{spelled(element)}`, {element.size} bytes each",
        f"use sizeof({spelled(element)})",
        {"measured": "pointer", "element_bytes": element.size},
        wasteful=sized.makes and element.size < measured.size,
    )


def _elements(call: ApiCall, sized: _Sized) -> list[Type]:
    """What the buffers of a call hold, as far as their pointers are not void."""
    found: list[Type] = []
    for index in sized.buffers:
        of = uncast(call.call.args[index]).type
        of = of.pointee if isinstance(of, PointerType) and sized.makes else of
        if isinstance(of, PointerType) and not isinstance(of.pointee, VoidType):
            found.append(of.pointee)
    return found


def _holds_pointers(of: Type) -> bool:
    return isinstance(of, PointerType) or (
        isinstance(of, RecordType) and any(_holds_pointers(f.type) for f in of.fields)
    )


def _factors(expr: Expr, function: Function) -> Iterator[Const]:
    """The constants that a size is a product of, also through a local variable that is set once."""
    expr = uncast(expr)
    if isinstance(expr, Const):
        yield expr
    elif isinstance(expr, Binary) and expr.op == "*":
        yield from _factors(expr.left, function)
        yield from _factors(expr.right, function)
    elif isinstance(expr, Var):
        value = only_value(expr, function.body)
        if value is not None and not isinstance(uncast(value), Var):
            yield from _factors(value, function)


def _filled(flow: HostFlow, call: ApiCall, sized: _Sized) -> CopyFault | None:
    """A fill with a number other than zero where the elements are wider than the byte that it sets."""
    elements = _elements(call, sized) if call.name.startswith("cudaMemset") else []
    value = _fill_value(call.call.args[1])
    if not elements or value is None or not isinstance(elements[0], (IntType, FloatType)) or elements[0].size < 2:
        return None
    element, size = elements[0], integer(call.args[sized.size])
    if (size is not None and size < element.size) or _read_otherwise(flow, call.args[0]):
        return None
    word = f"{int(value) & 255:02x}" * element.size
    return CopyFault(
        call.span,
        f"`{call.name}` sets every byte to the low byte of {value:g}: each `{spelled(element)}` becomes 0x{word}",
        "fill it in a kernel or with thrust::fill; of numbers of several bytes cudaMemset can set only zeros",
        {"value": str(value), "element_bytes": element.size},
    )


def _fill_value(expr: Expr) -> float | None:
    """A fill value that is written as a number and not as a pattern of bits: no zero, no all ones."""
    expr = uncast(expr)
    sign = 1
    if isinstance(expr, Unary) and expr.op == "-":
        sign, expr = -1, uncast(expr.operand)
    if not isinstance(expr, Const) or isinstance(expr.value, (bool, str)) or expr.value == 0:
        return None
    if isinstance(expr.type, FloatType):
        return sign * expr.value
    pattern = not (expr.text or "").isdigit() or expr.value in _PATTERNS or sign < 0
    return None if pattern else float(expr.value)


def _read_otherwise(flow: HostFlow, buffer: Value) -> bool:
    """Whether a kernel takes a buffer as something else than what its pointer says: then bytes may be meant."""
    if not isinstance(buffer, Pointer):
        return False
    return any(
        isinstance(arg, Pointer) and arg.object is buffer.object and isinstance(expr, Cast) and expr.reinterpret
        for _, launch in flow.launches()
        for arg, expr in zip(launch.args, launch.launch.args, strict=False)
    )
