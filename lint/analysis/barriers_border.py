"""Sizes that part a block: a guard against an unknown size is shown to split a barrier, or nothing is said.

A kernel whose grid is rounded up meets blocks of which only part of the threads have work. Which size makes that
happen cannot be read off a condition (the size may have been rounded up before), so a few sizes are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cudalint.lint.analysis.barriers import SplitBarrier, Why, split_barriers
from cudalint.lint.analysis.barriers_exits import Exits
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.trace import ArgValue, LaunchShape, Trace
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.types import IntType


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """A barrier split at a size: `trace` shows it, with the parameters `names` taken as `size`."""

    trace: Trace
    split: SplitBarrier
    names: tuple[str, ...]
    size: int


def borders(program: TranslationUnit, trace: Trace, exits: Exits, splits: Sequence[SplitBarrier]) -> Iterator[Border]:
    """Of the barriers that an unknown size may split, those that it does split, once per condition."""
    wanted = {s.cause.span: s for s in splits if s.why is Why.BORDER and s.cause is not None}
    for size in _sizes(trace.shape):
        if not wanted:
            return
        shape, names = _with_size(trace.kernel, trace.shape, size)
        if not names:
            return
        tried = execute(program, trace.kernel, shape)
        for split in split_barriers(tried, exits):
            if split.why is Why.SEEN and split.cause is not None and split.cause.span in wanted:
                del wanted[split.cause.span]
                yield Border(tried, split, names, size)


def _sizes(shape: LaunchShape) -> tuple[int, ...]:
    """Sizes that cut the first block of a launch: in the middle, and short in each dimension."""
    return (shape.threads // 2 + 1, shape.block[0] // 2 + 1, 2 * shape.threads - 3)


def _with_size(kernel: Function, shape: LaunchShape, size: int) -> tuple[LaunchShape, tuple[str, ...]]:
    """The shape with every unknown integer parameter set to a size, and the names of those."""
    args: list[ArgValue] = []
    names: list[str] = []
    for position, symbol in enumerate(kernel.params):
        known = shape.args[position] if position < len(shape.args) else ArgValue()
        if isinstance(symbol.type, IntType) and symbol.type.bits >= 16 and known.number is None:
            known = replace(known, number=size)
            names.append(symbol.name)
        args.append(known)
    return replace(shape, args=tuple(args)), tuple(names)
