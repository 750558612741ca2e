"""Expressions that can be evaluated again, or by threads that had left: no effects, nothing loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping

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
    InitList,
    Member,
    Storage,
    Unary,
    Var,
)
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.statements import Decl, Stmt
from cudalint.lint.model.types import IntType, PointerType
from cudalint.lint.model.walk import walk

_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_SHARED_BY_BLOCK = frozenset({"blockIdx", "blockDim", "gridDim", "warpSize"})
_PLAIN_CALLS = frozenset({"min", "max", "abs"})


def pure(expr: Expr) -> bool:
    """Whether evaluating an expression has no effect and reads no memory that others can write."""
    match expr:
        case Const() | Builtin():
            return True
        case Var(symbol=symbol):
            return symbol.storage in (Storage.LOCAL, Storage.PARAM) and not symbol.volatile
        case Unary(operand=inner) | Cast(operand=inner):
            return pure(inner)
        case Binary(left=left, right=right):
            return pure(left) and pure(right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return pure(condition) and pure(then) and pure(otherwise)
        case InitList(items=items):
            return all(pure(item) for item in items)
        case Member(base=base, arrow=False):
            return pure(base)
        case AddressOf(operand=operand):
            return _plain_place(operand)
        case Call(args=args, name=name, receiver=None):
            return name in _PLAIN_CALLS and all(pure(arg) for arg in args)
        case _:
            return False


def _plain_place(place: Expr) -> bool:
    """Whether where an lvalue lies is known without reading memory."""
    match place:
        case Var():
            return True
        case Index(base=base, index=index):
            return pure(index) and (pure(base) if isinstance(base.type, PointerType) else _plain_place(base))
        case Deref(pointer=pointer):
            return pure(pointer)
        case Member(base=base, arrow=arrow):
            return pure(base) if arrow else _plain_place(base)
        case _:
            return False


def names(node: Expr | Stmt) -> set[str]:
    """The keys of the variables that occur in a node."""
    return {n.symbol.key for n in walk(node) if isinstance(n, Var)}


def changed(node: Expr | Stmt) -> set[str]:
    """The keys of the variables that a node assigns, or whose address it takes."""
    found: set[str] = set()
    for part in walk(node):
        target: Expr | None = None
        if isinstance(part, Assign | IncDec):
            target = part.target
        elif isinstance(part, AddressOf) and not part.decay:
            target = part.operand
        while isinstance(target, Member | Index):
            target = target.base
        if isinstance(target, Var):
            found.add(target.symbol.key)
    return found


def declared(node: Expr | Stmt) -> set[str]:
    """The keys of the variables that a node declares."""
    return {n.symbol.key for n in walk(node) if isinstance(n, Decl)}


def shared_by_block(expr: Expr, values: Mapping[str, Expr], changing: Collection[str]) -> bool:
    """Whether all threads of a block compute one value: of launch, parameters, and variables made of such.

    `values` are what variables are declared with, `changing` the keys of those that are assigned later.
    """
    for node in walk(expr):
        match node:
            case Builtin(name=name):
                if name not in _SHARED_BY_BLOCK:
                    return False
            case Var(symbol=symbol):
                if symbol.key in changing:
                    return False
                value = values.get(symbol.key)
                if symbol.storage is not Storage.PARAM and (
                    value is None or not shared_by_block(value, values, {*changing, symbol.key})
                ):
                    return False
            case Const() | Unary() | Binary() | Cast() | Conditional():
                continue
            case Call(name=name, receiver=None) if name in _PLAIN_CALLS:
                continue
            case _:
                return False
    return True


def negated(program: TranslationUnit, expr: Expr) -> str:
    """The opposite of a condition, as a user would write it; safe as a part of `… && …`."""
    match expr:
        case Unary(op="!", operand=Binary(op="||") as operand):
            return f"({program.text(operand.span)})"
        case Unary(op="!", operand=operand):
            return program.text(operand.span)
        case Binary(op="||", left=left, right=right):
            return f"{negated(program, left)} && {negated(program, right)}"
        case Binary(op=op, left=left, right=right) if op in _OPPOSITE and _integers(left, right):
            return f"{program.text(left.span)} {_OPPOSITE[op]} {program.text(right.span)}"
        case _:
            return f"!({program.text(expr.span)})"


def _integers(left: Expr, right: Expr) -> bool:
    """Whether a comparison is of integers: with NaN, the opposite of `<` is not `>=`."""
    return isinstance(left.type, IntType) and isinstance(right.type, IntType)
