"""Align a record, so that it moves as whole vectors: the rewrite of an array of small records.

A record whose size is a multiple of 8 or 16 bytes, but whose alignment is that of its fields, is loaded field by
field. With the larger alignment nothing about its layout changes, and the compiler may load it as vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from cudalint.lint.analysis.memory import Site, Verdict, sites
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.trace import Access, Event, Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Cast, Expr, Symbol
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.types import ArrayType, PointerType, RecordType, Type, VoidType
from cudalint.lint.model.walk import Node, walk

VECTORS = (16, 8)
"""Bytes that one load moves at most, and the next smaller vector."""

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def align_record(unit: Unit, site: Site, record: RecordType) -> tuple[int, Rewrite] | None:
    """The alignment to give a record and the edit that does; None unless the wasteful access of `site` is gone then.

    None, too, where the record is part of another one whose layout would change, where other memory is cast to it,
    and where its definition cannot be found.
    """
    wanted = next((n for n in VECTORS if record.size % n == 0 and n > record.align), None)
    if wanted is None or not _helps(site, record, wanted) or not _fits(unit.program, record, wanted):
        return None
    if any((a.offset_bytes or 0) % wanted for a in site.trace.shape.args):
        return None
    place = _head(unit.program, record.name)
    return None if place is None else (wanted, ((place, f" alignas({wanted})"),))


def _helps(site: Site, record: RecordType, wanted: int) -> bool:
    """Whether the access is no longer wasteful when the compiler knows the alignment."""
    aligned = replace(record, align=wanted)
    trace = replace(site.trace, events=tuple(_with(e, record, aligned) for e in site.trace.events))
    same = [
        s for s in sites(trace, Space.GLOBAL) if s.object.id == site.object.id and s.access.kind is site.access.kind
    ]
    return all(s.verdict is not Verdict.BAD for s in same) and _costs(trace) < _costs(site.trace)


def _costs(trace: Trace) -> int:
    return sum(s.cost.used for s in sites(trace, Space.GLOBAL))


def _with(event: Event, record: RecordType, aligned: RecordType) -> Event:
    if not isinstance(event, Access):
        return event
    if event.field_of == record:
        event = replace(event, field_of=aligned)
    if event.expr.type == record:
        expr: Expr = replace(event.expr, type=aligned)
        event = replace(event, expr=expr)
    return event


def _fits(program: TranslationUnit, record: RecordType, wanted: int) -> bool:
    """Whether no other record changes its layout, and no memory of another kind is taken for such records."""
    for node in _nodes(program):
        if isinstance(node, Cast) and _points_to(node.type, record) and isinstance(node.operand.type, PointerType):
            source = node.operand.type.pointee
            if source != record and not isinstance(source, VoidType):
                return False
    return all(
        member.offset % wanted == 0 and other.size % wanted == 0
        for other in _records(program)
        for member in other.fields
        if other != record and _element(member.type) == record
    )


def _nodes(program: TranslationUnit) -> Iterator[Node]:
    for function in program.functions.values():
        if function.body is not None:
            yield from walk(function.body)


def _points_to(of: Type, record: RecordType) -> bool:
    return isinstance(of, PointerType) and of.pointee == record


def _element(of: Type) -> Type:
    while isinstance(of, ArrayType):
        of = of.element
    return of


def _records(program: TranslationUnit) -> set[RecordType]:
    """The records that the program's variables and parameters are made of."""
    symbols: list[Symbol] = [g.symbol for g in program.globals]
    symbols += [p for f in program.functions.values() for p in f.params]
    symbols += [n.symbol for n in _nodes(program) if isinstance(n, Decl)]
    todo: list[Type] = [s.type for s in symbols]
    todo += [f.receiver for f in program.functions.values() if f.receiver is not None]
    found: set[RecordType] = set()
    while todo:
        of = _element(todo.pop())
        if isinstance(of, PointerType):
            todo.append(of.pointee)
        elif isinstance(of, RecordType) and of not in found:
            found.add(of)
            todo += [f.type for f in of.fields]
    return found


def _head(program: TranslationUnit, name: str) -> Span | None:
    """Where the alignment is inserted: behind `struct` of the one definition of a record with this name."""
    short = name.rsplit("::", 1)[-1]
    if not short.isidentifier():
        return None
    named = re.compile(rb"\b(?:struct|class|union)(?=\s+" + short.encode() + rb"\b[^;{}()<>]*\{)")
    found = []
    for file, data in program.files.items():
        plain = _COMMENT.sub(lambda m: re.sub(rb"[^\n]", b" ", m.group()), data)
        found += [(file, m.end()) for m in named.finditer(plain)]
        found += [(file, at) for at in _unnamed(plain, short.encode())]
    if len(found) != 1:
        return None
    file, offset = found[0]
    before = program.files[file][:offset]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    return Span(file, line, column, line, column, offset, offset)


def _unnamed(plain: bytes, name: bytes) -> Iterator[int]:
    """Offsets behind `struct` in `typedef struct { … } name;`."""
    for end in re.finditer(rb"\}\s*" + name + rb"\s*;", plain):
        depth, at = 1, end.start()
        while at > 0 and depth:
            at -= 1
            depth += (plain[at] == 0x7D) - (plain[at] == 0x7B)
        head = re.search(rb"\btypedef\s+(?:struct|union)(\s*)$", plain[:at])
        if head is not None:
            yield head.start(1)
