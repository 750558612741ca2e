"""Which parts of a unit's files are host code only: what a device-only compiler must not see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cudalint.lint.frontend.index import CXCursor, ParseError, children, library
from cudalint.lint.frontend.pch import parsed
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span

_SCOPES = frozenset({2, 3, 4, 22, 23, 31, 32})
"""CXCursorKind: struct, union, class, namespace, linkage, class template, partial specialisation."""
_FREE, _TEMPLATE, _VARIABLE = 8, 30, 9
_CONSTRUCTOR, _PARAMETER = 24, 10
_MEMBERS = frozenset({21, _CONSTRUCTOR, 25, 26})
"""Method, constructor, destructor, conversion."""
_ON_DEVICE = frozenset({412, 413, 414, 416})
"""The attributes __constant__, __device__, __global__, __shared__."""
_COMPOUND = 202
_NAMESPACE_LIKE = frozenset({22, 23, 300, 350})
"""What variables stand directly in when they are globals: namespace, linkage, the unit itself."""


@dataclass(frozen=True, slots=True)
class HostPart:
    """A definition that only the host needs. `body` is set for members, of which the declaration must stay."""

    span: Span
    body: Span | None


def host_parts(program: TranslationUnit) -> tuple[HostPart, ...]:
    """The host-only function definitions and variables of the unit's own files. Parses the unit once more."""
    content = program.files.get(program.path)
    if content is None:
        return ()
    try:
        unit = parsed(program.path, program.flags, content, program.files)
    except ParseError:
        return ()
    try:
        finder = _Finder(Spans(unit.handle, program.path), frozenset(program.files))
        return tuple(finder.below(unit.cursor, member=False))
    finally:
        unit.close()


class _Finder:
    def __init__(self, spans: Spans, own: frozenset[str]) -> None:
        self._spans = spans
        self._own = own
        self._lib: Any = library()

    def below(self, scope: CXCursor, *, member: bool) -> Iterator[HostPart]:
        """The host parts in a scope and in the scopes inside it."""
        for cursor in children(scope):
            if cursor.kind in _SCOPES:
                yield from self.below(cursor, member=member or cursor.kind not in _NAMESPACE_LIKE)
            elif cursor.kind in (_FREE, _TEMPLATE, *_MEMBERS):
                yield from self._function(cursor, member)
            elif cursor.kind == _VARIABLE and not member:
                yield from self._variable(cursor)

    def _span(self, cursor: CXCursor) -> Span | None:
        span = self._spans.of(self._lib.clang_getCursorExtent(cursor))
        return span if span.file in self._own and span.macro is None else None

    def _function(self, cursor: CXCursor, member: bool) -> Iterator[HostPart]:
        parts = children(cursor)
        body = next((p for p in reversed(parts) if p.kind == _COMPOUND), None)
        if body is None or any(p.kind in _ON_DEVICE for p in parts):
            return
        span, inner = self._span(cursor), self._span(body)
        if span is None or inner is None or self._constexpr(span, inner):
            return
        if cursor.kind == _CONSTRUCTOR:
            inner = self._with_initializers(span, inner, parts)
        yield HostPart(span, inner if member or cursor.kind in _MEMBERS else None)

    def _with_initializers(self, span: Span, body: Span, parts: list[CXCursor]) -> Span:
        """A constructor's body together with the member initialisers before it."""
        ends = [s.end_offset for p in parts if p.kind == _PARAMETER and (s := self._span(p)) is not None]
        head = self._spans.files[span.file].data[: body.offset]
        colon = head.find(b":", head.find(b")", max([span.offset, *ends])))
        return body if colon < 0 else replace(body, offset=colon)

    def _constexpr(self, span: Span, body: Span) -> bool:
        head = self._spans.files[span.file].data[span.offset : body.offset]
        return b"constexpr" in head

    def _variable(self, cursor: CXCursor) -> Iterator[HostPart]:
        if any(p.kind in _ON_DEVICE for p in children(cursor)):
            return
        of = self._lib.clang_getCursorType(cursor)
        span = self._span(cursor)
        if span is not None and not self._lib.clang_isConstQualifiedType(of):
            yield HostPart(span, None)
