"""Sizes for a kernel whose host code does not tell them: made up, and said to be.

Both kernels run on the same made-up sizes, so that results and times still compare. The report lists what was
assumed; a `verify` comment or table puts the user's own sizes in their place.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.lint.analysis.trace import ArgValue
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import IntType
from cudalint.verify.cexpr import Number
from cudalint.verify.plan import uses_dynamic_shared
from cudalint.verify.spec import Spec

SIZES = (4096, 1024, 256)
"""Values for unknown integers, largest first: the first whose buffers fit is taken."""

BLOCKS = 512
"""Blocks of an unknown one-dimensional grid: several for each multiprocessor of a large card."""

SHARED = 16 * 1024
"""Bytes of dynamic shared memory that is not known: room for a word per thread and more, within any limit."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """A spec with everything filled in, and what of it was made up, in words."""

    spec: Spec
    words: tuple[str, ...]


def assumed_spec(unit: Unit, kernel: Function, size: int) -> Assumed | None:
    """A launch of `kernel` with `size` for each integer that is not known; None without a shape to start from."""
    shapes = sorted(unit.shapes(kernel), key=lambda s: (not s.block_known, None in s.grid))
    if not shapes:
        return None
    shape = shapes[0]
    words = [] if shape.block_known else [f"block = {shape.block}"]
    grid = _grid(shape.grid, shape.block, size)
    if grid != shape.grid:
        words.append(f"grid = {grid}")
    numbers: dict[str, Number] = {}
    for index, param in enumerate(kernel.params):
        known = shape.args[index] if index < len(shape.args) else ArgValue()
        if isinstance(param.type, IntType) and known.number is None:
            numbers[param.name] = size if param.type.bits > 8 else 1
            words.append(f"{param.name} = {numbers[param.name]}")
    shared = shape.shared_bytes
    if shared is None and uses_dynamic_shared(kernel):
        shared = SHARED
        words.append(f"shared = {SHARED}")
    return Assumed(Spec(numbers, {}, grid, shape.block, shared), tuple(words))


def _grid(
    known: tuple[int | None, int | None, int | None], block: tuple[int, int, int], size: int
) -> tuple[int, int, int]:
    flat = block[1] == 1 and block[2] == 1 and known[1] in (None, 1)
    x = known[0] if known[0] is not None else (BLOCKS if flat else max(1, size // block[0]))
    y = known[1] if known[1] is not None else (1 if flat else max(1, size // block[1]))
    return x, y, known[2] if known[2] is not None else 1
