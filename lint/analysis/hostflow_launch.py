"""Launch configurations judged against the device's limits and against what the kernel does with its indices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hosteffects import LaunchCall
from cudalint.lint.analysis.hostflow import HostFlow, Visit, host_flow
from cudalint.lint.analysis.hostflow_buffers import factors
from cudalint.lint.analysis.hostvalues import (
    Atom,
    Memory,
    Pointer,
    Term,
    Value,
    atoms,
    conditions,
    first_seen,
    integer,
    number,
    parts,
    scenarios,
    substituted,
)
from cudalint.lint.analysis.kernel_index import Bound, KernelIndex
from cudalint.lint.analysis.launch import device_nodes
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Call, Deref, Index
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span

WARP = 32
MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
"""Limits of every compute capability that current toolkits build for."""
AXES = ("x", "y", "z")


class LaunchFlow:
    """The launches of a unit with what is known of their kernels' indices; made once per unit."""

    def __init__(self, flow: HostFlow) -> None:
        self.flow = flow
        self._indices: dict[str, KernelIndex] = {}

    def index(self, kernel: Function) -> KernelIndex:
        """The index facts of a kernel."""
        if kernel.key not in self._indices:
            self._indices[kernel.key] = KernelIndex(self.flow.program, kernel)
        return self._indices[kernel.key]

    def launches(self) -> Iterator[tuple[Visit, LaunchCall, Function | None]]:
        """Every launch with its kernel, where the unit has its body."""
        for visit, launch in self.flow.launches():
            kernel = self.flow.kernel(launch)
            yield visit, launch, kernel if kernel is not None and kernel.body is not None else None

    def shapes(self, launch: LaunchCall) -> list[tuple[list[int | None], list[int | None]]]:
        """The (block, grid) pairs that a launch can have, unknown extents None."""
        together = (*launch.block, *launch.grid)
        values = self.flow.host.values
        found = []
        for known in scenarios(together, values, cap=8):
            numbers = [integer(substituted(v, values, known)) for v in together]
            found.append((numbers[:3], numbers[3:]))
        return found

    def argument(self, launch: LaunchCall, kernel: Function, key: str) -> Value | None:
        """What a launch passes for a parameter."""
        for param, value in zip(kernel.params, launch.args, strict=False):
            if param.key == key:
                return first_seen(value, self.flow.host.values)
        return None


def launch_flow(unit: Unit) -> LaunchFlow:
    """The launches of a unit, for `Unit.once`."""
    return LaunchFlow(unit.once(host_flow))


# -- limits ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaunchFault:
    """What is wrong with a launch, in words, with the figures.

    For grids: the axis at fault, and the guard of the kernel that tells what the grid is to cover.
    """

    launch: LaunchCall
    message: str
    help: str
    evidence: dict[str, object]
    axis: str = ""
    bound: Bound | None = None
    rounded_down: bool = False


def partial_warps(flow: LaunchFlow) -> Iterator[tuple[LaunchFault, float]]:
    """Known blocks that leave lanes of a warp idle in a launch of many blocks, with the idle share."""
    for launch in _once(flow):
        shares = [_idle(block, grid) for block, grid in flow.shapes(launch)]
        if not shares or any(s is None for s in shares) or _works_in_groups(flow, launch):
            continue
        block = flow.shapes(launch)[0][0]
        threads = _product(block)
        share = shares[0]
        assert threads is not None and share is not None
        warps = -(-threads // WARP)
        idle = warps * WARP - threads
        word = "thread" if threads == 1 else "threads"
        yield (
            LaunchFault(
                launch,
                f"a block has {threads} {word}: {idle} of {warps * WARP} lanes of its {warps} warp"
                f"{'s' if warps > 1 else ''} idle",
                f"use a multiple of {WARP} threads per block, 128 or 256 to start with",
                {"block": block, "threads": threads, "idle_lanes": idle},
            ),
            share,
        )


def _works_in_groups(flow: LaunchFlow, launch: LaunchCall) -> bool:
    """Whether the kernel exchanges values inside a warp: then a narrow block is a group of chosen width."""
    kernel = flow.flow.kernel(launch)
    nodes = device_nodes(flow.flow.program, kernel) if kernel is not None else ()
    return any(isinstance(n, Call) and n.name.startswith(("__shfl", "shfl", "__reduce_")) for n in nodes)


def _idle(block: list[int | None], grid: list[int | None]) -> float | None:
    """The share of lanes that idle, where it matters: at least a tenth, in more than a few blocks."""
    threads, blocks = _product(block), _product(grid)
    if threads is None or threads <= 0 or threads % WARP == 0:
        return None
    few = blocks is not None and blocks < (WARP if threads < WARP else 2)
    share = 1 - threads / (-(-threads // WARP) * WARP)
    return None if few or share < 0.1 else share


def _product(extents: list[int | None]) -> int | None:
    product = 1
    for extent in extents:
        if extent is None:
            return None
        product *= extent
    return product


def _once(flow: LaunchFlow) -> Iterator[LaunchCall]:
    """Launches, the first run of each place."""
    seen: set[Span] = set()
    for _visit, launch, _kernel in flow.launches():
        if launch.span not in seen:
            seen.add(launch.span)
            yield launch


def over_limits(flow: LaunchFlow) -> Iterator[LaunchFault]:
    """Launches that the device rejects: too many threads, too large an extent, more than the kernel's bounds."""
    seen: set[Span] = set()
    for _visit, launch, kernel in flow.launches():
        if launch.span in seen:
            continue
        fault = _swapped(launch)
        if not any(conditions(v) for v in (*launch.block, *launch.grid)):
            for block, grid in flow.shapes(launch):
                fault = fault or _over(launch, kernel, block, grid)
        if fault is not None:
            seen.add(launch.span)
            yield fault


def _over(
    launch: LaunchCall, kernel: Function | None, block: list[int | None], grid: list[int | None]
) -> LaunchFault | None:
    threads = _product(block)
    bound = kernel.launch_bounds[0] if kernel is not None and kernel.launch_bounds else None
    if threads is not None and threads > MAX_THREADS:
        what = f"a block of {' x '.join(map(str, block))} has {threads} threads; the limit is {MAX_THREADS}"
        return LaunchFault(launch, what, "use a smaller block", {"block": block, "limit": MAX_THREADS})
    if threads is not None and bound and threads > bound:
        what = f"a block of {threads} threads, but `__launch_bounds__` of the kernel allows {bound}"
        return LaunchFault(launch, what, "launch no more, or raise the bound", {"block": block, "limit": bound})
    for name, extents, limits in (("blockDim", block, MAX_BLOCK), ("gridDim", grid, MAX_GRID)):
        for axis, extent, limit in zip(AXES, extents, limits, strict=True):
            if extent is not None and extent > limit:
                what = f"`{name}.{axis}` is {extent}; the limit is {limit}"
                return LaunchFault(launch, what, f"spread the work over another axis than {axis}", {"limit": limit})
    return None


def _swapped(launch: LaunchCall) -> LaunchFault | None:
    """A block that grows with the data beside a fixed grid: the two are the wrong way round."""
    block, grid = launch.block[0], integer(launch.grid[0])
    if grid is None or not (WARP <= grid <= MAX_THREADS) or any(integer(g) != 1 for g in launch.grid[1:]):
        return None
    divided = ceil_division(block)
    if divided is None or divided[1] != grid:
        return None
    return LaunchFault(
        launch,
        f"the block is a rounded-up quotient by {grid} and the grid is {grid}: grid and block are swapped, and the "
        f"launch fails from {MAX_THREADS * grid + 1} elements on",
        "swap the first two launch arguments",
        {"grid": grid},
    )


# -- quotients ---------------------------------------------------------------------------------------


def ceil_division(value: Value) -> tuple[Value, Value] | None:
    """Dividend and divisor of a quotient that is rounded up, or one more than rounded down."""
    value = _uncast(value)
    if not isinstance(value, Term):
        return None
    if value.op == "+" and isinstance(value.args[0], Term) and value.args[0].op == "/":
        dividend, divisor = value.args[0].args
        if value.args[1] == 1 or _is_remainder(value.args[1], dividend, divisor):
            return _uncast(dividend), divisor
    if value.op == "ceil":
        inner = _uncast(value.args[0])
        if isinstance(inner, Term) and inner.op == "fdiv":
            divisor = inner.args[1]
            return _uncast(inner.args[0]), int(divisor) if isinstance(divisor, float) else _uncast(divisor)
    if value.op == "/":
        dividend, divisor = value.args
        base = _less(dividend, divisor)
        if base is not None:
            return base, divisor
    return None


def _is_remainder(value: Value, dividend: Value, divisor: Value) -> bool:
    """Whether a value is one where a division leaves a remainder, else zero: `n % b != 0`, or with `? 1 : 0`."""
    value = _uncast(value)
    if isinstance(value, Term) and value.op == "ite" and value.args[1:] == (1, 0):
        value = value.args[0]
    if not isinstance(value, Term) or value.op not in {"!=", ">"} or value.args[1] != 0:
        return False
    rest = _uncast(value.args[0])
    return isinstance(rest, Term) and rest.op == "%" and rest.args == (dividend, divisor)


def _uncast(value: Value) -> Value:
    while isinstance(value, Term) and value.op in {"int", "float"}:
        value = value.args[0]
    return value


def _less(value: Value, divisor: Value) -> Value | None:
    """`x` of `x + (divisor - 1)`, however it is written."""
    constant, rest = _split(value)
    if isinstance(divisor, int):
        return rest[0] if constant == divisor - 1 and len(rest) == 1 and divisor > 1 else None
    if constant == -1 and divisor in rest:
        others = [r for r in rest if r != divisor]
        return others[0] if len(others) == 1 else None
    return None


def _split(value: Value) -> tuple[int, list[Value]]:
    """A sum as its constant and its other parts."""
    value = _uncast(value)
    if isinstance(value, int):
        return value, []
    if isinstance(value, Term) and value.op == "+":
        left, right = _split(value.args[0]), _split(value.args[1])
        return left[0] + right[0], left[1] + right[1]
    if isinstance(value, Term) and value.op == "-" and isinstance(value.args[1], int):
        left = _split(value.args[0])
        return left[0] - value.args[1], left[1]
    return 0, [value]


def multiple_of(value: Value, divisor: Value, launch: LaunchCall) -> bool:
    """Whether a value is known to be a multiple of a divisor, by its form or by a condition on the way."""
    value = _uncast(value)
    if any(
        isinstance(p, Term) and p.op in {"%", "&"} and (p.args[0] == value or divisor in p.args)
        for fact, _ in launch.facts
        for p in parts(fact)
    ):
        return True
    if isinstance(value, int) and isinstance(divisor, int):
        return divisor != 0 and value % divisor == 0
    constant, others = factors(value)
    if isinstance(divisor, int):
        return divisor != 0 and constant % divisor == 0
    return any(other == divisor for other, _ in others)


# -- against the kernel ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A launch whose kernel works on `index < parameter`, with the axis and what is passed for the parameter."""

    launch: LaunchCall
    kernel: Function
    bound: Bound
    count: Value
    grid: Value
    block: Value


def _guarded_launches(flow: LaunchFlow) -> Iterator[_Guarded]:
    for _visit, launch, kernel in flow.launches():
        if kernel is None:
            continue
        index = flow.index(kernel)
        if index.strides_over_grid:
            continue
        for bound in index.bounds():
            proper = bound.op in {">=", ">"} if bound.leaves else bound.op in {"<", "<="}
            count = flow.argument(launch, kernel, bound.parameter.key)
            at = AXES.index(bound.axis)
            if proper and count is not None:
                values = flow.flow.host.values
                grid, block = (first_seen(v, values) for v in (launch.grid[at], launch.block[at]))
                yield _Guarded(launch, kernel, bound, _uncast(count), _uncast(grid), _uncast(block))


def truncated_grids(flow: LaunchFlow) -> Iterator[LaunchFault]:
    """Grids of a quotient that is rounded down, for a kernel that guards against the very dividend."""
    seen: set[Span] = set()
    for one in _guarded_launches(flow):
        if one.launch.span in seen:
            continue
        fault = _truncated(one)
        if fault is not None:
            seen.add(one.launch.span)
            yield fault


def _truncated(one: _Guarded) -> LaunchFault | None:
    count, grid, block = number(one.count), integer(one.grid), integer(one.block)
    name = one.bound.parameter.name
    if count is not None and grid is not None and block is not None:
        if 0 < grid * block < count and grid == int(count) // block:
            return LaunchFault(
                one.launch,
                f"{grid} blocks of {block} threads are {grid * block}, but the kernel's `{name}` is {count}: the "
                f"last {int(count) - grid * block} elements are left out",
                f"round up: `({name} + {block - 1}) / {block}`",
                {"grid": grid, "block": block, "elements": int(count)},
                one.bound.axis,
                one.bound,
                rounded_down=True,
            )
        return None
    term = one.grid
    if not isinstance(term, Term) or term.op != "/" or _uncast(term.args[1]) != one.block:
        return None
    dividend = _uncast(term.args[0])
    if dividend != one.count or one.block == 1 or multiple_of(dividend, one.block, one.launch):
        return None
    divisor = f"{one.block}" if isinstance(one.block, int) else "blockDim"
    return LaunchFault(
        one.launch,
        f"the grid is `{name}` / {divisor} rounded down: the last `{name}` % {divisor} elements are left out, and "
        f"fewer than {divisor} elements make an empty grid",
        f"round up: `({name} + {divisor} - 1) / {divisor}`",
        {"axis": one.bound.axis},
        one.bound.axis,
        one.bound,
        rounded_down=True,
    )


def empty_grids(flow: LaunchFlow) -> Iterator[LaunchFault]:
    """Grids rounded up from the size of a container that callers pass, and that nothing compares with zero."""
    seen: set[Value] = set()
    for launch in _once(flow):
        divided = ceil_division(launch.grid[0])
        size = None if divided is None else _uncast(divided[0])
        if not isinstance(size, Atom) or size.memory is not Memory.UNKNOWN or not size.name.endswith(".#size"):
            continue
        name = size.name.removesuffix(".#size")
        if "." in name or size in seen or any(size in set(atoms(fact)) for fact, _ in launch.facts):
            continue
        seen.add(size)
        yield LaunchFault(
            launch,
            f"the grid is empty when `{name}` is: the launch is then rejected as an invalid configuration",
            "return early when there is nothing to do",
            {"container": name},
        )


def thread_counted_grids(flow: LaunchFlow) -> Iterator[LaunchFault]:
    """Grids that hold as many blocks as there should be threads."""
    seen: set[Span] = set()
    for _visit, launch, _kernel in flow.launches():
        fault = None if launch.span in seen else _rounded_to_threads(launch)
        if fault is not None:
            seen.add(launch.span)
            yield fault
    for one in _guarded_launches(flow):
        block = integer(one.block)
        grid, count = integer(one.grid), integer(one.count)
        same = one.grid == one.count and (grid is None or grid > MAX_THREADS)
        if one.launch.span in seen or not same or block is None or block <= 1:
            continue
        seen.add(one.launch.span)
        name, blocks = one.bound.parameter.name, grid if grid is not None else f"`{one.bound.parameter.name}`"
        yield LaunchFault(
            one.launch,
            f"the grid has {blocks} blocks of {block} threads for `{name}` elements: it is counted in threads",
            f"divide by the block: `({name} + {block - 1}) / {block}`",
            {"block": block, "elements": count},
            one.bound.axis,
            one.bound,
        )


def _rounded_to_threads(launch: LaunchCall) -> LaunchFault | None:
    for axis, grid, block in zip(AXES, launch.grid, launch.block, strict=True):
        grid, block = _uncast(grid), _uncast(block)
        if not isinstance(grid, Term) or grid.op != "*" or block == 1:
            continue
        for quotient, factor in (grid.args, grid.args[::-1]):
            divided = ceil_division(quotient)
            if divided is not None and _uncast(factor) == block and divided[1] == block:
                return LaunchFault(
                    launch,
                    f"`gridDim.{axis}` is a number of blocks times the block size: it is counted in threads",
                    "leave out the multiplication: the grid is counted in blocks",
                    {"axis": axis},
                    axis,
                )
    return None


@dataclass(frozen=True, slots=True)
class Unguarded:
    """An access that threads past the end make: no guard on its axis, or one that is off by one."""

    access: Index | Deref
    kernel: Function
    launch: LaunchCall
    axis: str
    bound: Bound | None


def unguarded_accesses(flow: LaunchFlow) -> Iterator[Unguarded]:
    """Kernels launched with a rounded-up grid whose threads past the end access memory all the same."""
    seen: set[tuple[str, str]] = set()
    for _visit, launch, kernel in flow.launches():
        if kernel is None or not flow.index(kernel).readable or flow.index(kernel).strides_over_grid:
            continue
        for axis, grid, block in zip(AXES, launch.grid, launch.block, strict=True):
            if (kernel.pattern, axis) in seen:
                continue
            found = _unguarded(flow, launch, kernel, axis, _uncast(grid), _uncast(block))
            if found is not None:
                seen.add((kernel.pattern, axis))
                yield found


def _unguarded(
    flow: LaunchFlow, launch: LaunchCall, kernel: Function, axis: str, grid: Value, block: Value
) -> Unguarded | None:
    divided = ceil_division(grid)
    if divided is None or _uncast(divided[1]) != block or multiple_of(divided[0], block, launch):
        return None
    if isinstance(_uncast(divided[0]), (int, float)):
        return None  # a constant extent over an unknown block: whoever chose the constant may know it divides
    index = flow.index(kernel)
    bound = None
    if index.guarded(axis):
        bound = _off_by_one(flow, index, launch, kernel, axis, _uncast(divided[0]))
        if bound is None:
            return None
    for access in index.accesses(axis):
        if bound is not None and not (isinstance(access, Index) and index.global_axis(access.index) == axis):
            continue
        param = index.parameter_of(access)
        buffer = flow.argument(launch, kernel, param.key) if param is not None else None
        if _padded(buffer, grid, bound is not None):
            continue
        return Unguarded(access, kernel, launch, axis, bound)
    return None


def _off_by_one(
    flow: LaunchFlow, index: KernelIndex, launch: LaunchCall, kernel: Function, axis: str, count: Value
) -> Bound | None:
    """`if (i > n) return;` or `if (i <= n)`, the only guard on the axis, where the grid was made for n elements."""
    bounds = [b for b in index.bounds() if b.axis == axis]
    if len(bounds) != 1 or bounds[0].op != (">" if bounds[0].leaves else "<="):
        return None
    passed = flow.argument(launch, kernel, bounds[0].parameter.key)
    deciding = [d for d in index.decisions() if index.rests_on(d, axis)]
    alone = all(d == bounds[0].node for d in deciding)
    return bounds[0] if alone and passed is not None and _uncast(passed) == count else None


def _padded(buffer: Value | None, grid: Value, exact: bool) -> bool:
    """Whether a buffer is known to be larger than its elements: made for the grid, or for one more."""
    if not isinstance(buffer, Pointer) or buffer.object.bytes is None:
        return False
    size = buffer.object.bytes
    if any(p == grid for p in parts(size)):
        return True
    return exact and any(isinstance(p, Term) and p.op == "+" for p in parts(size))
