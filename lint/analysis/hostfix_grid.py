"""Edits that count a grid right: in the launch itself, or in a declaration that serves nothing but the launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cudalint.lint.analysis.hostfix_text import changes, is_one_token, unwound
from cudalint.lint.analysis.hostflow_launch import AXES, LaunchFault, LaunchFlow
from cudalint.lint.analysis.kernel_index import Bound, KernelIndex
from cudalint.lint.analysis.launch import device_nodes
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import (
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Lambda,
    Launch,
    Member,
    Storage,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Decl, If
from cudalint.lint.model.types import IntType, PointerType, RecordType
from cudalint.lint.model.walk import Node, unwrapped, walk


def grid_edits(flow: LaunchFlow, fault: LaunchFault, others: Sequence[LaunchFault] = ()) -> tuple[Edit, ...]:
    """The edit of a grid that was found wrong; none where the kernel or the source does not allow one.

    `n / b` is rounded up, a multiplication with the block is left out, and a count of threads is divided by
    the block. `others` are all faults of the kind: a declaration may serve several of their launches.
    """
    launch = fault.launch.launch
    kernel = flow.flow.kernel(fault.launch)
    function = _holder(flow.flow.program, launch)
    if kernel is None or kernel.body is None or function is None or not fault.axis or launch.span.macro is not None:
        return ()
    index = flow.index(kernel)
    if not _indexed_globally(flow.flow.program, index, fault.axis):
        return ()
    if fault.bound is not None and not _all_guarded(index, fault.bound):
        return ()
    source = _Source(flow.flow.program, function, launch, fault.axis, [o.launch.launch for o in others])
    grid = source.grid()
    if fault.bound is None:
        made = source.without_block(grid)
    elif fault.rounded_down:
        made = source.rounded_up(grid)
    else:
        made = source.divided(grid)
    return (made,) if made is not None and made.span.file == launch.span.file else ()


def _holder(program: TranslationUnit, launch: Launch) -> Function | None:
    """The function that a launch stands in, itself and not in a lambda."""
    for site in program.launches:
        if site.launch == launch and site.function in program.functions:
            return program.functions[site.function]
    return None


# -- what the kernel allows --------------------------------------------------------------------------


def _indexed_globally(program: TranslationUnit, index: KernelIndex, axis: str) -> bool:
    """Whether the kernel uses block numbers of an axis for nothing but its global index, and reads well."""
    inside: set[Span] = set()
    strides: set[Span] = set()
    for node in index.nodes:
        if not isinstance(node, Binary):
            continue
        parts = [n for n in walk(node) if isinstance(n, Builtin)]
        if index.global_axis(node) == axis:
            inside.update(n.span for n in parts)
        elif node.op == "*" and {n.name for n in parts} == {"blockDim", "gridDim"} and len(parts) == 2:
            strides.update(n.span for n in parts)
    builtins = [n for n in device_nodes(program, index.kernel) if isinstance(n, Builtin) and n.axis in {axis, ""}]
    blocks = [n.span for n in builtins if n.name == "blockIdx"]
    grids = [n.span for n in builtins if n.name == "gridDim"]
    return index.readable and bool(blocks) and inside.issuperset(blocks) and strides.issuperset(grids)


def _all_guarded(index: KernelIndex, bound: Bound) -> bool:
    """Whether all accesses of a kernel through its parameters, and all calls with pointers, are under a guard."""
    guard = next(
        (n for n in index.nodes if isinstance(n, If) and any(part is bound.node for part in walk(n.condition))), None
    )
    body = index.kernel.body
    if guard is None or body is None or (bound.leaves and guard not in body.body):
        return False

    def under(span: Span) -> bool:
        if bound.leaves:
            return span.offset >= guard.span.end_offset
        return guard.then.span.offset <= span.offset and span.end_offset <= guard.then.span.end_offset

    return all(under(n.span) for n in _effects(index))


def _effects(index: KernelIndex) -> Iterator[Index | Deref | Call]:
    for node in index.nodes:
        if isinstance(node, Deref) or (isinstance(node, Index) and isinstance(node.base.type, PointerType)):
            yield node
        elif isinstance(node, Call) and not node.constructor:
            outside = node.key is not None or node.callee is not None
            if outside or any(isinstance(a.type, PointerType) for a in node.args):
                yield node


# -- the source --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """One launch in its function, with the axis to edit and the launches with the same fault."""

    program: TranslationUnit
    function: Function
    launch: Launch
    axis: str
    alike: list[Launch]

    def grid(self) -> Expr:
        """The expression of the grid's extent, in the launch or in a declaration made for it."""
        return self._extent(self.launch.grid, alone=True)

    def _extent(self, shape: Expr, *, alone: bool) -> Expr:
        for _ in range(4):
            shape = unwrapped(shape)
            if isinstance(shape, Call) and shape.constructor and len(shape.args) == len(AXES):
                shape = shape.args[AXES.index(self.axis)]
            elif isinstance(shape, Var):
                init = self._declared(shape, alone=alone)
                if init is None:
                    return shape
                shape = init
            else:
                return shape
        return shape

    def _nodes(self) -> Iterator[Node]:
        return walk(self.function.body) if self.function.body is not None else iter(())

    def _declared(self, use: Var, *, alone: bool) -> Expr | None:
        """What a local variable is made from and keeps; `alone`: and only such launches use it, as their grid."""
        key = use.symbol.key
        decls = [n for n in self._nodes() if isinstance(n, Decl) and n.symbol.key == key]
        if len(decls) != 1 or use.symbol.storage is not Storage.LOCAL or self._changed(key):
            return None
        if alone:
            uses = sum(isinstance(n, Var) and n.symbol.key == key for n in self._nodes())
            block = self.program.text(self.launch.block.span)
            grids = [
                n
                for n in self._nodes()
                if isinstance(n, Launch)
                and (n == self.launch or n in self.alike)
                and self.program.text(n.block.span) == block
                and n.key == self.launch.key
            ]
            mine = sum(isinstance(n, Var) and n.symbol.key == key for g in grids for n in walk(g.grid))
            captured = any(
                isinstance(n, Lambda) and any(c.symbol.key == key for c in n.captures) for n in self._nodes()
            )
            if captured or uses != mine:
                return None
        return decls[0].init

    def _changed(self, key: str) -> bool:
        return self.function.body is None or changes(self.function.body, key)

    # -- the three repairs ---------------------------------------------------------------------

    def rounded_up(self, grid: Expr) -> Edit | None:
        """`n / b` becomes `(n + b - 1) / b`."""
        grid = _inner(grid)
        if not isinstance(grid, Binary) or grid.op != "/" or not isinstance(grid.type, IntType):
            return None
        left, right = self._operand(grid.left), self._operand(grid.right, tight=True)
        if left is None or right is None or grid.span.macro is not None or not _pure(grid.right):
            return None
        return Edit(grid.span, f"({left} + {_less_one(unwrapped(grid.right), right)}) / {right}")

    def without_block(self, grid: Expr) -> Edit | None:
        """`q * b` becomes `q`."""
        grid = _inner(grid)
        if not isinstance(grid, Binary) or grid.op != "*" or grid.span.macro is not None:
            return None
        block = self._extent(self.launch.block, alone=False)
        factors = [f for f in (grid.left, grid.right) if not self._same(f, block)]
        if len(factors) != 1:
            return None
        kept = self.program.text(factors[0].span)
        whole = kept and kept.startswith(factors[0].span.macro or "")
        return Edit(grid.span, kept) if whole else None

    def divided(self, grid: Expr) -> Edit | None:
        """`n` becomes `(n + b - 1) / b`."""
        plain = grid.span.macro is None or grid.span.macro == self.program.text(grid.span)
        if not isinstance(grid.type, IntType) or not plain or not self.program.text(grid.span):
            return None
        count, block = self._operand(grid), self._block_at(grid.span)
        if count is None or block is None:
            return None
        expr, text = block
        return Edit(unwound(self.program, grid.span), f"({count} + {_less_one(expr, text)}) / {text}")

    def _block_at(self, place: Span) -> tuple[Expr, str] | None:
        """The block's extent as it can be written at a place, tight enough to divide by."""
        shape = unwrapped(self.launch.block)
        inside = self.launch.span.offset <= place.offset < self.launch.span.end_offset
        if isinstance(shape, Var) and isinstance(shape.type, RecordType):
            value = self._extent(shape, alone=False)
            if isinstance(value, Const) and (value.text is not None or value.span.macro is not None):
                text = self._operand(value, tight=True)
                return (value, text) if text is not None else None
            return (shape, f"{shape.symbol.name}.{self.axis}") if self._stands(shape, place, inside) else None
        if isinstance(shape, Call) and shape.constructor and len(shape.args) == len(AXES):
            shape = unwrapped(shape.args[AXES.index(self.axis)])
        fine = all(self._stands(n, place, inside) for n in walk(shape) if isinstance(n, Var))
        named = any(isinstance(n, Const) and n.text is None and n.span.macro is None for n in walk(shape))
        text = self._operand(shape, tight=True)
        if text is None or not _pure(shape) or not fine or (named and not inside):
            return None
        return shape, text

    def _stands(self, use: Var, place: Span, inside: bool) -> bool:
        """Whether a variable can be used at a place and has the value there that the launch sees."""
        if inside:
            return True
        symbol = use.symbol
        local = symbol.storage in {Storage.LOCAL, Storage.PARAM}
        before = symbol.span.file == place.file and symbol.span.offset < place.offset
        return local and before and not self._changed(symbol.key)

    def _same(self, one: Expr, block: Expr) -> bool:
        """Whether an operand is the block's extent: the same constant, or the same unchanging variable."""
        one, block = self._extent(one, alone=False), unwrapped(block)
        if isinstance(one, Const) and isinstance(block, Const):
            return one.value == block.value
        if isinstance(one, Var) and isinstance(block, Var):
            return one.symbol.key == block.symbol.key
        shape = unwrapped(self.launch.block)
        return (
            isinstance(one, Member)
            and one.field == self.axis
            and isinstance(shape, Var)
            and isinstance(one.base, Var)
            and one.base.symbol.key == shape.symbol.key
            and not self._changed(shape.symbol.key)
        )

    def _operand(self, expr: Expr, *, tight: bool = False) -> str | None:
        """The source of an operand, in brackets where a sum (`tight`: a division) would tear it apart."""
        expr = unwrapped(expr)
        text = self.program.text(expr.span)
        if not text or (expr.span.macro is not None and not text.startswith(expr.span.macro)):
            return None
        if expr.span.macro is not None:
            return text if is_one_token(self.program, text) else f"({text})"
        loose = isinstance(expr, Conditional | Assign) or (
            isinstance(expr, Binary) and (tight or expr.op not in {"*", "/", "%", "+", "-"})
        )
        return f"({text})" if loose else text


def _inner(expr: Expr) -> Expr:
    """An integer expression without the casts around it."""
    while isinstance(expr, Cast) and isinstance(expr.type, IntType) and isinstance(expr.operand.type, IntType):
        expr = expr.operand
    return expr


def _pure(expr: Expr) -> bool:
    return not any(
        isinstance(n, Assign | IncDec | Unknown | Lambda) or (isinstance(n, Call) and not n.constructor)
        for n in walk(expr)
    )


def _less_one(expr: Expr, text: str) -> str:
    """One less than an operand: as a number, where it is written as one."""
    if isinstance(expr, Const) and isinstance(expr.value, int) and text.isdecimal():
        return str(expr.value - 1)
    return f"{text} - 1"
