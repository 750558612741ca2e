"""Which parameters a kernel reads and writes through, as far as its own code shows it directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from cudalint.lint.analysis.kernel_index import KernelIndex
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    IncDec,
    Index,
    Lambda,
    Member,
    Symbol,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import Block, Case, Decl, ExprStmt, For, If, Return, Stmt, Switch, While
from cudalint.lint.model.types import PointerType
from cudalint.lint.model.walk import Node, children, uncast, walk

_STATEMENTS = get_args(Stmt)
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SHARED_WITH_HOST = frozenset({"__threadfence_system", "__nanosleep"})
"""Calls of kernels that talk with the host, or wait for it, while they run."""


@dataclass(frozen=True, slots=True)
class ParameterTouch:
    """A kernel reads or writes through a pointer parameter.

    `first`: thread 0 of block 0 surely does so at element 0, because the index is exactly the global one and
    nothing but a bound on it decides. `atomic`: it updates in one step.
    """

    writes: bool
    first: bool
    atomic: bool = False


def parameter_touches(program: TranslationUnit, kernel: Function) -> dict[str, frozenset[ParameterTouch]]:
    """By parameter key. What callees do is not among them, but for the atomic functions."""
    return _Reader(program, kernel).found()


class _Reader:
    """Walks a kernel's statements, with what is sure to be executed by the first thread."""

    def __init__(self, program: TranslationUnit, kernel: Function) -> None:
        self.kernel = kernel
        self.index = KernelIndex(program, kernel)
        self._touches: dict[str, set[ParameterTouch]] = {}
        self._strided = {
            part.symbol.key
            for node in self.index.nodes
            if isinstance(node, For)
            for part in node.init
            if isinstance(part, Decl) and part.init is not None and self.index.global_axis(part.init) == "x"
        }

    def found(self) -> dict[str, frozenset[ParameterTouch]]:
        assert self.kernel.body is not None
        if any(isinstance(n, Call) and n.name in _SHARED_WITH_HOST for n in self.index.nodes):
            return {}
        self._statement(self.kernel.body, sure=True)
        return {key: frozenset(touches) for key, touches in self._touches.items()}

    def _statement(self, stmt: Stmt, *, sure: bool) -> bool:
        """Read a statement; whether the first thread is still sure to be there after it."""
        match stmt:
            case Block(body=body):
                for part in body:
                    sure = self._statement(part, sure=sure)
            case If():
                return self._if(stmt, sure=sure)
            case For() | While():
                leaves = any(isinstance(n, Return) for n in walk(stmt))
                self._parts(stmt, sure=sure)
                return sure and not leaves
            case Decl() | Return() | ExprStmt():
                self._parts(stmt, sure=sure)
            case Switch():
                self._parts(stmt, sure=False)
            case _:
                return False
        return sure

    def _if(self, stmt: If, *, sure: bool) -> bool:
        for part in stmt.init:
            self._statement(part, sure=sure)
        self._expression(stmt.condition, sure=sure)
        self._statement(stmt.then, sure=sure and self._holds(stmt.condition, "&&", ("<", "<=")))
        if stmt.otherwise is not None:
            self._statement(stmt.otherwise, sure=False)
        leaves = any(isinstance(n, Return) for n in walk(stmt))
        return sure and (not leaves or self._holds(stmt.condition, "||", (">", ">=")))

    def _holds(self, condition: Expr, joined: str, ops: tuple[str, str]) -> bool:
        """Whether a condition only compares global indices with bounds: known for the first thread."""
        condition = uncast(condition)
        if not isinstance(condition, Binary):
            return False
        if condition.op == joined:
            return all(self._holds(side, joined, ops) for side in (condition.left, condition.right))
        index, bound, op = condition.left, condition.right, condition.op
        if self.index.global_axis(index) is None:
            index, bound, op = bound, index, _FLIPPED.get(op, op)
        free = not any(self.index.rests_on(bound, axis) for axis in "xyz")
        return op in ops and free and self.index.global_axis(index) is not None

    def _parts(self, node: Node, *, sure: bool) -> None:
        for child in children(node):
            if isinstance(child, _STATEMENTS):
                self._statement(cast(Stmt, child), sure=sure)
            elif isinstance(child, Case):
                self._parts(child, sure=sure)
            else:
                self._expression(cast(Expr, child), sure=sure)

    def _expression(self, expr: Expr, *, sure: bool) -> None:
        match expr:
            case Assign(target=target, value=value):
                self._access(target, writes=True, sure=sure)
                if expr.op != "=":
                    self._access(target, writes=False, sure=sure)
                self._expression(value, sure=sure)
            case IncDec(target=target):
                self._access(target, writes=True, sure=sure)
            case Index() | Deref() | Member():
                self._access(expr, writes=False, sure=sure)
            case Conditional() | Binary(op="&&" | "||"):
                for at, part in enumerate(children(expr)):
                    self._expression(cast(Expr, part), sure=sure and at == 0)
            case Call(name=name, args=args) if name.startswith("atomic") and args:
                self._atomic(args[0])
                self._parts(expr, sure=sure)
            case AddressOf(operand=Index(index=index)):
                self._expression(index, sure=sure)
            case _ if not isinstance(expr, (AddressOf, Lambda)):
                self._parts(expr, sure=sure)

    def _atomic(self, target: Expr) -> None:
        """An atomic update of `p[i]` (`&p[i]`) or of `*p` (`p`)."""
        target = uncast(target)
        place = target.operand if isinstance(target, AddressOf) else Deref(target, target.type, target.span)
        parameter = self.index.parameter_of(place) if isinstance(place, (Index, Deref)) else None
        if parameter is not None and not _volatile(parameter):
            self._touches.setdefault(parameter.key, set()).add(ParameterTouch(True, False, True))

    def _access(self, expr: Expr, *, writes: bool, sure: bool) -> None:
        """An lvalue that is read or written: note it where it leads into a parameter's buffer."""
        while isinstance(expr, (Member, Cast)) and not (isinstance(expr, Member) and expr.arrow):
            expr = expr.base if isinstance(expr, Member) else expr.operand
        if isinstance(expr, Index):
            self._expression(expr.index, sure=sure)
        parameter = self.index.parameter_of(expr) if isinstance(expr, (Index, Deref)) else None
        if parameter is None or not isinstance(expr, (Index, Deref)) or _volatile(parameter):
            return
        first = sure and isinstance(expr, Index) and self._is_first(expr, parameter)
        self._touches.setdefault(parameter.key, set()).add(ParameterTouch(writes, first))

    def _is_first(self, access: Index, parameter: Symbol) -> bool:
        base, index = uncast(access.base), uncast(access.index)
        direct = isinstance(base, Var) and base.symbol.key == parameter.key
        strided = isinstance(index, Var) and index.symbol.key in self._strided
        return direct and (strided or self.index.global_axis(index) == "x")


def _volatile(parameter: Symbol) -> bool:
    return parameter.volatile or (isinstance(parameter.type, PointerType) and parameter.type.volatile)
