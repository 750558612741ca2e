"""What the names in a kernel stand for, as far as its own text fixes it: the same for the whole block, or the thread.

A name is fixed when one declaration, or one assignment after it, gives it a value, and nothing else ever writes to it
or takes its address.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cudalint.lint.analysis.precision import MATH
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
    Var,
)
from cudalint.lint.model.program import Function
from cudalint.lint.model.statements import Decl, ExprStmt
from cudalint.lint.model.types import IntType, PointerType
from cudalint.lint.model.walk import Node, children, walk


@dataclass(frozen=True, slots=True)
class Names:
    """The values of a kernel's fixed local variables, and the keys of what is written to, by symbol key."""

    values: dict[str, Expr]
    changed: frozenset[str]

    def value(self, expr: Expr) -> Expr:
        """An expression without conversions between wide integers, a fixed variable's value in its place."""
        expr = plain(expr)
        while isinstance(expr, Var) and expr.symbol.key in self.values:
            expr = plain(self.values[expr.symbol.key])
        return expr

    def uniform(self, expr: Expr) -> bool:
        """Whether all threads of a block compute the same, from constants, parameters and the launch alone."""
        match expr:
            case Const():
                return True
            case Builtin(name=name):
                return name != "threadIdx"
            case Var(symbol=symbol):
                if symbol.key in self.values:
                    return self.uniform(self.values[symbol.key])
                return symbol.storage is Storage.PARAM and symbol.key not in self.changed
            case AddressOf(operand=Index(base=base, index=index)):
                return self.uniform(base) and self.uniform(index)
            case Call() if not mathematical(expr):
                return False
            case Member(arrow=True):
                return False
            case Unary() | Cast() | Member() | Binary() | Conditional() | Call():
                return all(self.uniform(part) for part in children(expr) if isinstance(part, Expr))
        return False

    def thread(self, expr: Expr) -> bool:
        """Whether an integer is `threadIdx.x` plus something that the whole block shares."""
        match self.value(expr):
            case Builtin(name="threadIdx", axis="x"):
                return True
            case Binary(op="+", left=left, right=right):
                return (self.thread(left) and self.uniform(right)) or (self.uniform(left) and self.thread(right))
        return False

    def root(self, expr: Expr) -> Symbol | None:
        """The parameter or array that a pointer points into, where uniform arithmetic leads there."""
        match plain(expr):
            case Var(symbol=symbol) if symbol.key in self.values and isinstance(symbol.type, PointerType):
                return self.root(self.values[symbol.key])
            case Var(symbol=symbol):
                return symbol
            case AddressOf(operand=operand, decay=True):
                return self.root(operand)
            case AddressOf(operand=Index(base=base)):
                return self.root(base)
            case Binary(op="+" | "-", left=left, type=PointerType()):
                return self.root(left)
            case Cast(operand=operand, type=PointerType()):
                return self.root(operand)
        return None


def names_of(kernel: Function) -> Names:
    """The fixed variables of a kernel."""
    values: dict[str, Expr] = {}
    declared: set[str] = set()
    changed: set[str] = set()
    late = _late(kernel)
    for node in walk(kernel.body) if kernel.body is not None else ():
        changed |= _changed_by(node, late)
        match node:
            case Decl(symbol=symbol, init=init) if symbol.key not in late:
                if symbol.key in declared or init is None:
                    changed.add(symbol.key)
                elif symbol.storage is Storage.LOCAL:
                    values[symbol.key] = init
                declared.add(symbol.key)
            case Assign(target=Var(symbol=symbol), value=value) if symbol.key in late:
                values[symbol.key] = value
    changed |= {key for key in late if not _settled(key, values, changed)}
    return Names({k: v for k, v in values.items() if k not in changed}, frozenset(changed))


def _changed_by(node: Node, late: Collection[str]) -> set[str]:
    """The variables that a node may change, but for the one assignment of those that are set late."""
    match node:
        case Assign(target=Var(symbol=symbol)) | IncDec(target=Var(symbol=symbol)):
            return {symbol.key} - set(late)
        case Assign(target=Member() as target) | IncDec(target=Member() as target):
            return {n.symbol.key for n in walk(target) if isinstance(n, Var)}
        case AddressOf(operand=Var(symbol=symbol), decay=False):
            return {symbol.key}
        case Lambda(captures=captures):
            return {c.symbol.key for c in captures}
        case Call(receiver=receiver) if receiver is not None:
            return {n.symbol.key for n in walk(receiver) if isinstance(n, Var)}
    return set()


def _late(kernel: Function) -> list[str]:
    """The keys of local variables that are declared without a value and assigned once."""
    bare: set[str] = set()
    writes: dict[str, list[bool]] = {}
    for node in walk(kernel.body) if kernel.body is not None else ():
        match node:
            case Decl(symbol=symbol, init=None) if symbol.storage is Storage.LOCAL:
                writes.setdefault(symbol.key, []).extend([False] if symbol.key in bare else [])
                bare.add(symbol.key)
            case ExprStmt(expr=Assign(op="=", target=Var(symbol=symbol))):
                writes.setdefault(symbol.key, []).append(True)
            case Assign(target=Var(symbol=symbol)) | IncDec(target=Var(symbol=symbol)):
                writes.setdefault(symbol.key, []).append(False)
    # an assignment is met twice, as a statement and as the expression in it
    return [key for key, plainly in writes.items() if key in bare and plainly == [True, False]]


def _settled(key: str, values: Mapping[str, Expr], changed: set[str], above: frozenset[str] = frozenset()) -> bool:
    """Whether a variable's value rests on nothing that a loop changes: then it is the same wherever it is read."""
    if key in above or key in changed or key not in values:
        return False
    for node in walk(values[key]):
        match node:
            case Index() | Deref() | IncDec() | Assign() | Call():
                return False
            case Var(symbol=symbol) if symbol.storage is Storage.PARAM:
                if symbol.key in changed:
                    return False
            case Var(symbol=symbol):
                if not _settled(symbol.key, values, changed, above | {key}):
                    return False
    return True


def plain(expr: Expr) -> Expr:
    """An expression without conversions to integers of at least 32 bits."""
    while (
        isinstance(expr, Cast) and isinstance(expr.type, IntType) and expr.type.bits >= 32 and _integral(expr.operand)
    ):
        expr = expr.operand
    return expr


def mathematical(call: Call) -> bool:
    """Whether a call is of a math function, whose result rests on its arguments alone."""
    return call.receiver is None and (call.name in MATH or (call.key is None and call.name.removesuffix("f") in MATH))


def same(one: Expr, other: Expr) -> bool:
    """Whether two integers are written alike, of constants, variables and arithmetic."""
    match plain(one), plain(other):
        case Const() as a, Const() as b:
            return a.value == b.value
        case Var() as a, Var() as b:
            return a.symbol.key == b.symbol.key
        case Builtin() as a, Builtin() as b:
            return (a.name, a.axis) == (b.name, b.axis)
        case Unary() as a, Unary() as b:
            return a.op == b.op and same(a.operand, b.operand)
        case Binary() as a, Binary() as b:
            return a.op == b.op and same(a.left, b.left) and same(a.right, b.right)
        case Member() as a, Member() as b:
            return a.offset == b.offset and same(a.base, b.base)
    return False


def _integral(expr: Expr) -> bool:
    return isinstance(expr.type, IntType)
