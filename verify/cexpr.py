"""C expressions in verify comments and config, parsed with pycparser, evaluated over integers and floats."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Number = int | float

_MAX_TEXT = 500


class ExpressionError(ValueError):
    """An expression that cannot be parsed or evaluated; the message names it and the cause."""


def _divide(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    return a / b


def _remainder(a: Number, b: Number) -> Number:
    return a - _divide(a, b) * b if isinstance(a, int) and isinstance(b, int) else a % b


_BINARY: Mapping[str, Callable[[Any, Any], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}
_UNARY: Mapping[str, Callable[[Any], Number]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": lambda a: int(not a),
}
_CALLS: Mapping[str, Callable[..., Number]] = {"min": min, "max": max}


def evaluate(text: str, names: Mapping[str, Number]) -> Number:
    """The value of a C expression; integer division truncates as in C. Calls: min, max.

    Raises:
        ExpressionError: not an expression, an unknown name, a division by zero, a negative shift.
    """
    try:
        return _value(_parse(text), names)
    except ExpressionError as error:
        raise ExpressionError(f"{text!r}: {error}") from None
    except (ZeroDivisionError, OverflowError, TypeError, ValueError) as error:
        raise ExpressionError(f"{text!r}: {error}") from None


@lru_cache(maxsize=256)
def _parse(text: str) -> Any:
    from pycparser import c_parser  # lazy: builds its tables on first use

    if len(text) > _MAX_TEXT or any(c in text for c in ";{}\n"):
        raise ExpressionError("not a single expression")
    try:
        tree = c_parser.CParser().parse(f"int x = ({text});")
    except Exception as error:  # pycparser raises its own class, and AssertionError on odd input
        raise ExpressionError(f"not a C expression ({error})") from None
    return tree.ext[0].init


def _value(node: Any, names: Mapping[str, Number]) -> Number:
    kind = type(node).__name__
    if kind == "Constant":
        return _constant(node.type, node.value)
    if kind == "ID":
        if node.name not in names:
            raise ExpressionError(f"unknown name {node.name!r} (known: {', '.join(sorted(names)) or 'none'})")
        return names[node.name]
    if kind == "BinaryOp" and node.op in _BINARY:
        left, right = _value(node.left, names), _value(node.right, names)
        if node.op in {"<<", ">>"} and not 0 <= right < 64:
            raise ExpressionError(f"shift by {right}")
        return _BINARY[node.op](left, right)
    if kind == "UnaryOp" and node.op in _UNARY:
        return _UNARY[node.op](_value(node.expr, names))
    if kind == "TernaryOp":
        return _value(node.iftrue if _value(node.cond, names) else node.iffalse, names)
    if kind == "FuncCall" and getattr(node.name, "name", None) in _CALLS and node.args:
        return _CALLS[node.name.name](*(_value(a, names) for a in node.args.exprs))
    raise ExpressionError(f"{kind} is not supported here")


def _constant(kind: str, text: str) -> Number:
    if kind in {"float", "double", "long double"}:
        return float(text.rstrip("fFlL"))
    if "int" in kind:
        digits = text.rstrip("uUlL")
        return int(digits, 8) if digits.startswith("0") and digits.isdigit() and len(digits) > 1 else int(digits, 0)
    raise ExpressionError(f"{text} is not a number")
