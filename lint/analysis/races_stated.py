"""Conditions that a kernel states of its parameters: in an `assert`, an assumption, an annotation.

A call whose only argument is a condition, of a function that has no body here, counts as one: what else would it
be called for. Conditions are evaluated for one value of one parameter under a launch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from cudalint.lint.analysis.trace import LaunchShape
from cudalint.lint.model.expressions import (
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Expr,
    Symbol,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import IntType
from cudalint.lint.model.walk import uncast, walk

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&&": lambda a, b: a and b,
    "||": lambda a, b: a or b,
}
_SIZES = {"blockDim": "block", "gridDim": "grid"}


class Stated:
    """The conditions that a kernel states."""

    def __init__(self, kernel: Function, shape: LaunchShape) -> None:
        self._shape = shape
        self._conditions = list(_conditions(kernel))

    def allows(self, symbol: Symbol, value: int) -> bool:
        """Whether a parameter may have a value: no condition that mentions it is false, or not to be told."""
        return all(
            self._evaluate(condition, symbol, value) for condition in self._conditions if _mentions(condition, symbol)
        )

    def _evaluate(self, expr: Expr, symbol: Symbol, value: int) -> Any:
        """The value of an expression, None where it is not known."""
        match expr:
            case Const(value=number):
                return number
            case Var(symbol=used):
                return value if used == symbol else None
            case Builtin(name=name, axis=axis) if name in _SIZES and axis:
                return getattr(self._shape, _SIZES[name])["xyz".index(axis)]
            case Cast(operand=operand):
                return self._evaluate(operand, symbol, value)
            case Unary(op="!", operand=operand):
                inner = self._evaluate(operand, symbol, value)
                return None if inner is None else not inner
            case Unary(op="-", operand=operand):
                inner = self._evaluate(operand, symbol, value)
                return None if inner is None else -inner
            case Binary(op=op, left=left, right=right) if op in _OPERATIONS:
                a, b = self._evaluate(left, symbol, value), self._evaluate(right, symbol, value)
                return None if a is None or b is None else _OPERATIONS[op](a, b)
        return None


def _conditions(kernel: Function) -> Iterator[Expr]:
    for node in walk(kernel.body) if kernel.body is not None else ():
        match node:
            case Call(key=None, args=(condition,)) | Unknown(parts=(Unknown(parts=()), condition)):
                if _truth(condition):
                    yield condition
            case Conditional(condition=condition, otherwise=Call(name="__assert_fail")):
                yield condition


def _truth(expr: Expr) -> bool:
    """Whether an expression is a condition, also one of `|` and `&`."""
    expr = uncast(expr)
    if isinstance(expr, Binary) and expr.op in ("|", "&"):
        return _truth(expr.left) and _truth(expr.right)
    return isinstance(expr.type, IntType) and expr.type.name == "bool"


def _mentions(expr: Expr, symbol: Symbol) -> bool:
    return any(isinstance(node, Var) and node.symbol == symbol for node in walk(expr))
