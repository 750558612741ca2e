"""The declarations of a unit's own files, each with what a device-only compiler may do without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cudalint.lint.frontend.index import CXCursor, ParseError, children, library, spelling
from cudalint.lint.frontend.pch import parsed
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span

_RECORDS = frozenset({2, 3, 4, 31, 32})
"""CXCursorKind: struct, union, class, class template, partial specialisation."""
_NAMESPACE, _LINKAGE = 22, 23
_FREE, _TEMPLATE, _VARIABLE, _ENUM = 8, 30, 9, 5
_CONSTRUCTOR, _DESTRUCTOR, _PARAMETER = 24, 25, 10
_MEMBERS = frozenset({21, _CONSTRUCTOR, _DESTRUCTOR, 26})
"""Method, constructor, destructor, conversion."""
_USING_NAMESPACE, _STATIC_ASSERT, _FRIEND = 34, 602, 603
_ON_DEVICE = frozenset({412, 413, 414, 416})
"""The attributes __constant__, __device__, __global__, __shared__."""
_COMPOUND = 202
_NAME = re.compile(rb"[A-Za-z_]\w*")
_DEFAULTED = re.compile(rb"\)[^{};]*=\s*(?:default|delete)\s*$")
"""What a defaulted or deleted function ends with; libclang gives it a body once it is used."""


@dataclass(frozen=True, slots=True)
class HostPart:
    """A definition that only the host needs. `body` is set for members, of which the declaration must stay."""

    span: Span
    body: Span | None


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration at namespace scope with the names that it declares.

    `host` is set for functions and variables that device code cannot use; `always` for what has to stay whatever is
    used (using directives, operators that run on the device). `inside` are the host parts of a record. `elsewhere`
    is set for a device function that is declared here and defined in some other place.
    """

    span: Span
    names: frozenset[str]
    host: bool = False
    always: bool = False
    inside: tuple[HostPart, ...] = ()
    elsewhere: bool = False


def declarations(program: TranslationUnit) -> tuple[Declared, ...]:
    """The namespace-scope declarations of the unit's own files. Parses the unit once more."""
    content = program.files.get(program.path)
    if content is None:
        return ()
    try:
        unit = parsed(program.path, program.flags, content, program.files)
    except ParseError:
        return ()
    try:
        finder = _Finder(Spans(unit.handle, program.path), frozenset(program.files))
        return tuple(finder.below(unit.cursor))
    finally:
        unit.close()


class _Finder:
    def __init__(self, spans: Spans, own: frozenset[str]) -> None:
        self._spans = spans
        self._own = own
        self._lib: Any = library()

    def below(self, scope: CXCursor) -> Iterator[Declared]:
        """The declarations in a namespace and in the namespaces inside it."""
        for cursor in children(scope):
            if cursor.kind == _NAMESPACE or (cursor.kind == _LINKAGE and self._braced(cursor)):
                yield from self.below(cursor)
            elif (span := self._span(cursor, used=True)) is not None:
                yield self._declared(cursor, span)

    def _declared(self, cursor: CXCursor, span: Span) -> Declared:
        parts = children(cursor)
        if cursor.kind == _LINKAGE and len(parts) == 1:
            return self._declared(parts[0], span)
        name = spelling(cursor)
        names = {found.decode() for found in _NAME.findall(name.encode())[:1]}
        if cursor.kind in (_FREE, _TEMPLATE, *_MEMBERS):
            host = span.macro is None and self._on_host(cursor, span, parts)
            device = not host and "operator" in names
            elsewhere = _marked(parts) and all(p.kind != _COMPOUND for p in parts)
            return Declared(span, frozenset(names), host, device, elsewhere=elsewhere)
        if cursor.kind == _VARIABLE:
            constant = self._lib.clang_isConstQualifiedType(self._lib.clang_getCursorType(cursor))
            return Declared(span, frozenset(names), not constant and not _marked(parts))
        if cursor.kind == _ENUM:
            names |= {spelling(part) for part in parts}
        if cursor.kind in _RECORDS:
            return Declared(span, frozenset(names), inside=tuple(self._members(cursor)))
        if cursor.kind == _STATIC_ASSERT:
            return Declared(span, frozenset(), host=True)
        if not names:
            names = {found.decode() for found in _NAME.findall(self._data(span))}
        return Declared(span, frozenset(names), always=cursor.kind == _USING_NAMESPACE)

    def _members(self, record: CXCursor) -> Iterator[HostPart]:
        """What only the host needs of a record: methods as a whole, of constructors and virtual methods the body."""
        for cursor in children(record):
            if cursor.kind in _RECORDS:
                yield from self._members(cursor)
                continue
            inner = next(iter(children(cursor)), None) if cursor.kind == _FRIEND else cursor
            span = self._span(cursor)
            if inner is None or span is None or inner.kind not in (_FREE, _TEMPLATE, *_MEMBERS):
                continue
            parts = children(inner)
            if not self._on_host(inner, span, parts):
                continue
            if inner.kind in (_FREE, 21) and b"virtual" not in (text := self._data(span)) and b"override" not in text:
                yield HostPart(span, None)
            elif (body := self._body(inner, span, parts)) is not None:
                yield HostPart(span, body)

    def _on_host(self, cursor: CXCursor, span: Span, parts: list[CXCursor]) -> bool:
        """Whether a function runs on the host only; compilers may run constexpr and defaulted ones anywhere."""
        if _marked(parts):
            return False
        body = next((p for p in reversed(parts) if p.kind == _COMPOUND), None)
        inner = None if body is None else self._span(body)
        text = self._data(span)
        head = text[: inner.offset - span.offset if inner is not None else None]
        free = cursor.kind in (_FREE, _TEMPLATE, *_MEMBERS)
        return free and b"constexpr" not in head and _DEFAULTED.search(text) is None

    def _body(self, cursor: CXCursor, span: Span, parts: list[CXCursor]) -> Span | None:
        body = next((p for p in reversed(parts) if p.kind == _COMPOUND), None)
        inner = None if body is None else self._span(body)
        if inner is None or cursor.kind != _CONSTRUCTOR:
            return inner
        ends = [s.end_offset for p in parts if p.kind == _PARAMETER and (s := self._span(p)) is not None]
        head = self._spans.files[span.file].data[: inner.offset]
        colon = head.find(b":", head.find(b")", max([span.offset, *ends])))
        return inner if colon < 0 else replace(inner, offset=colon)

    def _span(self, cursor: CXCursor, *, used: bool = False) -> Span | None:
        """Where a cursor stands in the unit's own files; the use of a macro that makes it only with `used`."""
        span = self._spans.of(self._lib.clang_getCursorExtent(cursor))
        return span if span.file in self._own and (used or span.macro is None) else None

    def _data(self, span: Span) -> bytes:
        return self._spans.files[span.file].data[span.offset : span.end_offset]

    def _braced(self, linkage: CXCursor) -> bool:
        """Whether `extern "C"` opens a block, rather than marking one declaration."""
        span = self._span(linkage)
        return span is None or re.match(rb'extern\s*"C(\+\+)?"\s*\{', self._data(span)) is not None


def _marked(parts: list[CXCursor]) -> bool:
    return any(p.kind in _ON_DEVICE for p in parts)
