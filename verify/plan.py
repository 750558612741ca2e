"""From a finding to a job: which launch, which arguments, which buffers.

Sizes come from the host code (with the program's command line assumed where it is known), then from the user's
`verify` comment or table; buffer sizes that neither tells are what the executed kernel touches. What is still
missing makes the finding not verifiable, with the line to add.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.trace import AccessKind, ArgValue, LaunchShape, Space, Taint, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Storage, Symbol, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import FloatType, IntType, OpaqueType, PointerType, RecordType, Type, spelled
from cudalint.lint.model.walk import walk
from cudalint.verify.job import Argument
from cudalint.verify.spec import Spec

MAX_BUFFER = 1 << 33
"""8 GiB: a larger buffer is far from what a timing needs."""

MAX_LANES = 16 * 1024
"""Threads of all blocks on which the extent of buffers is looked for."""

MADE_UP_BUFFER = 1 << 24
"""Bytes of a buffer of which neither the host code nor the kernel shows the size."""

_STRUCT_CODES: Mapping[tuple[int, bool], str] = {
    (8, True): "b",
    (8, False): "B",
    (16, True): "h",
    (16, False): "H",
    (32, True): "i",
    (32, False): "I",
    (64, True): "q",
    (64, False): "Q",
}


class NotVerifiableError(Exception):
    """Why a finding cannot be run; the text says what to add."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `described` has one phrase per argument, for the report; `moved` the bytes in buffers."""

    kernel: Function
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    args: tuple[Argument, ...]
    described: tuple[str, ...]
    moved: int

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
) -> Plan:
    """The launch of a kernel with all its arguments. `block` prefers the launch with that block shape.

    `assumed` says in words what of `spec` was made up; buffers whose size is not known then are, too.

    Raises:
        NotVerifiableError: something is missing; the message says what to add.
    """
    shape = _choose(unit, kernel, spec, block)
    grid = _known_grid(kernel, shape)
    shared = _shared_bytes(kernel, shape, spec)
    trace = _trace(unit, kernel, replace(shape, grid=grid))
    touched = _touched(trace)
    opaque = _gathered_elements(trace)
    args, described = [], []
    moved = 0
    owners: dict[str, int] = {}
    for index, param in enumerate(kernel.params):
        value = shape.args[index] if index < len(shape.args) else ArgValue()
        made = _argument(kernel, param, value, spec, touched, opaque, made_up=bool(assumed))
        if made.kind == "buffer":
            if value.object is not None and value.object in owners:
                made = replace(made, alias=owners[value.object], offset=value.offset_bytes or 0)
            else:
                moved += made.nbytes
                if value.object is not None:
                    owners[value.object] = index
        args.append(made)
        described.append(_describe(param, made))
    described += [f"assumed: {words}" for words in assumed]
    return Plan(kernel, grid, shape.block, shared, tuple(args), tuple(described), moved)


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


def _trace(unit: Unit, kernel: Function, shape: LaunchShape) -> Trace:
    """The kernel on the first and the last block and on blocks at powers of two between them.

    The last blocks of a generous grid lie beyond the bounds guard and touch nothing.
    """
    from cudalint.lint.analysis.exec_machine import STEP_BUDGET
    from cudalint.lint.analysis.execute import execute

    ends = [(n or 1) - 1 for n in shape.grid]
    x, y, z = ends
    steps = [1 << k for k in range(max(ends).bit_length())][-(MAX_LANES // shape.threads) :]
    between = [(min(s, x), min(s, y), min(s, z)) for s in steps]
    where = dict.fromkeys([(0, 0, 0), *between, (x, y, z)])
    return execute(unit.program, kernel, shape, where=list(where), budget=STEP_BUDGET * len(where))


@dataclass(slots=True)
class _Use:
    """How a buffer is used: bytes reached by the blocks looked at, whether that is certain, what is done.

    `last` is set when the last block takes part, so that the reach is the whole.
    """

    reach: int = 0
    last: bool = False
    certain: bool = True
    kinds: set[AccessKind] = field(default_factory=set)


def _touched(trace: Trace) -> dict[str, _Use]:
    """The use of each pointer parameter, by symbol key."""
    found: dict[str, _Use] = {}
    for access in trace.accesses(Space.GLOBAL):
        symbol = access.object.symbol
        if symbol is None:
            continue
        use = found.setdefault(symbol.key, _Use())
        use.kinds.add(access.kind)
        if access.address_taint:
            use.certain = False
        elif access.mask.any():
            use.reach = max(use.reach, int(access.address[access.mask].max()) + access.size)
            use.last |= bool(access.mask[trace.lanes.block == trace.lanes.block.max()].any())
    return found


def _gathered_elements(trace: Trace) -> int | None:
    """The smallest number of elements of the buffers that are indexed by loaded values."""
    counts = [
        access.object.size // max(1, access.size)
        for access in trace.accesses(Space.GLOBAL)
        if access.address_taint & Taint.LOADED and access.object.size
    ]
    return min(counts, default=None)


def _argument(
    kernel: Function,
    param: Symbol,
    value: ArgValue,
    spec: Spec | None,
    touched: Mapping[str, _Use],
    gathered: int | None,
    *,
    made_up: bool = False,
) -> Argument:
    kind = param.type
    if isinstance(kind, PointerType):
        use = touched.get(param.key, _Use())
        given = spec.buffers.get(param.name) if spec else None
        reach = use.reach if use.last else 2 * use.reach  # the first idle block is at most twice as far
        nbytes = given or value.bytes or (reach if use.certain else 0)
        if not nbytes and made_up:
            nbytes = max(reach, MADE_UP_BUFFER)
        if not nbytes and use.kinds:
            raise NotVerifiableError(
                f"the size of buffer {param.name} is not known"
                f"{f' (at least {use.reach} bytes)' if use.reach else ''}: {_hint(kernel, f'{param.name}=float[…]')}"
            )
        nbytes = max(nbytes, 256)
        if nbytes > MAX_BUFFER:
            raise NotVerifiableError(f"buffer {param.name} has {nbytes / 2**30:.1f} GiB")
        dtype = _dtype(kind.pointee)
        return Argument("buffer", nbytes=nbytes, dtype=dtype, role=_role(use.kinds), high=gathered or 256)
    return Argument("struct" if isinstance(kind, RecordType) else "scalar", data=_bytes(kernel, param, value).hex())


def _role(kinds: set[AccessKind]) -> str:
    if kinds == {AccessKind.LOAD}:
        return "in"
    return "out" if kinds == {AccessKind.STORE} else "inout"


def _dtype(of: Type) -> str:
    """The numpy type to fill and compare a buffer with; records of one kind of number count as that number."""
    while isinstance(of, RecordType) and of.fields:
        of = of.fields[0].type
    match of:
        case FloatType(bits=bits, name=name):
            return "uint16" if "bfloat16" in name else f"float{bits}"
        case IntType(bits=bits, signed=signed):
            return f"{'' if signed else 'u'}int{bits}"
        case _:
            return "uint8"


def _bytes(kernel: Function, param: Symbol, value: ArgValue) -> bytes:
    kind = param.type
    number = value.number
    if isinstance(kind, FloatType) and kind.bits in {32, 64}:
        return struct.pack("<f" if kind.bits == 32 else "<d", 0.75 if number is None else float(number))
    if isinstance(kind, IntType):
        if number is None:
            raise NotVerifiableError(f"the value of {param.name} is not known: {_hint(kernel, f'{param.name}=…')}")
        wrapped = int(number) & ((1 << kind.bits) - 1)
        if kind.signed and wrapped >> (kind.bits - 1):
            wrapped -= 1 << kind.bits
        return struct.pack("<" + _STRUCT_CODES[kind.bits, kind.signed], wrapped)
    if isinstance(kind, RecordType) and not kind.fields:
        return bytes(max(1, kind.size))
    if isinstance(kind, RecordType) and value.elements:
        return _record_bytes(kind, dict(value.elements))
    reason = "is a handle" if isinstance(kind, OpaqueType) else "is not a number"
    raise NotVerifiableError(f"parameter {param.name} ({spelled(kind)}) {reason}: it cannot be made up")


def _record_bytes(kind: RecordType, known: Mapping[str, int | float]) -> bytes:
    out = bytearray(kind.size)
    for member in kind.fields:
        number = known.get(member.name)
        if number is None or not isinstance(member.type, IntType | FloatType):
            raise NotVerifiableError(f"field {member.name} of {kind.name} is not known")
        code = _code(member.type)
        struct.pack_into("<" + code, out, member.offset, float(number) if code in "efd" else int(number))
    return bytes(out)


def _code(of: IntType | FloatType) -> str:
    if isinstance(of, FloatType):
        return {16: "e", 32: "f", 64: "d"}[of.bits]
    return _STRUCT_CODES[of.bits, of.signed]


def _describe(param: Symbol, made: Argument) -> str:
    if made.kind != "buffer":
        return (
            f"{param.name} = {_number(param.type, made)}"
            if made.kind == "scalar"
            else f"{param.name}: given by value"
        )
    shared = f", the same buffer as argument {made.alias}" if made.alias is not None else ""
    drawn = f"[-1, 1) {made.dtype}" if "float" in made.dtype else f"[{made.low}, {made.high}) {made.dtype}"
    filled = "poisoned" if made.role == "out" else f"random {drawn}"
    return f"{param.name}: {made.nbytes} bytes, {filled}{shared}"


def _number(kind: Type, made: Argument) -> int | float:
    assert isinstance(kind, IntType | FloatType)
    value: int | float = struct.unpack("<" + _code(kind), bytes.fromhex(made.data))[0]
    return value
