"""Races that a kernel has for one value of an integer parameter: threads that meet at `a[i]` and `a[i + offset]`.

Only for a kernel judged for a launch given on the command line, in a file that does not launch it: the question is
then what the kernel does in that block, whatever it is given. Where host code shows, it says what is passed.

The parameter has to be a plain distance: it moves some of the accesses to a buffer by one element per unit, all
threads alike, and leaves the others where they are. The value is solved for, and the kernel executed with it, so
that guards and loop bounds on the parameter count; conditions that the kernel states (`assert`, an annotation) do
as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.races_stated import Stated
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    ArgValue,
    Ints,
    LaunchShape,
    ShapeSource,
    Space,
    Trace,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.types import IntType

_NUMBERS = frozenset(f"{sign}{size}" for sign in ("", "unsigned ") for size in ("int", "long", "long long"))
"""The types of parameters that can be distances: enumerations and small integers are something else."""
MAX_PARAMETERS = 4
"""Parameters of a kernel that are solved for."""
MAX_PAIRS = 32
"""Pairs of accesses that values are solved from."""
MAX_VALUES = 3
"""Values of a parameter, smallest first, that the kernel is executed with."""


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter and the value that was picked for it."""

    name: str
    value: int


def parameter_traces(unit: Unit, trace: Trace) -> Iterator[tuple[Given, Trace]]:
    """Executions of a kernel with a value of one parameter for which two threads may meet."""
    shape = trace.shape
    if shape.source is not ShapeSource.OPTION or shape.site is not None or unit.options.block is None:
        return
    samples = {name: values[0] for name, values in trace.samples}
    free = [
        (position, symbol)
        for position, symbol in enumerate(trace.kernel.params)
        if symbol.name in samples and isinstance(symbol.type, IntType) and symbol.type.name in _NUMBERS
    ]
    if not 0 < len(free) <= MAX_PARAMETERS:
        return
    stated = Stated(trace.kernel, shape)
    fixed = {position: samples[symbol.name] for position, symbol in free}
    base = execute(unit.program, trace.kernel, _with(shape, fixed))
    for position, symbol in free:
        start = fixed[position]
        moved = execute(unit.program, trace.kernel, _with(shape, {**fixed, position: start + 1}))
        values = (v for v in _meetings(base, moved, start) if stated.allows(symbol, v))
        for value in islice(values, MAX_VALUES):
            yield Given(symbol.name, value), execute(unit.program, trace.kernel, _with(shape, {position: value}))


def _with(shape: LaunchShape, numbers: dict[int, int]) -> LaunchShape:
    """The launch with these arguments, by position."""
    args = list(shape.args) + [ArgValue()] * (max(numbers) + 1 - len(shape.args))
    for position, number in numbers.items():
        args[position] = ArgValue(number=number)
    return replace(shape, args=tuple(args))


def _meetings(base: Trace, moved: Trace, start: int) -> Sequence[int]:
    """The values of a parameter, smallest first, with which two threads of a block meet at one element.

    `base` has the value `start` for it, `moved` one more. Empty unless it is a plain distance.
    """
    before, after = base.accesses(Space.GLOBAL, Space.SHARED), moved.accesses(Space.GLOBAL, Space.SHARED)
    if not base.complete or [a.span for a in before] != [a.span for a in after]:
        return ()
    still: dict[int, list[Access]] = defaultdict(list)
    shifted: dict[int, list[Access]] = defaultdict(list)
    for old, new in zip(before, after, strict=True):
        if old.address_taint & OPAQUE or new.address_taint & OPAQUE:
            continue
        shifts = np.unique((new.address - old.address)[old.mask & new.mask])
        if len(shifts) != 1 or int(shifts[0]) not in (0, old.size):
            return ()
        (shifted if shifts[0] else still)[old.object.id].append(old)
    found: set[int] = set()
    for id_, movers in shifted.items():
        for a, b in islice(product(movers, still[id_]), MAX_PAIRS):
            if a.size == b.size and {a.kind, b.kind} & {AccessKind.STORE, AccessKind.ASYNC_STORE}:
                found.update(_distances(a, b, base).tolist())
    return sorted(v for n in found if (v := n + start) > 0)


def _distances(a: Access, b: Access, trace: Trace) -> Ints:
    """How many elements on `a` would be where another thread of the first block is at `b`."""
    first = trace.lanes.cta == 0
    at, to = np.flatnonzero(a.mask & first), np.flatnonzero(b.mask & first)
    gaps = np.subtract.outer(b.address[to], a.address[at])
    whole = (gaps % a.size == 0) & np.not_equal.outer(to, at)
    return np.unique(gaps[whole] // a.size)
