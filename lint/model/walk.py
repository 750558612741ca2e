"""Walk expressions and statements in source order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any, cast, get_args

from cudalint.lint.model.expressions import Call, Cast, Expr
from cudalint.lint.model.statements import Case, Stmt

Node = Expr | Stmt | Case
_NODES: tuple[type, ...] = (*get_args(Expr), *get_args(Stmt), Case)


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name not in {"span", "head", "type", "symbol"})


def children(node: Node) -> Iterator[Node]:
    """The direct parts of a node that are nodes themselves."""
    kind: Any = type(node)
    for name in _names(kind):
        value: Any = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, _NODES):
                yield cast(Node, item)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first. Bodies of lambdas and callees are not entered."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))


def unwrapped(expr: Expr) -> Expr:
    """An expression without the copies and conversions that the compiler put around it."""
    while True:
        if isinstance(expr, Cast) and not expr.explicit:
            expr = expr.operand
        elif isinstance(expr, Call) and expr.constructor and len(expr.args) == 1:
            expr = expr.args[0]
        else:
            return expr
