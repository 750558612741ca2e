"""Walk expressions and statements in source order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, get_args, get_type_hints

from cudalint.lint.model.expressions import AddressOf, Assign, Binary, Call, Cast, Expr, IncDec, Var
from cudalint.lint.model.statements import Block, Case, Decl, Stmt

Node = Expr | Stmt | Case
_NODES: frozenset[Any] = frozenset((*get_args(Expr), *get_args(Stmt), Case))


def _holds_nodes(annotation: object) -> bool:
    return annotation in _NODES or any(map(_holds_nodes, get_args(annotation)))


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes. `head` repeats what other fields hold."""
    hints = get_type_hints(kind)
    return tuple(f.name for f in fields(kind) if f.name != "head" and _holds_nodes(hints[f.name]))


def children(node: Node) -> list[Node]:
    """The direct parts of a node that are nodes themselves."""
    found: list[Any] = []
    kind: Any = type(node)
    for name in _names(kind):
        value: Any = getattr(node, name)
        if type(value) is tuple:
            found += [item for item in value if type(item) in _NODES]
        elif type(value) in _NODES:
            found.append(value)
    return found


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first. Bodies of lambdas and callees are not entered."""
    if type(node) is not Block:
        return _below(node)
    known = _walked.get(id(node))
    if known is None or known[0] is not node:
        if len(_walked) >= _KEPT:
            _walked.clear()
        known = _walked[id(node)] = (node, tuple(_below(node)))
    return iter(known[1])


_KEPT = 1024
_walked: dict[int, tuple[Block, tuple[Node, ...]]] = {}
"""What is below blocks, by identity: every rule walks the same bodies. Kept until there are so many of them."""


def _below(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack += reversed(children(top))


def unwrapped(expr: Expr) -> Expr:
    """An expression without the copies and conversions that the compiler put around it."""
    while True:
        if isinstance(expr, Cast) and not expr.explicit:
            expr = expr.operand
        elif isinstance(expr, Call) and expr.constructor and len(expr.args) == 1:
            expr = expr.args[0]
        else:
            return expr


def uncast(expr: Expr) -> Expr:
    """An expression without any conversion around it, written or not."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def terms(expr: Expr, bare: Callable[[Expr], Expr]) -> Iterator[Expr]:
    """What an expression adds up, or itself where it is no sum. `bare` takes off the conversions to look through."""
    expr = bare(expr)
    if isinstance(expr, Binary) and expr.op == "+":
        yield from terms(expr.left, bare)
        yield from terms(expr.right, bare)
    else:
        yield expr


def only_value(var: Var, body: Stmt | None) -> Expr | None:
    """What a local variable is declared with, where nothing in its function sets it again or takes its address."""
    found: Expr | None = None
    for node in walk(body) if body is not None else ():
        if isinstance(node, Decl) and node.symbol.key == var.symbol.key:
            found = node.init
            continue
        changed = node.target if isinstance(node, Assign | IncDec) else None
        changed = node.operand if isinstance(node, AddressOf) else changed
        if isinstance(changed, Var) and changed.symbol.key == var.symbol.key:
            return None
    itself = found is not None and any(isinstance(n, Var) and n.symbol.key == var.symbol.key for n in walk(found))
    return None if itself else found


def rebuilt(node: Any, change: Callable[[Node], Node | None]) -> Any:
    """The node with every node below it for which `change` gives another one put in its place; parents first."""
    found = change(node)
    if found is not None:
        return found
    values = {}
    kind: Any = type(node)
    for name in _names(kind):
        old = getattr(node, name)
        if type(old) is tuple:
            new: Any = tuple(rebuilt(item, change) if type(item) in _NODES else item for item in old)
            same = all(a is b for a, b in zip(old, new, strict=True))
        else:
            new = rebuilt(old, change) if type(old) in _NODES else old
            same = new is old
        if not same:
            values[name] = new
    return replace(node, **values) if values else node
