"""How a kernel uses its thread coordinates, read off its model: global indices, guards, unguarded accesses.

Axis by axis. A value *rests on* an axis when threadIdx or blockIdx of that axis goes into it. This looks at
the code of the kernel alone and claims nothing about what it cannot read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cudalint.lint.model.expressions import (
    AddressOf,
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
    Member,
    Storage,
    Symbol,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import (
    Asm,
    Block,
    Decl,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    Try,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import ArrayType, PointerType
from cudalint.lint.model.walk import Node, children, uncast, walk

_COORDINATES = frozenset({"threadIdx", "blockIdx"})
_CLAMPS = frozenset({"min", "max", "clamp", "fminf", "fmaxf", "umin", "umax", "__min", "__max"})
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison of exactly the global index of an axis with a parameter: `index op parameter`."""

    axis: str
    op: str
    parameter: Symbol
    node: Binary
    leaves: bool
    """The kernel is left where it holds (`if (i >= n) return;`); otherwise the work is done there."""


class KernelIndex:
    """The thread coordinates of one kernel."""

    def __init__(self, program: TranslationUnit, kernel: Function) -> None:
        self.program = program
        self.kernel = kernel
        assert kernel.body is not None
        self._helpers: dict[str, Expr] = _index_helpers(program)
        self.nodes: list[Node] = list(self._walked(kernel.body))

    def _walked(self, node: Node) -> Iterator[Node]:
        """Everything below a node, with what index helpers return in the place of their calls."""
        for part in walk(node):
            yield part
            if isinstance(part, Call) and part.key in self._helpers:
                yield from walk(self._helpers[part.key])

    def _is_helper(self, node: Node) -> bool:
        return isinstance(node, Call) and node.key in self._helpers

    @cached_property
    def readable(self) -> bool:
        """False when something in the kernel is not understood."""
        return not any(isinstance(n, (Unknown, UnknownStmt, Asm, Lambda, Try, RangeFor)) for n in self.nodes)

    @cached_property
    def strides_over_grid(self) -> bool:
        """Whether the kernel asks for the size of the grid: it takes whatever grid it gets."""
        return any(isinstance(n, Builtin) and n.name == "gridDim" for n in self.nodes) or any(
            isinstance(n, Call) and n.name in {"num_threads", "size", "num_blocks", "group_dim", "dim_blocks"}
            for n in self.nodes
        )

    @cached_property
    def axes(self) -> frozenset[str]:
        """The axes along which blocks are told apart."""
        return frozenset(n.axis for n in self.nodes if isinstance(n, Builtin) and n.name == "blockIdx" and n.axis)

    @cached_property
    def _definitions(self) -> dict[str, list[Expr]]:
        found: dict[str, list[Expr]] = {}
        for node in self.nodes:
            if isinstance(node, Decl) and node.init is not None:
                found.setdefault(node.symbol.key, []).append(node.init)
            elif isinstance(node, Assign) and isinstance(node.target, Var):
                value: Expr = node.value
                found.setdefault(node.target.symbol.key, []).append(value)
            elif isinstance(node, IncDec) and isinstance(node.target, Var):
                found.setdefault(node.target.symbol.key, []).append(node.target)
        return found

    @cached_property
    def _resting(self) -> dict[str, set[str]]:
        """For each axis, the keys of variables that rest on it."""
        result: dict[str, set[str]] = {}
        for axis in ("x", "y", "z"):
            keys: set[str] = set()
            grown = True
            while grown:
                grown = False
                for key, values in self._definitions.items():
                    if key not in keys and any(self._rests(v, axis, keys) for v in values):
                        keys.add(key)
                        grown = True
            result[axis] = keys
        return result

    def _rests(self, expr: Node, axis: str, keys: set[str]) -> bool:
        return any(
            (isinstance(n, Builtin) and n.name in _COORDINATES and n.axis in {axis, ""})
            or (isinstance(n, Var) and n.symbol.key in keys)
            for n in self._walked(expr)
        )

    def rests_on(self, expr: Node, axis: str) -> bool:
        """Whether an expression rests on an axis."""
        return self._rests(expr, axis, self._resting[axis])

    def global_axis(self, expr: Expr) -> str | None:
        """The axis whose global index an expression is, exactly: `blockIdx.x * blockDim.x + threadIdx.x`."""
        expr = uncast(expr)
        if isinstance(expr, Call) and expr.key in self._helpers:
            return self.global_axis(self._helpers[expr.key])
        if isinstance(expr, Var):
            values = self._definitions.get(expr.symbol.key, [])
            return self.global_axis(values[0]) if len(values) == 1 and uncast(values[0]) != expr else None
        if not isinstance(expr, Binary) or expr.op != "+":
            return None
        for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
            thread, product = self._single(one), self._single(other)
            if not isinstance(thread, Builtin) or thread.name != "threadIdx":
                continue
            if isinstance(product, Binary) and product.op == "*":
                factors = [self._single(product.left), self._single(product.right)]
                block = [f for f in factors if isinstance(f, Builtin) and f.name == "blockIdx"]
                size = [
                    f for f in factors if isinstance(f, Const) or (isinstance(f, Builtin) and f.name == "blockDim")
                ]
                if block and size and block[0].axis == thread.axis:
                    return thread.axis
        return None

    def _single(self, expr: Expr) -> Expr:
        """An expression, or what the variable that it is was defined as (once)."""
        expr = uncast(expr)
        if isinstance(expr, Var):
            values = self._definitions.get(expr.symbol.key, [])
            if len(values) == 1 and isinstance(uncast(values[0]), (Builtin, Binary)):
                return uncast(values[0])
        return expr

    # -- guards --------------------------------------------------------------------------------

    def decisions(self) -> Iterator[Expr]:
        """Everything that the kernel decides by: conditions, selections, clamps, remainders and masks."""
        for node in self.nodes:
            match node:
                case If(condition=condition) | Switch(condition=condition) | While(condition=condition):
                    yield condition
                case For(condition=condition) if condition is not None:
                    yield condition
                case Conditional(condition=condition):
                    yield condition
                case Binary(op=op) if op in {"&&", "||", "%", "&", "<", ">", "<=", ">=", "==", "!=", "/", ">>"}:
                    yield node
                case Call() if node.key is not None or node.callee is not None or node.name in _CLAMPS:
                    if not self._is_helper(node):
                        yield node
                case _:
                    pass

    def guarded(self, axis: str) -> bool:
        """Whether anything that rests on an axis decides something, or goes where that cannot be seen."""
        return any(self.rests_on(node, axis) for node in self.decisions())

    def accesses(self, axis: str) -> Iterator[Index | Deref]:
        """Accesses through pointer parameters at addresses that rest on an axis."""
        pointers = self._parameter_pointers
        for node in self.nodes:
            if isinstance(node, Index) and isinstance(node.base.type, PointerType):
                root = _root(node.base)
                if root in pointers and self.rests_on(node, axis):
                    yield node
            elif isinstance(node, Deref):
                root = _root(node.pointer)
                if root in pointers and self.rests_on(node.pointer, axis) and not _is_reference(node.pointer):
                    yield node

    @cached_property
    def _parameter_pointers(self) -> dict[str, Symbol]:
        """Pointer variables that lead into a parameter's buffer, with that parameter."""
        found = {p.key: p for p in self.kernel.params if isinstance(p.type, PointerType)}
        for _ in range(3):
            for node in self.nodes:
                if isinstance(node, Decl) and node.init is not None and isinstance(node.symbol.type, PointerType):
                    root = _root(node.init)
                    if root in found:
                        found.setdefault(node.symbol.key, found[root])
        return found

    def parameter_of(self, access: Index | Deref) -> Symbol | None:
        """The pointer parameter that an access goes through."""
        root = _root(access.base if isinstance(access, Index) else access.pointer)
        return self._parameter_pointers.get(root) if root else None

    def bounds(self) -> list[Bound]:
        """Comparisons of exactly a global index with a parameter, in the conditions of branches and loops."""
        assert self.kernel.body is not None
        return list(self._bounds_in(self.kernel.body))

    def _bounds_in(self, stmt: Stmt) -> Iterator[Bound]:
        if isinstance(stmt, If):
            leaves = _only_leaves(stmt.then) and stmt.otherwise is None
            joined = "||" if leaves else "&&"
            for part in _joined_by(stmt.condition, joined):
                bound = self._bound(part, leaves)
                if bound is not None:
                    yield bound
        for child in children(stmt):
            if isinstance(child, (Block, If, For, While, Switch)):
                yield from self._bounds_in(child)

    def _bound(self, expr: Expr, leaves: bool) -> Bound | None:
        expr = uncast(expr)
        if isinstance(expr, Unary) and expr.op == "!":
            return None
        if not isinstance(expr, Binary) or expr.op not in _FLIPPED:
            return None
        for index, limit, op in ((expr.left, expr.right, expr.op), (expr.right, expr.left, _FLIPPED[expr.op])):
            axis, parameter = self.global_axis(index), uncast(limit)
            if axis and isinstance(parameter, Var) and parameter.symbol.storage is Storage.PARAM:
                if parameter.symbol.key in self._definitions:
                    return None
                return Bound(axis, op, parameter.symbol, expr, leaves)
        return None


def _index_helpers(program: TranslationUnit) -> dict[str, Expr]:
    """Device functions that do nothing but return a value made of coordinates, with that value, by key."""
    found: dict[str, Expr] = {}
    for key, function in program.functions.items():
        body = function.body.body if function.body is not None and not function.params else ()
        value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
        if value is not None and all(isinstance(n, (Binary, Builtin, Cast, Const)) for n in walk(value)):
            found[key] = value
    return found


def _joined_by(expr: Expr, op: str) -> Iterator[Expr]:
    expr = uncast(expr)
    if isinstance(expr, Binary) and expr.op == op:
        yield from _joined_by(expr.left, op)
        yield from _joined_by(expr.right, op)
    elif not (isinstance(expr, Binary) and expr.op in {"&&", "||"}):
        yield expr


def _only_leaves(stmt: Stmt) -> bool:
    if isinstance(stmt, Block):
        return len(stmt.body) == 1 and _only_leaves(stmt.body[0])
    return isinstance(stmt, Return)


def _is_reference(expr: Expr) -> bool:
    return isinstance(expr.type, PointerType) and expr.type.reference


def _root(expr: Expr) -> str | None:
    """The variable that a pointer expression starts from."""
    while True:
        match expr:
            case Var(symbol=symbol):
                return symbol.key
            case Cast(operand=operand) | AddressOf(operand=operand):
                expr = operand
            case Binary(op="+" | "-", left=left, right=right):
                expr = left if isinstance(left.type, (PointerType, ArrayType)) else right
            case Index(base=base) | Member(base=base, arrow=False):
                expr = base
            case _:
                return None
