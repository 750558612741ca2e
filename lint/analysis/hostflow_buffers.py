"""Copies, fills and arguments judged by what their pointers lead to: wrong directions, sizes and sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hosteffects import ApiCall, HostAccess, LaunchCall
from cudalint.lint.analysis.hostflow import HostFlow, Visit
from cudalint.lint.analysis.hostflow_copies import (
    ON_DEVICE,
    ON_DEVICES,
    ON_HOSTS,
    TO_DEVICE,
    TO_HOST,
    Copy,
    copies,
    leads_to,
)
from cudalint.lint.analysis.hostvalues import Memory, Object, Pointer, Term, Value, integer
from cudalint.lint.model.expressions import Cast, Const, Expr
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import ArrayType, PointerType, VoidType
from cudalint.lint.model.walk import walk


@dataclass(frozen=True, slots=True)
class CopyFault:
    """What is wrong with a copy, a fill or an allocation, in words.

    `wasteful` when more memory is allocated than is needed, and no less.
    """

    span: Span
    what: str
    help: str
    evidence: dict[str, int | str]
    wasteful: bool = False


_WORDS = {
    TO_DEVICE: "cudaMemcpyHostToDevice",
    TO_HOST: "cudaMemcpyDeviceToHost",
    ON_DEVICE: "cudaMemcpyDeviceToDevice",
    0: "cudaMemcpyHostToHost",
}


def copy_faults(flow: HostFlow) -> Iterator[CopyFault]:
    """Copies in a direction that contradicts their pointers, or of a size that contradicts their buffers."""
    seen: set[Span] = set()
    for copy in copies(flow):
        if copy.call.span in seen or _dispatched(copy.visit):
            continue
        fault = _variable(flow, copy) or _direction(flow, copy) or _size(flow, copy)
        if fault is not None:
            seen.add(copy.call.span)
            yield fault
    for visit, call in flow.calls("cudaMemset", "cudaMemsetAsync"):
        fault = None if call.span in seen or _dispatched(visit) else _fill_size(call)
        if fault is not None:
            seen.add(call.span)
            yield fault
    for _, call in flow.calls(*_SYMBOL_COPIES):
        fault = (
            None if call.span in seen else _symbol_side(flow, call) or _symbol_direction(call) or _symbol_size(call)
        )
        if fault is not None:
            seen.add(call.span)
            yield fault


def _dispatched(visit: Visit) -> bool:
    """Whether a copy stands on one side of a choice that its function makes by what it is given, or made for."""
    return bool(visit.choices) and _serves_many(visit)


def _serves_many(visit: Visit) -> bool:
    """Whether the function around an effect is called, or is one of many of a pattern."""
    function = visit.run.function
    pattern = bool(function.template_args) or (function.receiver is not None and "<" in function.receiver.name)
    return bool(visit.enters) or pattern


def _chosen(visit: Visit) -> bool:
    """Whether a function that serves many decides itself on an effect: by where the memory is, for one."""
    return _serves_many(visit) and any(True for _ in visit.own(visit.branches))


_SYMBOL_COPIES = {
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), frozenset({TO_HOST, 0})),
    **dict.fromkeys(("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"), frozenset({TO_DEVICE, 0})),
}
"""Copies to and from variables in device memory, and the directions that contradict them."""


def _symbol_direction(call: ApiCall) -> CopyFault | None:
    """A copy to a device variable that says it goes to the host, or the reverse."""
    kind = integer(call.args[4]) if len(call.args) > 4 else None
    if kind is None or kind not in _SYMBOL_COPIES[call.name]:
        return None
    role = "destination" if "ToSymbol" in call.name else "source"
    return CopyFault(
        call.span,
        f"`{call.name}` with `{_WORDS[kind]}`, but its {role} is a variable in device memory",
        "give the direction that fits, or leave it out: it is right by default",
        {"kind": _WORDS[kind], "role": "symbol"},
    )


def _symbol_side(flow: HostFlow, call: ApiCall) -> CopyFault | None:
    """A variable of the host where one in device memory is due: the arguments are swapped, as a rule."""
    at = 0 if "ToSymbol" in call.name else 1
    objects = leads_to(flow, call.args[at]) if at < len(call.args) else []
    if not objects or not all(o.kind in {Memory.STACK, Memory.STATIC} and o.name for o in objects):
        return None
    given = leads_to(flow, call.args[1 - at])
    swapped = bool(given) and all(map(_is_device_variable, given))
    return CopyFault(
        call.span,
        f"the symbol given to `{call.name}` is `{objects[0].name}`, a variable of the host"
        + (f", and `{given[0].name}` is in device memory: the two are swapped" if swapped else ""),
        "give the variable in device memory as the symbol" if not swapped else "swap them, or use the other function",
        {"role": "symbol", "memory": objects[0].kind.value},
    )


def _symbol_size(call: ApiCall) -> CopyFault | None:
    """More bytes than the variable has, or a count of its elements."""
    at = 0 if "ToSymbol" in call.name else 1
    symbol, other = (call.args[at], call.args[1 - at]) if len(call.args) > 2 else (0, 0)
    if not isinstance(symbol, Pointer) or not _is_device_variable(symbol.object) or symbol.path:
        return None
    name, of = symbol.object.name, symbol.object.type
    total, count = integer(symbol.object.bytes), integer(call.args[2])
    offset = integer(call.args[3]) if len(call.args) > 3 else 0
    if total is None or count is None or offset is None or symbol.offset != 0:
        return None
    if offset + count > total:
        return CopyFault(
            call.span,
            f"`{call.name}` copies {count} bytes, but `{name}` has {total - offset}",
            "copy no more than the variable holds",
            {"bytes": count, "available": total - offset, "role": "symbol"},
        )
    while isinstance(of, ArrayType):
        of = of.element
    size = of.size if of is not None else 0
    as_many = isinstance(other, Pointer) and other.object.bytes == total and other.offset == 0 and not other.path
    # Only a sizeof is a number that is written neither in digits nor by name.
    measured = any(isinstance(n, Const) and n.text is None and n.name is None for n in walk(call.call.args[2]))
    if size > 1 and count * size == total and as_many and not measured:
        return CopyFault(
            call.span,
            f"`{call.name}` copies a count of elements, {1 / size:.0%} of `{name}`: its size is in bytes",
            f"multiply the count by the element's size, {size} bytes",
            {"element_bytes": size, "role": "symbol"},
        )
    return None


def _variable(flow: HostFlow, copy: Copy) -> CopyFault | None:
    """A plain copy to or from a `__device__` or `__constant__` variable: host code has no address of it."""
    for value, role, instead in (
        (copy.target, "destination", "cudaMemcpyToSymbol"),
        (copy.source, "source", "cudaMemcpyFromSymbol"),
    ):
        objects = leads_to(flow, value)
        if objects and all(map(_is_device_variable, objects)):
            return CopyFault(
                copy.call.span,
                f"the {role} of `{copy.call.name}` is `{objects[0].name}`, a variable in device memory: in host code "
                "its name is not its address",
                f"use {instead}, or ask cudaGetSymbolAddress for the address",
                {"role": role, "memory": "device variable"},
            )
    return None


def _direction(flow: HostFlow, copy: Copy) -> CopyFault | None:
    target, source = leads_to(flow, copy.target), leads_to(flow, copy.source)
    for objects, role, device_kinds, host_kinds in (
        (target, "destination", {TO_DEVICE, ON_DEVICE}, {TO_HOST, 0}),
        (source, "source", {TO_HOST, ON_DEVICE}, {TO_DEVICE, 0}),
    ):
        if not objects or copy.kind is None:
            continue
        thing = objects[0]
        name = f"`{thing.name}` " if thing.name else ""
        if copy.kind in device_kinds and all(o.pageable for o in objects):
            what = f"the {role} {name}is host memory ({thing.kind.value})"
        elif copy.kind in host_kinds and all(o.kind in ON_DEVICES for o in objects):
            what = f"the {role} {name}is device memory"
        else:
            continue
        spelled = _WORDS.get(copy.kind, str(copy.kind))
        return CopyFault(
            copy.call.span,
            f"`{copy.call.name}` with `{spelled}`, but {what}",
            "give the direction that fits the pointers, or swap them",
            {"kind": spelled, "role": role, "memory": thing.kind.value},
        )
    return None


def _size(flow: HostFlow, copy: Copy) -> CopyFault | None:
    """A count of elements where bytes are due, or more bytes than a buffer has."""
    if copy.bytes is None or copy.call.name.startswith("cudaMemcpy2D"):
        return None
    args = copy.call.call.args
    for value, expr, role in ((copy.target, args[0], "destination"), (copy.source, args[1], "source")):
        if not isinstance(value, Pointer) or value.path or value.object.bytes is None:
            continue
        if value.object.kind not in ON_DEVICES | ON_HOSTS | {Memory.MANAGED}:
            continue
        # `new int[n * sizeof(int)]` is common and only wasteful: there, the size says nothing about the count.
        size = 0 if value.object.kind is Memory.NEW else _element(expr)
        if size > 1 and value.offset == 0 and same_product(flow, value.object.bytes, copy.bytes, size):
            return CopyFault(
                copy.call.span,
                f"`{copy.call.name}` copies a count of elements, {1 / size:.0%} of the {role} `{value.object.name}`: "
                f"its size is in bytes",
                f"multiply the count by the element's size, {size} bytes",
                {"element_bytes": size, "role": role},
            )
        fault = _overrun(copy.call, value, copy.bytes, f"the {role} ", "copies")
        if fault is not None:
            return fault
    return None


def _fill_size(call: ApiCall) -> CopyFault | None:
    """A fill of more bytes than the buffer has."""
    target = call.args[0] if len(call.args) > 2 else None
    if not isinstance(target, Pointer) or target.object.kind not in ON_DEVICES | {Memory.MANAGED, Memory.PINNED}:
        return None
    return _overrun(call, target, call.args[2], "", "fills")


def _overrun(call: ApiCall, value: Pointer, bytes_: Value, role: str, verb: str) -> CopyFault | None:
    """More bytes than there are: two numbers, or the same factors with a larger constant."""
    name, size = value.object.name, value.object.bytes
    if size is None or value.path:
        return None
    total, count, offset = integer(size), integer(bytes_), integer(value.offset)
    evidence: dict[str, int | str] = {"role": role.strip() or "target"}
    if total is not None and count is not None and offset is not None and offset + count > total > 0:
        return CopyFault(
            call.span,
            f"`{call.name}` {verb} {count} bytes, but {role}`{name}` has {total - offset}",
            "copy no more than both buffers hold" if verb == "copies" else "fill no more than the buffer holds",
            {"bytes": count, "available": total - offset, **evidence},
        )
    (few, of), (many, same) = factors(size), factors(bytes_)
    if offset == 0 and of and of == same and 0 < few < many and many % few == 0:
        times = many // few
        return CopyFault(
            call.span,
            f"`{call.name}` {verb} {times} times the bytes that {role}`{name}` has: was it made for a count?",
            "multiply the size of the allocation by the size of an element",
            {"times": times, **evidence},
        )
    return None


def _element(expr: Expr) -> int:
    """Bytes of what an argument points to, before it was converted to void*."""
    while isinstance(expr, Cast) and isinstance(expr.type, PointerType) and isinstance(expr.type.pointee, VoidType):
        expr = expr.operand
    return expr.type.pointee.size if isinstance(expr.type, PointerType) else 0


def same_product(flow: HostFlow, total: Value, count: Value, size: int) -> bool:
    """Whether a buffer's size is exactly `count * size`, factor by factor, and the count is of no bytes itself.

    A count with a constant factor that the element's size divides may be meant in bytes: a part of the buffer.
    """
    if isinstance(count, (int, float)) or factors(count)[0] % size == 0:
        return False
    return factors(total) == factors(flow.host.values.op("*", count, size))


def factors(value: Value) -> tuple[int, frozenset[tuple[Value, int]]]:
    """A product as its constant and its other factors with their powers."""
    constant = 1
    others: dict[Value, int] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Term) and part.op == "*":
            waiting.extend(part.args)
        elif isinstance(part, int):
            constant *= part
        else:
            others[part] = others.get(part, 0) + 1
    return constant, frozenset(others.items())


# -- the wrong side ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrongSide:
    """A pointer used on the side that cannot follow it."""

    span: Span
    what: str
    help: str
    memory: Object
    role: str


def wrong_sides(flow: HostFlow) -> Iterator[WrongSide]:
    """Device pointers that host code follows, and host pointers given to kernels and device fills."""
    seen: set[Span] = set()
    for visit in flow.visits:
        for found in _wrong_sides(flow, visit):
            if found.span not in seen:
                seen.add(found.span)
                yield found


def _wrong_sides(flow: HostFlow, visit: Visit) -> Iterator[WrongSide]:
    item = visit.item
    if isinstance(item, HostAccess) and item.object.kind in ON_DEVICES and item.object.api and not _chosen(visit):
        verb = "writes" if item.write else "reads"
        yield WrongSide(
            item.span,
            f"host code {verb} through the device pointer `{item.object.name}`, made by {item.object.api}",
            "copy it with cudaMemcpy, or allocate it with cudaMallocManaged",
            item.object,
            "host access",
        )
    elif isinstance(item, ApiCall) and item.name in {"cudaMemset", "cudaMemsetAsync"} and item.args:
        objects = leads_to(flow, item.args[0])
        if objects and all(o.pageable for o in objects):
            yield WrongSide(
                item.span,
                f"`{item.name}` fills `{objects[0].name}`, which is host memory ({objects[0].kind.value})",
                "give the device pointer, or use memset for host memory",
                objects[0],
                "device fill",
            )
    elif isinstance(item, LaunchCall):
        yield from _kernel_arguments(flow, item)


def _kernel_arguments(flow: HostFlow, item: LaunchCall) -> Iterator[WrongSide]:
    kernel = flow.kernel(item)
    for param, arg, expr in zip(kernel.params if kernel else (), item.args, item.launch.args, strict=False):
        if not isinstance(param.type, PointerType) or not isinstance(expr.type, PointerType) or expr.type.reference:
            continue
        objects = leads_to(flow, arg)
        if objects and all(o.pageable for o in objects):
            what, advice = (
                objects[0].kind.value,
                "copy it to device memory first, or allocate it with cudaMallocManaged",
            )
        elif objects and all(_is_device_variable(o) for o in objects):
            what = "a variable in device memory: in host code its name is not its address"
            advice = "use the variable in the kernel, or pass the address that cudaGetSymbolAddress gives"
        else:
            continue
        host = f"host memory ({what})" if objects[0].pageable else what
        yield WrongSide(
            expr.span,
            f"kernel `{item.launch.kernel}` gets `{objects[0].name or 'a pointer'}`, which is {host}",
            advice,
            objects[0],
            "kernel argument",
        )


def _is_device_variable(thing: Object) -> bool:
    """Whether an object is a `__device__` or `__constant__` variable."""
    return thing.kind is Memory.DEVICE and not thing.api and bool(thing.name)
