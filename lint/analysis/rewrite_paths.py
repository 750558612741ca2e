"""Which lanes of a warp come to a statement of a kernel: all, or those of the first threads, by one guard before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from cudalint.lint.analysis.rewrite_uniform import Names, plain
from cudalint.lint.model.expressions import Assign, Binary, Const, Expr, IncDec, Unary, Var
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
    Block,
    Break,
    Continue,
    Decl,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    While,
)
from cudalint.lint.model.walk import Node, children, walk


class NoFitError(Exception):
    """The code has not the form that can be rewritten."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What to insert a vote before, and whose condition to vote on; `negated` where it sends lanes away."""

    anchor: Stmt
    condition: Expr | None = None
    negated: bool = False


def path_to(body: Stmt, place: Span) -> list[Node]:
    """The nodes from a body down to the innermost one around a place."""
    path: list[Node] = []
    node: Node | None = body
    while node is not None:
        path.append(node)
        node = next((c for c in children(node) if _around(c.span, place)), None)
    return path


def _around(whole: Span, place: Span) -> bool:
    return place.file == whole.file and whole.offset <= place.offset and place.end_offset <= whole.end_offset


def guard_of(path: Sequence[Node], names: Names) -> Guard:
    """The guard of the last statement of a path; raises `NoFitError` where other things keep lanes from it.

    What stands between a kernel's body and the statement may be blocks, conditions and counted loops that all threads
    of a block share, and one condition that the first threads meet.
    """
    found: list[Guard] = []
    for above, node in pairwise(path):
        match above:
            case Block(body=body):
                for before in body[: next(i for i, s in enumerate(body) if s is node)]:
                    found += _sent_away(before, names)
            case If(condition=condition, then=then, init=()):
                if not names.uniform(condition):
                    if node is not then or not _first_threads(condition, names, negated=False):
                        raise NoFitError("guard")
                    found.append(Guard(above, condition))
            case For():
                _counted_together(above, names)
            case _:
                raise NoFitError("in another statement")
    blocks = [s for b in path if isinstance(b, Block) for s in b.body]
    if len(found) > 1 or any(not any(g.anchor is s for s in blocks) for g in found):
        raise NoFitError("guards")
    top = path[0]
    assert isinstance(top, Block)
    return found[0] if found else Guard(next(s for s in top.body if s is path[1]))


def _sent_away(stmt: Stmt, names: Names) -> list[Guard]:
    """The guard that a statement before is, if threads return there."""
    if not any(isinstance(n, Return) for n in walk(stmt)):
        return []
    match stmt:
        case If(condition=condition, then=Return() | Block(body=(Return(),)), otherwise=None, init=()):
            if names.uniform(condition):
                return []
            if _first_threads(condition, names, negated=True):
                return [Guard(stmt, condition, negated=True)]
    raise NoFitError("returns before")


def _first_threads(condition: Expr, names: Names, *, negated: bool) -> bool:
    """Whether a condition holds for the threads of a block below some number, or, negated, for the others."""
    match condition:
        case Unary(op="!", operand=operand):
            return _first_threads(operand, names, negated=not negated)
        case Binary(op=op, left=left, right=right) if op == ("||" if negated else "&&"):
            return all(names.uniform(s) or _first_threads(s, names, negated=negated) for s in (left, right))
        case Binary(op=op, left=left, right=right):
            below, above = ("<", "<="), (">", ">=")
            if op in (above if negated else below):
                return names.thread(left) and names.uniform(right)
            if op in (below if negated else above):
                return names.thread(right) and names.uniform(left)
    return False


def _counted_together(loop: For, names: Names) -> None:
    """Raise `NoFitError` unless all threads make the same iterations."""
    match loop:
        case For(
            init=(Decl(symbol=symbol, init=start),),
            condition=Binary(op="<" | "<=" | ">" | ">=", left=left, right=right),
            step=Assign(op="+=" | "-=", target=Var(symbol=stepped)) | IncDec(target=Var(symbol=stepped)) as step,
        ) if start is not None and names.uniform(start) and names.uniform(right):
            counter = plain(left)
            by = step.value if isinstance(step, Assign) else Const(1, step.type, step.span)
            own = isinstance(counter, Var) and counter.symbol.key == symbol.key == stepped.key
            stays = not _sets(loop.body, symbol.key) and not breaks_out(loop.body)
            if own and stays and names.uniform(by) and not any(isinstance(n, Return) for n in walk(loop.body)):
                return
    raise NoFitError("outer loop")


def _sets(body: Stmt, key: str) -> bool:
    writes = [n.target for n in walk(body) if isinstance(n, Assign | IncDec)]
    return any(isinstance(t, Var) and t.symbol.key == key for t in writes)


def breaks_out(body: Node) -> bool:
    """Whether a body ends or cuts short the iterations of its own loop."""
    if isinstance(body, Break | Continue):
        return True
    if isinstance(body, For | While | RangeFor):
        return False
    if isinstance(body, Switch):
        return any(isinstance(n, Continue) for n in walk(body))
    return any(breaks_out(c) for c in children(body))
