"""From a finding to a job: which launch, which arguments, which buffers.

Sizes come from the host code (with the program's command line assumed where it is known), then from the user's
`verify` comment or table; buffer sizes that neither tells are what the executed kernel touches. What is still
missing makes the finding not verifiable, with the line to add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from cudalint.lint.analysis.trace import AccessKind, ArgValue, LaunchShape, Space, Taint, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Storage, Symbol, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type
from cudalint.lint.model.walk import walk
from cudalint.verify.calls import handles, without_lanes
from cudalint.verify.doubts import doubts, misfits
from cudalint.verify.draws import Contents, Draw, draws
from cudalint.verify.job import Argument
from cudalint.verify.spec import Spec
from cudalint.verify.values import NotVerifiableError, argument_bytes, number_in
from cudalint.verify.verdict import ALL_LANES, ASSUMED

__all__ = [
    "MADE_UP_BUFFER",
    "NotVerifiableError",
    "Plan",
    "launch_misfits",
    "plan_doubts",
    "plan_launch",
    "uses_dynamic_shared",
]

MAX_BUFFER = 1 << 33
"""8 GiB: a larger buffer is far from what a timing needs."""

MAX_LANES = 16 * 1024
"""Threads of all blocks on which the extent of buffers is looked for."""

MADE_UP_BUFFER = 1 << 24
"""Bytes of a buffer of which neither the host code nor the kernel shows the size."""

SMALL = 17
"""Bound of the integers in constant memory: numbers of steps, neighbours and the like, that are seldom 0."""

MAX_PLACED = 1 << 31
"""Bytes of a buffer, at most, that is enlarged so that each thread can store one more record to it."""


LAST = 6
"""Blocks that are looked at where an integer argument may end the work."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `described` has one phrase per argument, for the report; `moved` the bytes in buffers.

    `shape` is the launch as the model sees it, for looking at it once more.
    """

    kernel: Function
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    args: tuple[Argument, ...]
    described: tuple[str, ...]
    moved: int
    shape: LaunchShape | None = None

    @property
    def launch(self) -> str:
        """The launch as text."""
        return f"<<<({', '.join(map(str, self.grid))}), ({', '.join(map(str, self.block))}), {self.shared}>>>"


def plan_launch(
    unit: Unit,
    kernel: Function,
    spec: Spec | None,
    block: tuple[int, ...] | None = None,
    assumed: tuple[str, ...] = (),
    *,
    records: int | None = None,
    careful: bool = False,
) -> Plan:
    """The launch of a kernel with all its arguments. `block` prefers the launch with that block shape.

    `assumed` says in words what of `spec` was made up; buffers whose size is not known then are, too, and integers
    in records become `records`. `careful` draws integers that hardly any kernel can trip over, and makes buffers of
    unknown size generous.

    Raises:
        NotVerifiableError: something is missing; the message says what to add.
    """
    shape = _shape(unit, kernel, spec, block, records)
    if handle := handles(kernel):
        raise NotVerifiableError(f"{handle[0]} is a texture or surface object: it cannot be made up")
    trace = _trace(unit, kernel, shape, {})
    made = _Arguments(kernel, shape, spec, _touched(trace), records=records, made_up=bool(assumed), careful=careful)
    args = made.all()
    if careful:
        drawn = dict.fromkeys((p.key for p in kernel.params), Draw(2))
    else:
        sizes = {p.key: a.nbytes for p, a in zip(kernel.params, args, strict=False) if a.kind == "buffer"}
        drawn = draws(kernel.params, trace, lambda contents: _trace(unit, kernel, shape, contents), sizes)
    args = [_drawn(p, a, drawn) for p, a in zip(kernel.params, args, strict=False)]
    described = [_describe(p, a) for p, a in zip(kernel.params, args, strict=True)]
    moved = sum(a.nbytes for a in args if a.kind == "buffer" and a.alias is None)
    constants = _constants(unit, trace)
    described += [f"{a.data}: {a.nbytes} bytes, {_filled(a)}" for a in constants]
    described += [ASSUMED + words for words in assumed]
    described += [f"{ASSUMED}{ALL_LANES} ({name})" for name in without_lanes(unit.program, kernel)]
    x, y, z = _known_grid(kernel, shape)
    shared = shape.shared_bytes or 0
    given = (*args, *made.hidden, *constants)
    return Plan(kernel, (x, y, z), shape.block, shared, given, tuple(described), moved, shape)


def launch_misfits(unit: Unit, kernel: Function, spec: Spec | None, records: int | None = None) -> tuple[str, ...]:
    """What other sizes may cure in a launch whose results may vary whatever the kernel's code.

    Raises:
        NotVerifiableError: the launch is not known, as in `plan_launch`.
    """
    shape = _shape(unit, kernel, spec, None, records)
    return misfits(_trace(unit, kernel, shape, {}, where=_apart(shape)))


def plan_doubts(unit: Unit, plan: Plan) -> tuple[str, ...]:
    """What in a planned launch lets results vary whatever the kernel's code."""
    if plan.shape is None:
        return ()
    return doubts(_trace(unit, plan.kernel, plan.shape, {}, where=_apart(plan.shape)))


def _shape(
    unit: Unit, kernel: Function, spec: Spec | None, block: tuple[int, ...] | None, records: int | None
) -> LaunchShape:
    """The launch with nothing left open, and with the made-up members of records, which the model has to see."""
    shape = _choose(unit, kernel, spec, block)
    shape = replace(shape, grid=_known_grid(kernel, shape), shared_bytes=_shared_bytes(kernel, shape, spec))
    if records is None:
        return shape
    args = list(shape.args) + [ArgValue()] * (len(kernel.params) - len(shape.args))
    for index, param in enumerate(kernel.params):
        if isinstance(param.type, RecordType):
            given = argument_bytes(param, args[index], lambda what: _hint(kernel, what), records)
            args[index] = replace(args[index], elements=tuple(given.numbers.items()))
    return replace(shape, args=tuple(args))


def _apart(shape: LaunchShape) -> list[tuple[int, int, int]]:
    """Blocks that may meet in memory: along each axis, along the diagonal, and where integer arguments end.

    Such a number may count bytes, so that rows of wider elements end at a half of it, or a quarter; and not all
    threads of a block may take part, so that the last one is a few blocks further on.
    """
    ends = [(n or 1) - 1 for n in shape.grid]
    most = max(4, MAX_LANES // shape.threads)
    steps = [1 << k for k in range(max(ends).bit_length())]
    found = {(0, 0, 0): None}
    for argument in shape.args:
        if isinstance(argument.number, int) and argument.number > 0:
            for axis, (end, size) in enumerate(zip(ends, shape.block, strict=True)):
                last = (argument.number - 1) // size
                for at in (*range(last, last + LAST), *((argument.number >> k) // size for k in range(1, 5))):
                    found[_along(axis, min(end, at))] = None
    for step in steps:
        for axis in range(3):
            found[_along(axis, min(step, ends[axis]))] = None
        found[min(step, ends[0]), min(step, ends[1]), min(step, ends[2])] = None
    return list(found)[: 2 * most]


def _along(axis: int, at: int) -> tuple[int, int, int]:
    return (at if axis == 0 else 0, at if axis == 1 else 0, at if axis == 2 else 0)


def _constants(unit: Unit, trace: Trace) -> list[Argument]:
    """Constant memory and device variables that the kernel only reads and that nothing in the source initialises."""
    plain = {g.symbol.key for g in unit.program.globals if g.init is None}
    kinds: dict[str, set[AccessKind]] = {}
    found = {}
    for access in trace.accesses(Space.GLOBAL, Space.CONSTANT):
        symbol = access.object.symbol
        if symbol is not None and symbol.storage in (Storage.CONSTANT, Storage.DEVICE) and symbol.key in plain:
            kinds.setdefault(symbol.key, set()).add(access.kind)
            found[symbol.key] = symbol
    made = []
    for key, symbol in found.items():
        kind = _dtype(symbol.type)
        if kinds[key] == {AccessKind.LOAD} and symbol.type.size and kind != "uint8":
            made.append(
                Argument(
                    "symbol", data=symbol.name, nbytes=symbol.type.size, dtype=kind, role="in", low=1, high=SMALL
                )
            )
    return made


def _drawn(param: Symbol, made: Argument, drawn: Mapping[str, Draw]) -> Argument:
    """A buffer with the integers that the kernel can take."""
    draw = drawn.get(param.key)
    if made.kind != "buffer" or draw is None or made.fill == "zeros" or "int" not in made.dtype:
        return made
    return replace(made, high=draw.high, fill="rows" if draw.rows else "")


def _choose(unit: Unit, kernel: Function, spec: Spec | None, block: tuple[int, ...] | None) -> LaunchShape:
    shapes = sorted(unit.shapes(kernel), key=lambda s: (block is not None and s.block != block, None in s.grid))
    if not shapes:
        raise NotVerifiableError(f"no launch of {kernel.name} was found: {_hint(kernel, 'grid=(…) block=(…)')}")
    shape = shapes[0]
    if spec is not None:
        grid = spec.grid or shape.grid
        numbers = tuple(
            ArgValue(number=spec.numbers[p.name]) if p.name in spec.numbers else a
            for p, a in zip(kernel.params, (*shape.args, *(ArgValue(),) * len(kernel.params)), strict=False)
        )
        shape = replace(shape, block=spec.block or shape.block, grid=grid, args=numbers, block_known=True)
    if not shape.block_known:
        raise NotVerifiableError(
            f"the block size of {kernel.name} is not known: {_hint(kernel, 'block=(…) grid=(…)')}"
        )
    return shape


def _known_grid(kernel: Function, shape: LaunchShape) -> tuple[int, int, int]:
    x, y, z = shape.grid
    if x is None or y is None or z is None:
        raise NotVerifiableError(f"the grid of {kernel.name} is not known: {_hint(kernel, 'grid=(…)')}")
    return x, y, z


def _shared_bytes(kernel: Function, shape: LaunchShape, spec: Spec | None) -> int:
    if spec is not None and spec.shared is not None:
        return spec.shared
    if shape.shared_bytes is not None:
        return shape.shared_bytes
    if uses_dynamic_shared(kernel):
        raise NotVerifiableError(
            f"the dynamic shared memory of {kernel.name} is not known: {_hint(kernel, 'shared=…')}"
        )
    return 0


def uses_dynamic_shared(kernel: Function) -> bool:
    """Whether the kernel itself uses an `extern __shared__` array."""
    return kernel.body is not None and any(
        isinstance(n, Var) and n.symbol.storage is Storage.DYNAMIC_SHARED for n in walk(kernel.body)
    )


def _hint(kernel: Function, what: str) -> str:
    return f"add `// cudalint: verify {what}` on the line above the kernel {kernel.name}"


def _trace(
    unit: Unit,
    kernel: Function,
    shape: LaunchShape,
    contents: Contents,
    where: Sequence[tuple[int, int, int]] = (),
) -> Trace:
    """The kernel on the given blocks, else on the first and the last and those at powers of two between them.

    The last blocks of a generous grid lie beyond the bounds guard and touch nothing.
    """
    from cudalint.lint.analysis.exec_machine import STEP_BUDGET
    from cudalint.lint.analysis.execute import execute

    ends = [(n or 1) - 1 for n in shape.grid]
    x, y, z = ends
    steps = [1 << k for k in range(max(ends).bit_length())][-(MAX_LANES // shape.threads) :]
    between = [(min(s, x), min(s, y), min(s, z)) for s in steps]
    chosen = list(where or dict.fromkeys([(0, 0, 0), *between, (x, y, z)]))
    budget = STEP_BUDGET * len(chosen)
    return execute(unit.program, kernel, shape, where=chosen, budget=budget, contents=contents)


@dataclass(slots=True)
class _Use:
    """How a buffer is used: bytes reached by the blocks looked at, whether that is certain, what is done.

    `last` is set when the last block takes part, so that the reach is the whole. `types` are the numbers that it is
    used as; `row` the bytes of what is stored where an atomic says, 0 without such stores; `summed` says that
    atomics change floats in it.
    """

    reach: int = 0
    last: bool = False
    certain: bool = True
    kinds: set[AccessKind] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    row: int = 0
    summed: bool = False


def _touched(trace: Trace) -> dict[str, _Use]:
    """The use of each pointer parameter, by symbol key."""
    found: dict[str, _Use] = {}
    for access in trace.accesses(Space.GLOBAL):
        symbol = access.object.symbol
        if symbol is None:
            continue
        use = found.setdefault(symbol.key, _Use())
        use.kinds.add(access.kind)
        use.types.add(_dtype(access.expr.type))
        use.summed |= access.kind is AccessKind.ATOMIC and isinstance(access.expr.type, FloatType)
        if access.kind is AccessKind.STORE and access.address_taint & Taint.ATOMIC:
            use.row = max(use.row, access.size, access.field_of.size if access.field_of is not None else 0)
        if access.address_taint:
            use.certain = False
        elif access.mask.any():
            use.reach = max(use.reach, int(access.address[access.mask].max()) + access.size)
            use.last |= bool(access.mask[trace.lanes.block == trace.lanes.block.max()].any())
    return found


class _Arguments:
    """Makes the arguments of one launch. `hidden` are buffers that records and arrays of pointers point to."""

    def __init__(
        self,
        kernel: Function,
        shape: LaunchShape,
        spec: Spec | None,
        touched: Mapping[str, _Use],
        *,
        records: int | None,
        made_up: bool,
        careful: bool,
    ) -> None:
        self._kernel, self._shape, self._spec, self._touched = kernel, shape, spec, touched
        self._records, self._made_up, self._careful = records, made_up, careful
        self.hidden: list[Argument] = []

    def all(self) -> list[Argument]:
        """One argument per parameter. Raises NotVerifiableError."""
        args: list[Argument] = []
        owners: dict[str, int] = {}
        for index, param in enumerate(self._kernel.params):
            value = self._shape.args[index] if index < len(self._shape.args) else ArgValue()
            made = self._buffer(param, value) if isinstance(param.type, PointerType) else self._by_value(param, value)
            if made.kind == "buffer" and value.object is not None:
                if value.object in owners:
                    made = replace(made, alias=owners[value.object], offset=value.offset_bytes or 0)
                owners.setdefault(value.object, index)
            args.append(made)
        return args

    def _buffer(self, param: Symbol, value: ArgValue) -> Argument:
        assert isinstance(param.type, PointerType)
        pointee = param.type.pointee
        use = self._touched.get(param.key, _Use())
        nbytes = self._size(param, value, use)
        if nbytes > MAX_BUFFER:
            raise NotVerifiableError(f"buffer {param.name} has {nbytes / 2**30:.1f} GiB")
        if isinstance(pointee, PointerType):
            if not self._made_up:
                raise NotVerifiableError(f"what the pointers in {param.name} point to is not known")
            return Argument(
                "buffer", nbytes=nbytes, dtype="uint64", fill="pointers", target=self._point(pointee.pointee)
            )
        zeros = AccessKind.ATOMIC in use.kinds and AccessKind.LOAD not in use.kinds  # counters, sums, locks
        fill = "zeros" if zeros else ""
        dtype = _used_as(_dtype(pointee), use.types)
        row = use.row if use.row % np.dtype(dtype).itemsize == 0 else 0
        return Argument(
            "buffer", nbytes=nbytes, dtype=dtype, role=_role(use.kinds), fill=fill, row=row, summed=use.summed
        )

    def _size(self, param: Symbol, value: ArgValue, use: _Use) -> int:
        given = self._spec.buffers.get(param.name) if self._spec else None
        reach = use.reach if use.last else 2 * use.reach  # the first idle block is at most twice as far
        nbytes = given or value.bytes or 0
        if self._careful and use.row and not given:  # every thread may store one
            x, y, z = _known_grid(self._kernel, self._shape)
            nbytes = max(nbytes, min(x * y * z * self._shape.threads * use.row, MAX_PLACED))
        if nbytes:
            return max(nbytes, 256)
        if self._made_up and (self._careful or not use.certain):
            return max(2 * reach, MADE_UP_BUFFER)
        if not use.certain or (not reach and use.kinds and not self._made_up):
            at_least = f" (at least {use.reach} bytes)" if use.reach else ""
            add = _hint(self._kernel, f"{param.name}=float[…]")
            raise NotVerifiableError(f"the size of buffer {param.name} is not known{at_least}: {add}")
        return max(reach, 256)

    def _by_value(self, param: Symbol, value: ArgValue) -> Argument:
        given = argument_bytes(param, value, lambda what: _hint(self._kernel, what), self._records)
        inner = tuple((at, self._point(pointee)) for at, pointee in given.pointers)
        kind = "struct" if isinstance(param.type, RecordType) else "scalar"
        return Argument(kind, data=given.data.hex(), inner=inner)

    def _point(self, pointee: Type) -> int:
        """The index of a new buffer that no parameter is given by itself."""
        role = "inout"
        self.hidden.append(
            Argument(
                "hidden", nbytes=MADE_UP_BUFFER, dtype=_dtype(pointee), role=role, high=2 if self._careful else 256
            )
        )
        return len(self._kernel.params) + len(self.hidden) - 1


def _role(kinds: set[AccessKind]) -> str:
    if kinds == {AccessKind.LOAD}:
        return "in"
    return "out" if kinds == {AccessKind.STORE} else "inout"


def _dtype(of: Type) -> str:
    """The numpy type to fill and compare a buffer with; records of one kind of number count as that number."""
    while (isinstance(of, RecordType) and of.fields) or isinstance(of, ArrayType):
        of = of.element if isinstance(of, ArrayType) else of.fields[0].type
    match of:
        case FloatType(bits=bits, name=name):
            return "uint16" if "bfloat16" in name else f"float{bits}"
        case IntType(bits=bits, signed=signed):
            return f"{'' if signed else 'u'}int{bits}"
        case _:
            return "uint8"


def _used_as(declared: str, types: set[str]) -> str:
    """The numpy type of a buffer: floats where it is only used as such, whatever it was declared to hold."""
    used = next(iter(types)) if len(types) == 1 else declared
    return used if "float" in used and "float" not in declared else declared


def _describe(param: Symbol, made: Argument) -> str:
    if made.kind != "buffer":
        return (
            f"{param.name} = {number_in(param.type, made.data)}"
            if made.kind == "scalar"
            else f"{param.name}: given by value"
        )
    shared = f", the same buffer as argument {made.alias}" if made.alias is not None else ""
    order = ", compared in any order: atomics place what is stored" if made.row else ""
    return f"{param.name}: {made.nbytes} bytes, {_filled(made)}{shared}{order}"


def _filled(made: Argument) -> str:
    if made.role == "out":
        return "poisoned"
    if made.fill == "rows":
        return f"growing from 0 to {made.high} {made.dtype}"
    if made.fill:
        return "pointers to rows" if made.fill == "pointers" else made.fill
    return f"random {'[-1, 1)' if 'float' in made.dtype else f'[{made.low}, {made.high})'} {made.dtype}"
