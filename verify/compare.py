"""How the buffers after two runs differ. Works on arrays of NumPy or CuPy alike, given as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cudalint.verify.job import Argument

Array = Any
"""A one-dimensional array of bytes, of NumPy or CuPy (which ships no types)."""

HALF_RTOL = 2.0**-10
"""Results stored as 16-bit floats are no nearer to each other than a unit in the last place."""

SUMMED_RTOL = 1e-4
"""Sums that atomics make in another order each time: 32-bit floats, thousands of summands that partly cancel."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two results differ.

    `kind` is bitwise, tolerance or different. `relative` is the largest difference as a share of the buffer's largest
    finite value, `absolute` the largest itself, both infinite where one side is NaN and the other is not. `count` of
    `total` elements differ by more than the tolerance; `where` is the first of them.
    """

    kind: str = "bitwise"
    relative: float = 0.0
    absolute: float = 0.0
    count: int = 0
    total: int = 0
    where: str = ""

    def and_also(self, other: Difference) -> Difference:
        """Both, of different buffers or runs: the worse of each."""
        kinds = ("bitwise", "tolerance", "different")
        return Difference(
            max(self.kind, other.kind, key=kinds.index),
            max(self.relative, other.relative),
            max(self.absolute, other.absolute),
            self.count + other.count,
            self.total + other.total,
            self.where or other.where,
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """One buffer of two runs: which elements are not close, and by how much the rest may be off."""

    far: Array
    difference: Difference


def tolerance(argument: Argument, rtol: float) -> float:
    """The largest difference of a buffer's elements that counts as equal, as a share of its largest value."""
    if argument.dtype == "float16":
        return max(rtol, HALF_RTOL)
    return max(rtol, SUMMED_RTOL) if argument.summed and argument.dtype == "float32" else rtol


def compare(
    xp: Any, one: Sequence[Array], other: Sequence[Array], arguments: Sequence[tuple[int, Argument]], rtol: float
) -> Difference:
    """How the buffers of two runs differ, each given with its argument's index. `xp` is numpy or cupy."""
    worst = Difference()
    for a, b, (index, argument) in zip(one, other, arguments, strict=True):
        if bool((a == b).all()):
            worst = worst.and_also(Difference(total=a.nbytes // np.dtype(argument.dtype).itemsize))
        else:
            worst = worst.and_also(compare_buffer(xp, a, b, index, argument, rtol).difference)
    return worst


def compare_buffer(xp: Any, a: Array, b: Array, index: int, argument: Argument, rtol: float) -> Compared:
    """How one buffer differs between two runs. Elements that atomics place are compared in sorted order."""
    kind = np.dtype(argument.dtype)
    usable = a.nbytes // kind.itemsize * kind.itemsize
    x, y = (_placed(xp, v[:usable], kind, argument.row) for v in (a, b))
    total = int(x.size)
    if kind.kind != "f":
        far = x != y
        off = xp.abs(x[far].astype(np.float64) - y[far].astype(np.float64))
        largest = max(abs(int(x.max())), abs(int(x.min())), 1) if total else 1
        absolute = float(off.max()) if off.size else 0.0
        return Compared(far, _difference(xp, far, absolute, absolute / largest, total, index))
    x, y = x.astype(np.float64), y.astype(np.float64)
    off = xp.abs(x - y)
    off[(x == y) | (xp.isnan(x) & xp.isnan(y))] = 0.0
    off[xp.isnan(off)] = np.inf
    scale = _largest(xp, xp.abs(x))
    far = ~(off <= tolerance(argument, rtol) * scale)
    absolute = float(off.max()) if total else 0.0
    return Compared(far, _difference(xp, far, absolute, absolute / scale, total, index, xp.isnan(x) != xp.isnan(y)))


def _placed(xp: Any, data: Array, kind: np.dtype[Any], row: int) -> Array:
    """The elements in order; rows that stand wherever an atomic put them are sorted by what they hold."""
    if row < kind.itemsize or row % kind.itemsize:
        return data.view(kind)
    if row == 8 and kind.kind != "f":
        return xp.sort(data[: data.nbytes // 8 * 8].view(np.uint64)).view(kind)
    rows = data[: data.nbytes // row * row].view(kind).reshape(-1, row // kind.itemsize)
    if rows.shape[1] == 1:
        return xp.sort(rows[:, 0])
    return rows[xp.lexsort(xp.ascontiguousarray(rows[:, ::-1].T))].reshape(-1)


def _largest(xp: Any, magnitudes: Array) -> float:
    """The largest finite magnitude, 1 where there is none or all are 0."""
    finite = magnitudes[xp.isfinite(magnitudes)]
    return (float(finite.max()) if finite.size else 0.0) or 1.0


def _difference(
    xp: Any, far: Array, absolute: float, relative: float, total: int, index: int, nan: Array | None = None
) -> Difference:
    count = int(far.sum())
    if not count:
        return Difference("tolerance", relative, absolute, 0, total)
    first = int(xp.argmax(far))
    note = " (NaN on one side)" if nan is not None and bool(nan[first]) else ""
    return Difference("different", relative, absolute, count, total, f"argument {index}, element {first}{note}")


@dataclass(slots=True)
class Varying:
    """Runs of the flagged kernel on the same inputs, beside one of the fixed kernel: what varies, what matches.

    An element of the fixed kernel's result matches when some run of the flagged kernel gave that value there.
    """

    xp: Any
    first: Sequence[Array]
    fixed: Sequence[Array]
    arguments: Sequence[tuple[int, Argument]]
    rtol: float
    varying: list[Array | None]
    unmatched: list[Array | None]

    @staticmethod
    def of(
        xp: Any,
        first: Sequence[Array],
        fixed: Sequence[Array],
        arguments: Sequence[tuple[int, Argument]],
        rtol: float,
    ) -> Varying:
        """Before any further run."""
        made = Varying(xp, first, fixed, arguments, rtol, [None] * len(first), [None] * len(first))
        for place, (a, b) in enumerate(zip(first, fixed, strict=True)):
            made.unmatched[place] = made._far(a, b, place)
        return made

    def add(self, run: Sequence[Array]) -> None:
        """Take in one more run of the flagged kernel."""
        for place, result in enumerate(run):
            changed = self._far(self.first[place], result, place)
            if changed is not None:
                known = self.varying[place]
                self.varying[place] = changed if known is None else known | changed
            left = self.unmatched[place]
            if left is not None:
                away = self._far(result, self.fixed[place], place)
                self.unmatched[place] = None if away is None else left & away

    @property
    def elements(self) -> int:
        """Elements that vary from run to run."""
        return sum(int(v.sum()) for v in self.varying if v is not None)

    @property
    def strangers(self) -> int:
        """Elements of the fixed kernel's result that no run of the flagged kernel gave."""
        return sum(int(v.sum()) for v in self.unmatched if v is not None)

    def _far(self, one: Array, other: Array, place: int) -> Array | None:
        if bool((one == other).all()):
            return None
        index, argument = self.arguments[place]
        return compare_buffer(self.xp, one, other, index, argument, self.rtol).far
