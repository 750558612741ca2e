"""Under which launch shapes a kernel is to be judged: as it is launched, else as its code suggests."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.elsewhere import Elsewhere, launches_elsewhere
from cudalint.lint.analysis.host import HostProgram, host_program
from cudalint.lint.analysis.hosteffects import LaunchCall
from cudalint.lint.analysis.hostvalues import (
    AtomKind,
    Pointer,
    Record,
    Value,
    atoms,
    first_seen,
    integer,
    number,
    scenarios,
    substituted,
)
from cudalint.lint.analysis.trace import ArgValue, LaunchShape, ShapeSource
from cudalint.lint.analysis.unit import Options
from cudalint.lint.model.expressions import Binary, Builtin, Call, Const, Expr, Index, Storage, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.types import ArrayType, IntType
from cudalint.lint.model.walk import Node, uncast, walk

MAX_SHAPES = 4
"""Shapes judged per kernel: most have one or two, benchmarks that sweep block sizes have many."""
MAX_THREADS = 1024
"""Threads per block that any device allows."""

Block = tuple[int, int, int]
AXES = ("x", "y", "z")


def launch_shapes(
    program: TranslationUnit, kernel: Function, options: Options, elsewhere: Elsewhere | None = None
) -> tuple[LaunchShape, ...]:
    """The distinct ways in which a kernel is launched, most certain first, at most `MAX_SHAPES`.

    Where the unit does not launch it, the launches of other files count whose block is known. Without a launch whose
    block is known: the launch bounds, the extents of shared arrays indexed by threadIdx, constants in
    `blockIdx.x * 256 + threadIdx.x`, else 256 threads, or (32, 8) and (16, 16) where the kernel is two-dimensional.
    `options.block` and `options.grid` override everything.
    """
    host = host_program(program, options.argv)
    found = [
        shape
        for call in host.launches
        if call.launch.key == kernel.key
        for shape in _launched(host, call, kernel, program)
    ]
    if not found and elsewhere is not None:
        found = [
            shape
            for other, call in launches_elsewhere(program, kernel, elsewhere, options.argv)
            for shape in _launched(host_program(other, options.argv), call, kernel, program)
            if shape.block_known
        ]
    if options.block is not None or options.grid is not None:
        return (_overridden(found, kernel, program, options),)
    if not found:
        found = [LaunchShape(b, (None, None, None), s, block_known=k) for b, s, k in guesses(program, kernel)]
    return _distinct(found)


def _overridden(
    found: list[LaunchShape], kernel: Function, program: TranslationUnit, options: Options
) -> LaunchShape:
    base = found[0] if found else None
    block = options.block or (base.block if base else guesses(program, kernel)[0][0])
    grid = options.grid or (base.grid if base else (None, None, None))
    args = base.args if base else ()
    shared, site = (base.shared_bytes, base.site) if base else (None, None)
    known = options.block is not None or (base is not None and base.block_known)
    return LaunchShape(block, grid, ShapeSource.OPTION, args, shared, site, known)


def _distinct(shapes: list[LaunchShape]) -> tuple[LaunchShape, ...]:
    """Without repetitions: known blocks first, a shape of each block before second ones of any."""
    unique: dict[object, LaunchShape] = {}
    for shape in sorted(shapes, key=lambda shape: not shape.block_known):  # a guess may equal what is known
        unique.setdefault((shape.block, shape.grid, shape.shared_bytes, _pattern(shape.args)), shape)
    seen: dict[Block, int] = {}
    ranked = []
    for position, shape in enumerate(unique.values()):
        rank = seen[shape.block] = seen.get(shape.block, -1) + 1
        ranked.append(((not shape.block_known, rank, position), shape))
    ranked.sort(key=lambda item: item[0])
    return tuple(shape for _, shape in ranked[:MAX_SHAPES])


def _pattern(args: tuple[ArgValue, ...]) -> tuple[object, ...]:
    """Arguments up to the names of buffers: which of them are the same one matters, not which it is.

    Numbers count where an address can rest on them: a launch that differs in a `float` is no other launch.
    """
    order: dict[str, int] = {}
    return tuple(
        (
            a.number if isinstance(a.number, int) else None,
            None if a.object is None else order.setdefault(a.object, len(order)),
            a.offset_bytes,
            a.elements,
        )
        for a in args
    )


# -- launches in the unit --------------------------------------------------------------------------


def _launched(
    host: HostProgram, call: LaunchCall, kernel: Function, program: TranslationUnit
) -> Iterator[LaunchShape]:
    """The shapes of one launch as interpreted: one per side of the conditions that its shape turns on."""
    values = host.values
    together = (*call.block, *call.grid, call.shared)
    for known in scenarios(together, values, cap=8, beside=call.args):
        numbers = [integer(substituted(v, values, known)) for v in together]
        args = tuple(
            _argument(substituted(v, values, known), host, p.type.size == 0 or isinstance(p.type, IntType))
            for v, p in zip(call.args, kernel.params, strict=False)
        )
        grid = (_extent(numbers[3]), _extent(numbers[4]), _extent(numbers[5]))
        shared = numbers[6] if numbers[6] is not None and numbers[6] >= 0 else None
        for block, known_block in _blocks(numbers[:3], kernel, program):
            source = ShapeSource.LAUNCH if known_block else ShapeSource.ASSUMED
            yield LaunchShape(block, grid, source, args, shared, call.span, known_block)


def _extent(value: int | None) -> int | None:
    return value if value is not None and 0 < value < 2**31 else None


def _blocks(numbers: list[int | None], kernel: Function, program: TranslationUnit) -> Iterator[tuple[Block, bool]]:
    """A launch's block; dimensions that are not known are filled in from what the kernel suggests."""
    x, y, z = numbers
    if x is not None and y is not None and z is not None:
        if min(x, y, z) > 0 and x * y * z <= MAX_THREADS:
            yield (x, y, z), True
        return
    for guess, _source, _known in guesses(program, kernel):
        filled = [g if n is None else n for n, g in zip(numbers, guess, strict=True)]
        while filled[0] * filled[1] * filled[2] > MAX_THREADS:
            unknown = [i for i, n in enumerate(numbers) if n is None and filled[i] > 1]
            if not unknown:
                return
            filled[unknown[-1]] //= 2
        if min(filled) > 0:
            yield (filled[0], filled[1], filled[2]), False


def _argument(value: Value, host: HostProgram, integral: bool) -> ArgValue:
    """What a kernel gets for a parameter. A number that a loop changes is not known."""
    if isinstance(value, Record):
        fields = (
            (".".join(map(str, path)), number(v)) for path, v in value.fields if not str(path[-1]).startswith("#")
        )
        return ArgValue(elements=tuple((name, n) for name, n in fields if n is not None))
    known = number(value)
    if known is not None:
        return ArgValue(number=int(known) if integral else known)
    if any(a.kind is AtomKind.LOOP and not isinstance(a.first, Pointer) for a in atoms(value)):
        moving = isinstance(value, Pointer)
        return ArgValue(object=_name(value)) if moving and isinstance(value, Pointer) else ArgValue()
    first = first_seen(value, host.values)
    if not isinstance(first, Pointer):
        return ArgValue()
    size = integer(first.object.bytes)
    return ArgValue(object=_name(first), offset_bytes=integer(first.offset), bytes=size)


def _name(pointer: Pointer) -> str:
    path = "".join(f".{step}" for step in pointer.path)
    return f"{pointer.object.name or 'buffer'}#{pointer.object.id}{path}"


# -- what the kernel's own code suggests -----------------------------------------------------------


def guesses(program: TranslationUnit, kernel: Function) -> list[tuple[Block, ShapeSource, bool]]:
    """Blocks that fit a kernel whose launch is not seen: block, reason, and whether it can be relied on."""
    nodes = list(device_nodes(program, kernel))
    axes = {n.axis for n in nodes if isinstance(n, Builtin) and n.name == "threadIdx"}
    flat = not axes & {"y", "z"}
    bound = kernel.launch_bounds[0] if kernel.launch_bounds else None
    if bound and 0 < bound <= MAX_THREADS and flat:
        return [((bound, 1, 1), ShapeSource.LAUNCH_BOUNDS, True)]
    suggested = _from_shared(nodes)
    if suggested is not None and _fits(suggested, axes):
        return [(suggested, ShapeSource.SHARED_EXTENT, True)]
    strides = _from_strides(nodes)
    if strides is not None and _fits(strides, axes):
        return [(strides, ShapeSource.ASSUMED, False)]
    if bound and 32 <= bound <= MAX_THREADS:
        return [((32, bound // 32, 1), ShapeSource.LAUNCH_BOUNDS, False)]
    if "z" in axes:
        return [((8, 8, 4), ShapeSource.ASSUMED, False)]
    if flat:
        return [((256, 1, 1), ShapeSource.ASSUMED, False)]
    return [((32, 8, 1), ShapeSource.ASSUMED, False), ((16, 16, 1), ShapeSource.ASSUMED, False)]


def _fits(block: Block, axes: set[str]) -> bool:
    threads = block[0] * block[1] * block[2]
    used = all(block[i] == 1 or axis in axes or axis == "x" for i, axis in enumerate(AXES))
    given = all(block[i] > 1 or axis not in axes for i, axis in enumerate(AXES))
    return used and given and 32 <= threads <= MAX_THREADS


def device_nodes(program: TranslationUnit, kernel: Function) -> Iterator[Node]:
    """Everything in a kernel and in the device functions that it calls."""
    waiting, seen = [kernel], {kernel.key}
    while waiting:
        function = waiting.pop()
        if function.body is None:
            continue
        for node in walk(function.body):
            yield node
            callee = program.functions.get(node.key) if isinstance(node, Call) and node.key else None
            if callee is not None and callee.key not in seen:
                seen.add(callee.key)
                waiting.append(callee)


def thread_axis(expr: Expr, names: dict[str, str]) -> str | None:
    """The axis of an expression that is exactly threadIdx.x, y or z, directly or through a variable."""
    expr = uncast(expr)
    if isinstance(expr, Builtin) and expr.name == "threadIdx":
        return expr.axis or None
    return names.get(expr.symbol.key) if isinstance(expr, Var) else None


def thread_names(nodes: list[Node]) -> dict[str, str]:
    """The variables that are exactly a thread coordinate, by key, with its axis."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, Decl) and node.init is not None:
            axis = thread_axis(node.init, {})
            if axis is not None:
                names[node.symbol.key] = axis
    return names


def _from_shared(nodes: list[Node]) -> Block | None:
    """Extents of shared arrays whose index is exactly a thread index: `tile[ty][tx]` of `tile[8][33]`: (32, 8)."""
    names = thread_names(nodes)
    extents: dict[str, int] = {}
    for node in nodes:
        if not isinstance(node, Index) or not isinstance(node.base.type, ArrayType):
            continue
        axis, count = thread_axis(node.index, names), node.base.type.count
        if axis is None or count is None or not _is_shared(node.base):
            continue
        if (count > 32 and count % 32 == 1) or count in {17, 9}:
            count -= 1
        extents[axis] = min(extents.get(axis, count), count)
    if not extents or any(n & (n - 1) and n % 32 for n in extents.values()):
        return None
    return extents.get("x", 1), extents.get("y", 1), extents.get("z", 1)


def _is_shared(expr: Expr) -> bool:
    while isinstance(expr, Index):
        expr = expr.base
    return isinstance(expr, Var) and expr.symbol.storage is Storage.SHARED


def _from_strides(nodes: list[Node]) -> Block | None:
    """Constants that stand for blockDim in `blockIdx.x * 256 + threadIdx.x`."""
    names = thread_names(nodes)
    found: dict[str, int] = {}
    for node in nodes:
        if not isinstance(node, Binary) or node.op != "+":
            continue
        for one, other in ((node.left, node.right), (node.right, node.left)):
            axis, product = thread_axis(one, names), uncast(other)
            if axis is None or not isinstance(product, Binary) or product.op != "*":
                continue
            factors = [uncast(product.left), uncast(product.right)]
            block = [f for f in factors if isinstance(f, Builtin) and f.name == "blockIdx" and f.axis == axis]
            constants = [f.value for f in factors if isinstance(f, Const) and type(f.value) is int]
            if block and constants:
                found[axis] = min(found.get(axis, constants[0]), constants[0])
    if not found:
        return None
    return found.get("x", 1), found.get("y", 1), found.get("z", 1)
