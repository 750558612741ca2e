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
from cudalint.lint.model.types import PointerType, RecordType
from cudalint.lint.model.walk import Node, children, uncast, walk

_STATEMENTS = get_args(Stmt)
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_DEPTH = 3
"""Calls inside calls that are read."""
Touches = dict[tuple[str, ...], frozenset["ParameterTouch"]]


@dataclass(frozen=True, slots=True)
class ParameterTouch:
    """A kernel reads or writes through a pointer parameter.

    `first`: thread 0 of block 0 surely does so at element 0, because the index is exactly the global one and
    nothing but a bound on it decides. `atomic`: it updates in one step.
    """

    writes: bool
    first: bool
    atomic: bool = False


def parameter_touches(program: TranslationUnit, kernel: Function, depth: int = _DEPTH) -> Touches:
    """By parameter key, and the names of the members that lead from a structure to the pointer.

    Of callees, those in the unit that are given such a pointer are read as well, `depth` calls deep.
    """
    return _Reader(program, kernel, depth).found()


class _Reader:
    """Walks a kernel's statements, with what is sure to be executed by the first thread."""

    def __init__(self, program: TranslationUnit, kernel: Function, depth: int) -> None:
        self.kernel = kernel
        self.program = program
        self.depth = depth
        self.index = KernelIndex(program, kernel)
        self._touches: dict[tuple[str, ...], set[ParameterTouch]] = {}
        self._records = {p.key for p in kernel.params if isinstance(p.type, RecordType)}
        self._strided = {
            part.symbol.key
            for node in self.index.nodes
            if isinstance(node, For)
            for part in node.init
            if isinstance(part, Decl) and part.init is not None and self.index.global_axis(part.init) == "x"
        }

    def found(self) -> Touches:
        assert self.kernel.body is not None
        if any(map(_talks_with_host, self.index.nodes)):
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
            case Call():
                self._callee(expr)
                self._parts(expr, sure=sure)
            case AddressOf(operand=Index(index=index)):
                self._expression(index, sure=sure)
            case _ if not isinstance(expr, (AddressOf, Lambda)):
                self._parts(expr, sure=sure)

    def _atomic(self, target: Expr) -> None:
        """An atomic update of `p[i]` (`&p[i]`) or of `*p` (`p`)."""
        target = uncast(target)
        place = target.operand if isinstance(target, AddressOf) else Deref(target, target.type, target.span)
        key = self._key(place) if isinstance(place, (Index, Deref)) else None
        if key is not None:
            self._touches.setdefault(key, set()).add(ParameterTouch(True, False, True))

    def _callee(self, call: Call) -> None:
        """What a function does through a pointer that it is given."""
        if call.name.startswith("atomic") and call.args:
            self._atomic(call.args[0])
        function = self.program.functions.get(call.key or "")
        if function is None or function.body is None or not self.depth or function.key == self.kernel.key:
            return
        given = [
            (param.key, key)
            for param, arg in zip(function.params, call.args, strict=False)
            if isinstance(param.type, PointerType) and (key := self._key(Deref(arg, arg.type, arg.span))) is not None
        ]
        inside = parameter_touches(self.program, function, self.depth - 1) if given else {}
        for inner, key in given:
            for touch in inside.get((inner,), ()):
                self._touches.setdefault(key, set()).add(ParameterTouch(touch.writes, False, touch.atomic))

    def _key(self, access: Index | Deref) -> tuple[str, ...] | None:
        """The parameter that an access goes through, and the members of it that lead to the pointer."""
        parameter = self.index.parameter_of(access)
        if parameter is not None:
            return None if _volatile(parameter) else (parameter.key,)
        base = access.base if isinstance(access, Index) else access.pointer
        while isinstance(base := uncast(base), Binary) and base.op in {"+", "-"}:
            base = base.left if isinstance(base.left.type, PointerType) else base.right
        names: list[str] = []
        while isinstance(base, Member) and not base.arrow:
            names.insert(0, base.field)
            base = base.base
        named = names and isinstance(base, Var) and base.symbol.key in self._records
        return (base.symbol.key, *names) if named and isinstance(base, Var) else None

    def _access(self, expr: Expr, *, writes: bool, sure: bool) -> None:
        """An lvalue that is read or written: note it where it leads into a parameter's buffer."""
        while isinstance(expr, (Member, Cast)) and not (isinstance(expr, Member) and expr.arrow):
            expr = expr.base if isinstance(expr, Member) else expr.operand
        if isinstance(expr, Index):
            self._expression(expr.index, sure=sure)
        key = self._key(expr) if isinstance(expr, (Index, Deref)) else None
        if key is not None:
            first = sure and isinstance(expr, Index) and self._is_first(expr, key)
            self._touches.setdefault(key, set()).add(ParameterTouch(writes, first))

    def _is_first(self, access: Index, key: tuple[str, ...]) -> bool:
        base, index = uncast(access.base), uncast(access.index)
        direct = isinstance(base, Member) or (isinstance(base, Var) and base.symbol.key == key[0])
        strided = isinstance(index, Var) and index.symbol.key in self._strided
        return direct and (strided or self.index.global_axis(index) == "x")


def _talks_with_host(node: Node) -> bool:
    """Whether a kernel talks with the host while it runs: by fences for all, or sleeping until a word changes."""
    if isinstance(node, Call):
        return node.name == "__threadfence_system"
    if not isinstance(node, (For, While)) or not any(
        isinstance(n, Call) and n.name == "__nanosleep" for n in walk(node)
    ):
        return False
    parts = [node.condition, *(n.condition for n in walk(node.body) if isinstance(n, If))]
    return any(isinstance(n, (Index, Deref, Call, Member)) for p in parts if p is not None for n in walk(p))


def _volatile(parameter: Symbol) -> bool:
    return parameter.volatile or (isinstance(parameter.type, PointerType) and parameter.type.volatile)
