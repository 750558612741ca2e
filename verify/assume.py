"""Sizes for a kernel whose host code does not tell them: made up, and said to be.

Both kernels run on the same made-up sizes, so that results and times still compare. The report lists what was
assumed; a `verify` comment or table puts the user's own sizes in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from cudalint.lint.analysis.trace import ArgValue, LaunchShape
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Symbol
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import IntType, RecordType
from cudalint.verify.cexpr import Number
from cudalint.verify.plan import uses_dynamic_shared
from cudalint.verify.spec import Spec
from cudalint.verify.values import NotVerifiableError, argument_bytes

SIZES = (4096, 1024, 256)
"""Values for unknown integers, largest first: the first whose buffers fit is taken."""

BLOCKS = 512
"""Blocks of an unknown one-dimensional grid: several for each multiprocessor of a large card."""

SHARED = 16 * 1024
"""Bytes of dynamic shared memory that is not known: room for a word per thread and more, within any limit."""


RECORDS = 64
"""What unknown integers in records passed by value become: mostly sizes and counts of something small."""

FEWER = (RECORDS, 16, 4)
"""Instead, where so many of them are multiplied that the buffers do not fit."""

DIVISIBLE = (6720, 3360)
"""Sizes that more is a divisor of, 3, 5, 6, 7 and 32 among it: for kernels that share the work in such parts."""

WIDER = 16
"""By how much one integer is made larger than the others: rows of float4 counted in bytes."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """A spec with everything filled in, and what of it was made up, in words. `records` as in `plan_launch`."""

    spec: Spec
    words: tuple[str, ...]
    records: int = RECORDS


@dataclass(frozen=True, slots=True)
class Choice:
    """What to make up: `size` for unknown integers, `WIDER` times that for the one named `wide`.

    `block` in the place of a block that is not known; `alike` then keeps the grid as for the first guess.
    """

    size: int
    records: int = RECORDS
    wide: str = ""
    block: tuple[int, int, int] | None = None
    alike: bool = False


def assumed_spec(unit: Unit, kernel: Function, choice: Choice) -> Assumed | None:
    """A launch of `kernel` with everything filled in; None without a shape to start from."""
    shape = _start(unit, kernel)
    if shape is None:
        return None
    block = shape.block if choice.block is None or shape.block_known else choice.block
    words = [] if shape.block_known else [f"block = {block}"]
    grid = _grid(shape.grid, shape.block if choice.alike else block, choice.size)
    if grid != shape.grid:
        words.append(f"grid = {grid}")
    numbers: dict[str, Number] = {}
    for param in _unknown(kernel, shape):
        assert isinstance(param.type, IntType)
        size = choice.size * (WIDER if param.name == choice.wide else 1)
        numbers[param.name] = size if param.type.bits > 8 else 1
        words.append(f"{param.name} = {numbers[param.name]}")
    words += [f"integers in {name} = {choice.records}" for name in _records(kernel, shape, choice.records)]
    shared = shape.shared_bytes
    if shared is None and uses_dynamic_shared(kernel):
        shared = SHARED
        words.append(f"shared = {SHARED}")
    return Assumed(Spec(numbers, {}, grid, block, shared), tuple(words), choice.records)


def other_choices(unit: Unit, kernel: Function, choice: Choice) -> Iterator[Choice]:
    """What else can be made up where the sizes do not fit each other, the likeliest first."""
    shape = _start(unit, kernel)
    if shape is None:
        return
    if not shape.block_known:
        yield from (replace(choice, block=b, alike=alike) for b in _smaller(shape.block) for alike in (True, False))
    unknown = _unknown(kernel, shape)
    if len(unknown) > 1:
        yield from (replace(choice, wide=param.name) for param in unknown)
    if unknown:
        yield from (replace(choice, size=size) for size in DIVISIBLE)


def _smaller(block: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Blocks of half the extent in some dimensions, the last first; a row of threads stays a row of warps."""
    halves = [(n, n // 2) if n >= 8 else (n,) for n in block]
    found = [(x, y, z) for x in halves[0] for y in halves[1] for z in halves[2]]
    return [b for b in found if b != block and b[0] * b[1] * b[2] >= 32]


def _start(unit: Unit, kernel: Function) -> LaunchShape | None:
    """The launch of which the most is known."""
    return min(unit.shapes(kernel), key=lambda s: (not s.block_known, None in s.grid), default=None)


def _unknown(kernel: Function, shape: LaunchShape) -> list[Symbol]:
    """The integer parameters whose value nothing tells."""
    args = (*shape.args, *(ArgValue() for _ in kernel.params))
    return [p for p, a in zip(kernel.params, args, strict=False) if isinstance(p.type, IntType) and a.number is None]


def _records(kernel: Function, shape: LaunchShape, size: int) -> Iterator[str]:
    """The records passed by value that get this size for an integer which nothing tells."""
    args = (*shape.args, *(ArgValue() for _ in kernel.params))
    for param, value in zip(kernel.params, args, strict=False):
        if isinstance(param.type, RecordType):
            with suppress(NotVerifiableError):
                given = argument_bytes(param, value, str, size)
                if size in (n for path, n in given.numbers.items() if path not in dict(value.elements)):
                    yield param.name


def _grid(
    known: tuple[int | None, int | None, int | None], block: tuple[int, int, int], size: int
) -> tuple[int, int, int]:
    flat = block[1] == 1 and block[2] == 1 and known[1] in (None, 1)
    x = known[0] if known[0] is not None else (BLOCKS if flat else max(1, size // block[0]))
    y = known[1] if known[1] is not None else (1 if flat else max(1, size // block[1]))
    return x, y, known[2] if known[2] is not None else 1
