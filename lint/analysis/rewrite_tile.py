"""Stage a transposing copy through a padded shared tile: the rewrite of the naive transpose.

Applies to a kernel that only declares some indices and then, perhaps behind a guard, makes one assignment whose
one side is contiguous along threadIdx.x and whose other side is contiguous along threadIdx.y. The value then goes
through a tile, and the strided side is done by the thread with x and y exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cudalint.lint.analysis.memory import Site, Verdict
from cudalint.lint.analysis.rewrite import Rewrite, launches_of
from cudalint.lint.analysis.trace import AccessKind
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Assign, Builtin, Expr, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Decl, ExprStmt, If, Return, Stmt
from cudalint.lint.model.types import spelled
from cudalint.lint.model.walk import Node, walk

NAMES = ("tile", "staged", "shared_tile")
"""Names for the tile: the first that the kernel does not use."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The parts of a transposing kernel: declarations, the guard's text, the assignment, what to replace."""

    decls: tuple[Decl, ...]
    guard: Expr | None
    negated: bool
    assign: Assign
    first: Stmt
    last: Stmt


def stage_through_tile(unit: Unit, kernel: Function, site: Site) -> Rewrite | None:
    """The edits that stage the kernel's only assignment, or None where its form does not fit.

    `site` is the kernel's strided access. All launches must use one square block of at most 32x32 threads.
    """
    side = _square_side(unit, kernel)
    parts = _parts(kernel)
    if side is None or parts is None or site.trace.kernel.key != kernel.key:
        return None
    if any(isinstance(n, Builtin) and n.span.macro for n in walk(parts.assign)) or not _transposes(site):
        return None
    text = _written(unit.program, kernel, parts, site, side)
    return None if text is None else ((_extent(unit.program, parts), text),)


def _square_side(unit: Unit, kernel: Function) -> int | None:
    shapes = {s.block for s in unit.shapes(kernel) if s.block_known}
    if len(shapes) != 1 or launches_of(unit.program, kernel) is None:
        return None
    x, y, z = shapes.pop()
    return x if x == y and z == 1 and 8 <= x <= 32 else None


def _parts(kernel: Function) -> _Copy | None:
    """Split the body into declarations, an optional guard and one assignment."""
    rest = list(kernel.body.body) if kernel.body is not None else []
    decls = []
    while rest and isinstance(rest[0], Decl) and rest[0].init is not None:
        decls.append(rest.pop(0))
    flat: list[Decl] = [d for d in decls if isinstance(d, Decl)]
    match rest:
        case [ExprStmt(expr=Assign(op="=") as assign) as only]:
            return _Copy(tuple(flat), None, False, assign, only, only)
        case [If(condition=guard, otherwise=None, init=()) as only] if (one := _single(only.then)) is not None:
            return _Copy(tuple(flat), guard, False, one, only, only)
        case [
            If(condition=guard, then=then, otherwise=None, init=()) as first,
            ExprStmt(expr=Assign(op="=") as assign) as last,
        ] if _returns(then):
            return _Copy(tuple(flat), guard, True, assign, first, last)
    return None


def _single(body: Stmt) -> Assign | None:
    inner = body.body if isinstance(body, Block) else (body,)
    match inner:
        case (ExprStmt(expr=Assign(op="=") as assign),):
            return assign
    return None


def _returns(body: Stmt) -> bool:
    inner = body.body if isinstance(body, Block) else (body,)
    return len(inner) == 1 and isinstance(inner[0], Return)


def _transposes(site: Site) -> bool:
    """Whether the strided side is contiguous for neighbours in y."""
    lanes, access = site.trace.lanes, site.access
    here = access.mask & (lanes.cta == lanes.cta[0])
    by_place = {(x, y): a for x, y, a in zip(lanes.tx[here], lanes.ty[here], access.address[here], strict=True)}
    steps = {by_place[x, y + 1] - a for (x, y), a in by_place.items() if (x, y + 1) in by_place}
    return site.verdict is Verdict.BAD and steps == {access.size}


def _written(program: TranslationUnit, kernel: Function, parts: _Copy, site: Site, side: int) -> str | None:
    """The new statements; the thread with x and y exchanged does the strided side."""
    source = program.text(kernel.span)
    name = next((n for n in NAMES if not re.search(rf"\b{n}\b", source)), None)
    if name is None:
        return None
    moved = _moved(parts.decls)
    own, other = f"{name}[threadIdx.y][threadIdx.x]", f"{name}[threadIdx.x][threadIdx.y]"
    store = site.access.kind is AccessKind.STORE
    target, value = parts.assign.target, parts.assign.value
    indent = _indent(program, parts.first.span)
    declared = [
        f"const {spelled(d.symbol.type)} {d.symbol.name}_t = {_exchanged(program, d.init, moved)};"
        for d in parts.decls
        if d.symbol.key in moved and d.init is not None
    ]
    plain = {False: program.text(target.span), True: program.text(value.span)}
    turned = {False: _exchanged(program, target, moved), True: _exchanged(program, value, moved)}
    near = f"{own} = {plain[True]};" if store else f"{own} = {turned[True]};"
    far = f"{turned[False]} = {other};" if store else f"{plain[False]} = {other};"
    guards = (_guard(program, parts, {}), _guard(program, parts, moved))
    first_guard, second_guard = guards if store else guards[::-1]
    first = [f"{first_guard}{near}"]
    second = [f"{second_guard}{far}"]
    barrier = "__syncthreads();"
    order = [*first, barrier, *declared, *second] if store else [*declared, *first, barrier, *second]
    kind = spelled(parts.assign.target.type)
    lines = [f"__shared__ {kind} {name}[{side}][{side} + 1];", *order]
    return f"\n{indent}".join(lines)


def _guard(program: TranslationUnit, parts: _Copy, moved: Mapping[str, str]) -> str:
    if parts.guard is None:
        return ""
    text = _exchanged(program, parts.guard, moved) if moved else program.text(parts.guard.span)
    return f"if (!({text})) " if parts.negated else f"if ({text}) "


def _moved(decls: Sequence[Decl]) -> dict[str, str]:
    """The variables that depend on threadIdx, by key, with the names of their exchanged twins."""
    moved: dict[str, str] = {}
    for decl in decls:
        assert decl.init is not None
        if any(_turns(node, moved) for node in walk(decl.init)):
            moved[decl.symbol.key] = f"{decl.symbol.name}_t"
    return moved


def _turns(node: Node, moved: Mapping[str, str]) -> bool:
    if isinstance(node, Builtin):
        return node.name == "threadIdx" and node.axis in {"x", "y"}
    return isinstance(node, Var) and node.symbol.key in moved


def _exchanged(program: TranslationUnit, expr: Expr | None, moved: Mapping[str, str]) -> str:
    """The expression's text for the thread with x and y exchanged."""
    assert expr is not None
    places: dict[Span, str] = {}
    for node in walk(expr):
        if isinstance(node, Builtin) and node.name == "threadIdx" and node.axis in {"x", "y"}:
            places[node.span] = f"threadIdx.{'y' if node.axis == 'x' else 'x'}"
        elif isinstance(node, Var) and node.symbol.key in moved:
            places[node.span] = moved[node.symbol.key]
    data = program.files[expr.span.file]
    out, at = b"", expr.span.offset
    for span, text in sorted(places.items(), key=lambda item: item[0].offset):
        out += data[at : span.offset] + text.encode()
        at = span.end_offset
    return (out + data[at : expr.span.end_offset]).decode("utf-8", "replace")


def _indent(program: TranslationUnit, span: Span) -> str:
    data = program.files[span.file]
    line = data[data.rfind(b"\n", 0, span.offset) + 1 : span.offset].decode("utf-8", "replace")
    return line if line.isspace() or not line else " " * (len(line) - len(line.lstrip()))


def _extent(program: TranslationUnit, parts: _Copy) -> Span:
    """From the guard or assignment to its end, with the closing semicolon."""
    first, last = parts.first.span, parts.last.span
    data = program.files[first.file]
    end = last.end_offset
    behind = re.match(rb"\s*;", data[end:])
    if behind and data[end - 1 : end] not in {b";", b"}"}:
        end += behind.end()
    extra = end - last.end_offset
    return Span(
        first.file, first.line, first.column, last.end_line, last.end_column + extra, first.offset, end, first.macro
    )
