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
from cudalint.lint.analysis.host import host_program
from cudalint.lint.analysis.hostvalues import atoms
from cudalint.lint.analysis.trace import ArgValue, Branch, LaunchShape, Trace
from cudalint.lint.model.expressions import Storage, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import Decl, For, If, Switch, While
from cudalint.lint.model.types import IntType
from cudalint.lint.model.walk import Node, walk


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """A barrier split at a size: `trace` shows it, with the parameters `names` taken as `size`."""

    trace: Trace
    split: SplitBarrier
    names: tuple[str, ...]
    size: int


def borders(
    program: TranslationUnit, trace: Trace, exits: Exits, splits: Sequence[SplitBarrier], argv: tuple[str, ...] = ()
) -> Iterator[Border]:
    """Of the barriers that an unknown size may split, those that it does split, once per condition.

    `argv` is the command line that the host code is taken to be run with.
    """
    wanted = {
        s.cause.span: s
        for s in splits
        if s.why is Why.BORDER and s.cause is not None and not _made_to_fit(program, trace, s.cause, argv)
    }
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


def _made_to_fit(program: TranslationUnit, trace: Trace, cause: Branch, argv: tuple[str, ...]) -> bool:
    """Whether the launch makes the block out of a size that a condition compares: `k<<<rows, n>>>(data, n)`."""
    kernel, shape = trace.kernel, trace.shape
    if shape.block_known or shape.site is None:
        return False
    compared = _compared(kernel, cause)
    positions = [i for i, symbol in enumerate(kernel.params) if symbol.key in compared]
    return any(
        {a.id for value in call.block for a in atoms(value)} & {a.id for i in positions for a in atoms(call.args[i])}
        for call in host_program(program, argv).launches
        if call.launch.key == kernel.key and call.span == shape.site and len(call.args) == len(kernel.params)
    )


def _compared(kernel: Function, cause: Branch) -> set[str]:
    """The keys of the parameters that a condition in a kernel's own body rests on, through its variables."""
    assert kernel.body is not None
    nodes = list(walk(kernel.body))
    inits = {n.symbol.key: n.init for n in nodes if isinstance(n, Decl) and n.init is not None}
    todo: list[Node] = [
        n.condition
        for n in nodes
        if isinstance(n, If | For | While | Switch) and n.span == cause.node and n.condition is not None
    ]
    found: set[str] = set()
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, Var) and node.symbol.storage is Storage.PARAM:
                found.add(node.symbol.key)
            elif isinstance(node, Var) and node.symbol.key in inits:
                todo.append(inits.pop(node.symbol.key))
    return found


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
