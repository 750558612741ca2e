"""Pad the rows of a shared array with one extent: `s[ty * 16 + tx]` becomes `s[ty * (16 + 1) + tx]`.

Every index of the array is rewritten. Where an index is a product with the width of the rows plus something, the
width grows; else the padding of the rows before is added. Whether all the new indices mean the place that the old
ones meant is not assumed: the rewritten kernel is executed, and every access compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from cudalint.lint.analysis.banks import Layout, only_indexed, padded
from cudalint.lint.analysis.memory import Site
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.trace import OPAQUE, Access, Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import (
    AddressOf,
    Binary,
    Builtin,
    Cast,
    Const,
    Expr,
    Index,
    Member,
    Symbol,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import INT
from cudalint.lint.model.walk import rebuilt, terms, unwrapped, walk

WIDEST_ROW = 256
"""Elements of a row, at most: wider ones seldom are rows of a tile."""

_EXTENT = re.compile(r"[\w\s+*\-]+")
_PURE = Var | Const | Builtin | Cast | Unary | Binary | Member


def row_widths(kernel: Function, symbol: Symbol) -> list[int]:
    """The constants that indices of an array are multiplied with: how wide its rows may be."""
    widths: dict[int, None] = {}
    for use in _uses(kernel, symbol):
        for node in walk(use.index):
            if isinstance(node, Binary) and node.op == "*":
                for side in (node.left, node.right):
                    value = _constant(side)
                    if value is not None and 2 <= value <= WIDEST_ROW:
                        widths[value] = None
    return list(widths)


def pad_rows(unit: Unit, site: Site, layout: Layout) -> Rewrite | None:
    """The edits that give an array a layout with padded rows, or None where not every index can be rewritten."""
    symbol, kernel, row = site.object.symbol, site.trace.kernel, layout.row
    if symbol is None or row is None or not only_indexed(unit.program, symbol, 1):
        return None
    same = [k for k in unit.kernels if k.pattern == kernel.pattern]
    found: dict[Span, str] | None = None
    for one in same:
        changed: dict[int, Expr] = {}
        edits: dict[Span, str] = {}
        for use in _uses(one, symbol):
            made = _rewritten(unit.program, use.index, row, layout.pad)
            if made is None:
                return None
            node, with_what, span, text = made
            changed[id(node)] = with_what
            edits[span] = text
        if (found is not None and edits != found) or not _means_the_same(unit, one, symbol, changed, layout):
            return None
        found = edits
    size = _declared(unit.program, symbol, row, layout.pad)
    if found is None or size is None or _overlap(found):
        return None
    return (size, *found.items())


def _uses(kernel: Function, symbol: Symbol) -> Iterator[Index]:
    """The subscripts of an array in a kernel, each once."""
    for node in walk(kernel.body) if kernel.body is not None else ():
        if isinstance(node, Index) and _array(node.base) is not None and _array(node.base) == symbol.span:
            yield node


def _array(base: Expr) -> Span | None:
    while isinstance(base, AddressOf) and base.decay:
        base = base.operand
    return base.symbol.span if isinstance(base, Var) else None


def _rewritten(program: TranslationUnit, index: Expr, row: int, pad: int) -> tuple[Expr, Expr, Span, str] | None:
    """The node of an index to replace, by what, and the same as an edit."""
    wide = _width(index, row)
    if wide is not None:
        text = program.text(wide.span)
        if wide.span.macro is not None and wide.span.macro != text:
            return None
        return wide, _number(wide, row + pad), replace(wide.span, macro=None), f"({text} + {pad})"
    text = program.text(index.span)
    if index.span.macro is not None or not text or not all(isinstance(n, _PURE) for n in walk(index)):
        return None
    if (value := _constant(index)) is not None:
        moved = value + value // row * pad
        return index, _number(index, moved), index.span, text if moved == value else f"{text} + {moved - value}"
    plain = text if isinstance(index, Var | Builtin) else f"({text})"
    times = f" * {pad}" if pad > 1 else ""
    before: Expr = Binary("/", index, _number(index, row), index.type, index.span)
    if pad > 1:
        before = Binary("*", before, _number(index, pad), index.type, index.span)
    moved_index = Binary("+", index, before, index.type, index.span)
    return index, moved_index, index.span, f"{plain} + {plain} / {row}{times}"


def _width(index: Expr, row: int) -> Expr | None:
    """The constant `row` in an index that is a sum with one product by it."""
    summands = list(terms(index, unwrapped))
    products = [
        t for t in summands if isinstance(t, Binary) and t.op == "*" and row in map(_constant, (t.left, t.right))
    ]
    if len(products) != 1:
        return None
    product = products[0]
    return unwrapped(product.right if _constant(product.right) == row else product.left)


def _constant(expr: Expr) -> int | None:
    inner = unwrapped(expr)
    return int(inner.value) if isinstance(inner, Const) and isinstance(inner.value, int) else None


def _number(like: Expr, value: int) -> Const:
    return Const(value, INT if not isinstance(like, Const) else like.type, like.span)


def _means_the_same(
    unit: Unit, kernel: Function, symbol: Symbol, changed: Mapping[int, Expr], layout: Layout
) -> bool:
    """Whether every access of the rewritten kernel is where the layout moves the old one to."""
    from cudalint.lint.analysis.execute import execute

    assert layout.row is not None
    body = rebuilt(kernel.body, lambda node: changed.get(id(node)))
    for trace in unit.traces(kernel):
        before = _accesses(trace, symbol)
        again = execute(unit.program, replace(kernel, body=body), trace.shape, blocks=3)
        after = _accesses(again, symbol)
        if not trace.complete or len(before) != len(after):
            return False
        for old, new in zip(before, after, strict=True):
            size = old.object.element.size
            moved = padded(layout.row * size, layout.pad * size)(old.address)
            if old.address_taint & OPAQUE or not np.array_equal(old.mask, new.mask):
                return False
            if (old.address[old.mask] < 0).any() or not np.array_equal(moved[old.mask], new.address[old.mask]):
                return False
    return True


def _accesses(trace: Trace, symbol: Symbol) -> list[Access]:
    return [
        a for a in trace.accesses(Space.SHARED) if a.object.symbol is not None and a.object.symbol.span == symbol.span
    ]


def _declared(program: TranslationUnit, symbol: Symbol, row: int, pad: int) -> tuple[Span, str] | None:
    """What to insert behind the extent in the declaration."""
    data = program.files.get(symbol.span.file, b"")
    found = re.compile(rb"\b" + re.escape(symbol.name.encode()) + rb"\s*\[([^\[\]]*)\]").search(
        data, symbol.span.offset
    )
    if found is None or b";" in data[symbol.span.offset : found.start()]:
        return None
    extent = found[1].decode("utf-8", "replace").strip()
    if not _EXTENT.fullmatch(extent):
        return None
    before = data[: found.end(1)]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    span = Span(symbol.span.file, line, column, line, column, found.end(1), found.end(1))
    plain = extent if extent.isidentifier() or extent.isdigit() else f"({extent})"
    return span, f" + {plain} / {row}{f' * {pad}' if pad > 1 else ''}"


def _overlap(edits: Mapping[Span, str]) -> bool:
    spans: Sequence[Span] = sorted(edits, key=lambda s: (s.file, s.offset))
    return any(a.file == b.file and b.offset < a.end_offset for a, b in pairwise(spans))
