"""Neighbouring scalar stores of a thread as one vector store: `p[4 * i] = a; … p[4 * i + 3] = d;`.

The statements have to follow each other, and their values must not depend on memory. That the places are an
aligned vector for every thread is read off the executed accesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from cudalint.lint.analysis.memory import Site
from cudalint.lint.analysis.precision import MATH
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import (
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Expr,
    Index,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, ExprStmt, Stmt
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, Type, spelled
from cudalint.lint.model.walk import walk

VECTORS = {
    "float": ("float", (4, 2)),
    "int": ("int", (4, 2)),
    "unsigned int": ("uint", (4, 2)),
    "double": ("double", (2,)),
    "unsigned char": ("uchar", (4,)),
}
"""Element types with the name of their vectors in CUDA and the widths that one store moves."""

_PURE = Var | Const | Builtin | Cast | Unary | Binary | Conditional


def store_as_vector(unit: Unit, site: Site) -> Rewrite | None:
    """The edit that joins the store of `site` with its neighbours, or None where they are not one aligned vector."""
    if site.access.kind is not AccessKind.STORE:
        return None
    kernel = site.trace.kernel
    for run in _runs(unit.program, kernel, site.span):
        spans = [s.expr.target.span for s in run if isinstance(s.expr, Assign)]
        whole = site.stride == site.access.size * len(run)  # nothing of a sector stays unused
        if whole and all(_aligned(trace, spans) for trace in unit.traces(kernel)):
            return _joined(unit.program, run)
    return None


def _runs(program: TranslationUnit, kernel: Function, place: Span) -> Iterator[Sequence[ExprStmt]]:
    """Statements that follow each other and store to one pointer, with the one at a place among them."""
    for node in walk(kernel.body) if kernel.body is not None else ():
        if not isinstance(node, Block):
            continue
        for at, first in enumerate(node.body):
            vector = _vector(first)
            for width in vector[1] if vector is not None else ():
                run = [s for s in node.body[at : at + width] if isinstance(s, ExprStmt) and _stores(s, first)]
                here = any(isinstance(s.expr, Assign) and s.expr.target.span == place for s in run)
                if len(run) == width and here and _adjacent(program, run):
                    yield run


def _vector(stmt: Stmt) -> tuple[str, tuple[int, ...]] | None:
    """The vector type's stem and widths for a plain store of a scalar through a pointer."""
    match stmt:
        case ExprStmt(expr=Assign(op="=", target=Index(base=Var(type=PointerType() as kind)) as target, span=span)):
            if span.macro is None and not kind.volatile and all(isinstance(n, _PURE) for n in walk(target.index)):
                return VECTORS.get(spelled(target.type))
    return None


def _stores(stmt: ExprStmt, first: Stmt) -> bool:
    """Whether a statement stores to the same pointer as the first, a value that no store before it changes."""
    if _vector(stmt) is None or not isinstance(first, ExprStmt):
        return False
    mine, its = stmt.expr, first.expr
    assert isinstance(mine, Assign)
    assert isinstance(its, Assign)
    assert isinstance(mine.target, Index)
    assert isinstance(its.target, Index)
    parts = walk(mine.value)
    return _pointer(mine.target) == _pointer(its.target) and all(
        _registers(p) and not _may_overflow(p) for p in parts
    )


def _pointer(target: Index) -> str | None:
    return target.base.symbol.key if isinstance(target.base, Var) else None


def _registers(node: object) -> bool:
    """Whether a part of a value comes from registers: a scalar variable, arithmetic, a math function."""
    if isinstance(node, Var):
        return not isinstance(node.type, ArrayType | PointerType)
    pure = isinstance(node, _PURE)
    return pure or (isinstance(node, Call) and node.key is None and node.name.removesuffix("f") in MATH)


def _may_overflow(node: object) -> bool:
    """Whether a floating-point number becomes a small integer: what is out of range depends on the instruction."""
    if not isinstance(node, Cast) or not isinstance(node.type, IntType):
        return False
    return node.type.bits < 32 and isinstance(node.operand.type, FloatType)


def _adjacent(program: TranslationUnit, run: Sequence[ExprStmt]) -> bool:
    """Whether there is nothing but a semicolon between statements."""
    for one, other in pairwise(run):
        data = program.files[one.span.file][one.expr.span.end_offset : other.expr.span.offset]
        if one.span.file != other.span.file or not re.fullmatch(rb"\s*;\s*", data):
            return False
    return True


def _aligned(trace: Trace, spans: Sequence[Span]) -> bool:
    """Whether the stores at these places are an aligned vector, in this order, whenever they run."""
    events = [e for e in trace.accesses() if e.span in spans and e.kind is AccessKind.STORE]
    if not events or len(events) % len(spans):
        return False
    for at in range(0, len(events), len(spans)):
        run = events[at : at + len(spans)]
        first = run[0]
        base = first.address[first.mask]
        if [e.span for e in run] != list(spans) or (base % (first.size * len(spans))).any():
            return False
        if not all(_follows(first, e, k) for k, e in enumerate(run)):
            return False
    return True


def _follows(first: Access, other: Access, by: int) -> bool:
    same = other.object.id == first.object.id and np.array_equal(other.mask, first.mask)
    return (
        same
        and not other.address_taint & OPAQUE
        and np.array_equal(other.address[other.mask], first.address[first.mask] + by * first.size)
    )


def _joined(program: TranslationUnit, run: Sequence[ExprStmt]) -> Rewrite:
    first, last = run[0].expr, run[-1].expr
    assert isinstance(first, Assign)
    vector = f"{VECTORS[spelled(_element(first.target))][0]}{len(run)}"
    values = ", ".join(program.text(s.expr.value.span) for s in run if isinstance(s.expr, Assign))
    span, end = first.span, last.span
    whole = Span(span.file, span.line, span.column, end.end_line, end.end_column, span.offset, end.end_offset)
    text = f"*reinterpret_cast<{vector}*>(&{program.text(first.target.span)}) = make_{vector}({values})"
    return ((whole, text),)


def _element(target: Expr) -> Type:
    return target.type
