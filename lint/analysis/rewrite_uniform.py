"""What the names in a kernel stand for, as far as its own text fixes it: the same for the whole block, or the thread.

A name is fixed when it has one declaration with a value and nothing else ever writes to it or takes its address.
"""

from __future__ import annotations

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
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.types import IntType, PointerType
from cudalint.lint.model.walk import children, walk


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
    for node in walk(kernel.body) if kernel.body is not None else ():
        match node:
            case Decl(symbol=symbol, init=init):
                if symbol.key in declared or init is None:
                    changed.add(symbol.key)
                elif symbol.storage is Storage.LOCAL:
                    values[symbol.key] = init
                declared.add(symbol.key)
            case Assign(target=Var(symbol=symbol)) | IncDec(target=Var(symbol=symbol)):
                changed.add(symbol.key)
            case Assign(target=Member() as target) | IncDec(target=Member() as target):
                changed |= {n.symbol.key for n in walk(target) if isinstance(n, Var)}
            case AddressOf(operand=Var(symbol=symbol), decay=False):
                changed.add(symbol.key)
            case Lambda(captures=captures):
                changed |= {c.symbol.key for c in captures}
            case Call(receiver=receiver) if receiver is not None:
                changed |= {n.symbol.key for n in walk(receiver) if isinstance(n, Var)}
    return Names({k: v for k, v in values.items() if k not in changed}, frozenset(changed))


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
