"""Which code only the last block runs: conditions on the number that counting by an atomic gave to a block.

Decided on the model: what an atomic returns is followed through variables, shared flags, votes and the results of
functions, to a comparison (`ticket == gridDim.x - 1`), and from there to the conditions that turn on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
    Index,
    Storage,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Decl, If, Return, Stmt
from cudalint.lint.model.walk import Node, children, walk

PASSES = 4
"""How often variables and functions are gone through: results pass through that many of them at most."""
_COUNTING = ("atomicInc", "atomicAdd", "atomicDec", "atomicSub")
_METHODS = ("fetch_add", "fetch_sub", "__nv_atomic_fetch_add", "__nv_atomic_fetch_sub")
_PASSING = ("__shfl", "__any", "__all", "__syncthreads_", "shfl", "any", "all", "__ldg", "min", "max")
"""Functions that hand on what they are given, as far as it tells the last block (votes, shuffles)."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
Counts = frozenset[Span]
"""Spans of calls that count."""


@dataclass(frozen=True, slots=True)
class Region:
    """Code that only the block runs which counted last: `counts` are the calls by which it is told."""

    span: Span
    counts: Counts


class LastTests:
    """The regions of the last block in the device code of a program."""

    def __init__(self, program: TranslationUnit) -> None:
        self._tickets: dict[str, Counts] = {}
        self._lasts: dict[str, tuple[bool, Counts]] = {}
        self._values: dict[str, Expr] = {}
        self._others: set[str] = set()
        self.regions: list[Region] = []
        functions = [f for f in program.functions.values() if f.body is not None and f.kind is not FunctionKind.HOST]
        if not any(_counts(node) for f in functions if f.body is not None for node in walk(f.body)):
            return
        for _ in range(PASSES):
            known = len(self._tickets) + len(self._lasts)
            for function in functions:
                self._follow(function)
            if len(self._tickets) + len(self._lasts) == known:
                break
        for function in functions:
            if function.body is not None:
                self.regions.extend(self._regions(function.body, function.body.span))

    def _follow(self, function: Function) -> None:
        """Note what the variables of a function, and its result, are made of."""
        assert function.body is not None
        for node in walk(function.body):
            if isinstance(node, Decl) and node.init is not None:
                self._values[node.symbol.key] = node.init
                self._note(node.symbol.key, node.init)
            elif isinstance(node, Assign) and node.op == "=" and (key := _variable(node.target)) is not None:
                self._note(key, node.value)
            elif isinstance(node, Return) and node.value is not None:
                self._note(function.key, node.value)
            elif isinstance(node, If):
                self._flags(node)

    def _note(self, key: str, value: Expr) -> None:
        """Note one value of a variable. One that is a ticket at one time and something else at another is none."""
        test = self._test(value)
        if test is not None:
            self._lasts.setdefault(key, test)
        elif counts := self._ticket(value):
            self._tickets.setdefault(key, counts)
        elif not isinstance(value, Const):
            self._others.add(key)
        if key in self._others:
            self._tickets.pop(key, None)
            self._lasts.pop(key, None)

    def _flags(self, decision: If) -> None:
        """Flags that are set where the block is known to be the last: `if (ticket == n - 1) last = true;`."""
        test = self._test(decision.condition)
        if test is None or not test[0]:
            return
        for node in walk(decision.then):
            if isinstance(node, Assign) and node.op == "=" and isinstance(node.value, Const) and node.value.value:
                key = _variable(node.target)
                if key is not None:
                    self._lasts.setdefault(key, test)

    def _ticket(self, expr: Expr) -> Counts:
        """The counts that a number comes from; empty where it comes from none."""
        if isinstance(expr, Call):
            if _counts(expr):
                return frozenset((expr.span,))
            if expr.key in self._tickets:
                return self._tickets[expr.key]
            passed = [self._ticket(arg) for arg in expr.args] if expr.name.startswith(_PASSING) else []
            return frozenset().union(*passed)
        key = _variable(expr)
        if key is not None:
            return self._tickets.get(key, frozenset())
        if isinstance(expr, Binary | Unary | Cast | Conditional):
            return frozenset().union(*(self._ticket(part) for part in _operands(expr)))
        return frozenset()

    def _test(self, expr: Expr) -> tuple[bool, Counts] | None:
        """Whether a condition is true (or false) only in the last block, by which counts; None if no such test."""
        key = _variable(expr)
        if key is not None:
            return self._lasts.get(key)
        match expr:
            case Cast(operand=inner):
                return self._test(inner)
            case Unary(op="!", operand=inner):
                test = self._test(inner)
                return None if test is None else (not test[0], test[1])
            case Conditional(condition=condition, then=Const(value=yes), otherwise=Const(value=no)) if yes and not no:
                return self._test(condition)
            case Binary(op="&&" | "||" as op, left=left, right=right):
                tests = [t for t in (self._test(left), self._test(right)) if t is not None and t[0] is (op == "&&")]
                return tests[0] if tests else None
            case Binary(op="==" | "!=" | "<" | ">" | "<=" | ">=" as op, left=left, right=right):
                return self._comparison(op, left, right) or self._comparison(_MIRRORED.get(op, op), right, left)
            case Call(name=name, key=of, args=args):
                if of in self._lasts:
                    return self._lasts[of]
                passed = [self._test(arg) for arg in args] if name.startswith(_PASSING) else []
                return next((t for t in passed if t is not None), None)
            case _:
                return None

    def _comparison(self, op: str, ticket: Expr, other: Expr) -> tuple[bool, Counts] | None:
        """A ticket against the number of blocks. Compared with a constant, it asks for the first, or for an item."""
        counts = self._ticket(ticket)
        if not counts:
            test = self._test(ticket)
            if test is not None and op in ("==", "!=") and isinstance(other, Const):
                return (test[0] is (bool(other.value) is (op == "==")), test[1])
            return None
        return (op in ("==", ">", ">="), counts) if self._of_blocks(other) else None

    def _of_blocks(self, expr: Expr, depth: int = 0) -> bool:
        """Whether a number may be that of the blocks: made of `gridDim`, or of what the kernel is given."""
        for node in walk(expr):
            if isinstance(node, Builtin) and node.name == "gridDim":
                return True
            if isinstance(node, Var):
                value = self._values.get(node.symbol.key)
                if node.symbol.storage is Storage.PARAM:
                    return True
                if value is not None and depth < PASSES and self._of_blocks(value, depth + 1):
                    return True
        return False

    def _regions(self, node: Node, rest: Span) -> Iterator[Region]:
        """The regions in a statement; `rest` spans what a return leaves out (its part behind the statement)."""
        if isinstance(node, If):
            test = self._test(node.condition)
            if test is not None:
                yield from _sides(node, test, rest)
        for child in children(node):
            yield from self._regions(child, rest)


def _sides(decision: If, test: tuple[bool, Counts], rest: Span) -> Iterator[Region]:
    when, counts = test
    side = decision.then if when else decision.otherwise
    if side is not None:
        yield Region(side.span, counts)
    other = decision.otherwise if when else decision.then
    if other is not None and _returns(other):
        after = decision.span.after
        yield Region(replace(after, end_line=rest.end_line, end_offset=rest.end_offset), counts)


def _returns(statement: Stmt) -> bool:
    while isinstance(statement, Block) and statement.body:
        statement = statement.body[-1]
    return isinstance(statement, Return)


def _counts(node: Node) -> bool:
    """Whether a call counts by an atomic that orders nothing but itself."""
    if not isinstance(node, Call):
        return False
    if node.name in _COUNTING:
        return True
    return node.name in _METHODS and any(
        isinstance(a, Const) and "relaxed" in (a.name or "").lower() for a in node.args
    )


def _variable(expr: Expr) -> str | None:
    """The variable that an lvalue is, points through, or is the first part of."""
    while True:
        match expr:
            case Var(symbol=symbol):
                return symbol.key
            case Deref(pointer=inner) | Index(base=inner) | AddressOf(operand=inner):
                expr = inner
            case _:
                return None


def _operands(expr: Binary | Unary | Cast | Conditional) -> tuple[Expr, ...]:
    match expr:
        case Binary(left=left, right=right):
            return left, right
        case Conditional(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return (expr.operand,)
