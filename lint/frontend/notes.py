"""What the front end could not see, grouped for people: few notes, each on what has one consequence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cudalint.lint.frontend.index import library, text_of
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.program import Function, FunctionKind, Note, NoteKind
from cudalint.lint.model.source import NOWHERE, Span

_ERROR = 3
_MISSING = re.compile(r"'(.+?)' file not found")
_UNKNOWN = re.compile(
    r"use of undeclared identifier '(.+?)'|unknown type name '(.+?)'|no (?:template|type|member) named '(.+?)'"
    r"|no matching function for call to '(.+?)'|use of undeclared '(.+?)'"
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One error of the parser."""

    kind: NoteKind
    subject: str
    message: str
    span: Span


def collect(troubles: Sequence[Trouble], functions: Iterable[Function]) -> tuple[Note, ...]:
    """The notes of a parsed unit: on headers, on kernel code, on host code; the first of each gives the place.

    What is amiss in host code beside a missing header follows from that, so it is only counted there.
    """
    kernels = [f.span for f in functions if f.kind is not FunctionKind.HOST]
    headers = [trouble for trouble in troubles if trouble.kind is NoteKind.MISSING_HEADER]
    others = [trouble for trouble in troubles if trouble.kind is not NoteKind.MISSING_HEADER]
    inside = [trouble for trouble in others if _within(trouble.span, kernels)]
    outside = [trouble for trouble in others if not _within(trouble.span, kernels)]
    found = [_missing(headers, len(outside), inside=bool(inside))] if headers else []
    found += [_note(inside, inside=True)] if inside else []
    found += [_note(outside, inside=False)] if outside and not headers else []
    return tuple(found)


def failed(path: str, message: str) -> Note:
    """The note of a file that could not be read at all."""
    return Note(NoteKind.FAILED, message, Span(path, 1, 1, 1, 1, 0, 0))


def _missing(group: list[Trouble], following: int, *, inside: bool) -> Note:
    message = f"headers not found: {_listed(group)}"
    if following:
        message += f" ({following} error{'s' if following > 1 else ''} in host code may follow from that)"
    return Note(NoteKind.MISSING_HEADER, message, group[0].span, inside)


def _note(group: list[Trouble], *, inside: bool) -> Note:
    """Names that are not known, where there are some, else the first error; the others are counted."""
    names = [trouble for trouble in group if trouble.kind is NoteKind.UNKNOWN_NAME]
    message = f"names not known: {_listed(names)}" if names else group[0].message
    others = len(group) - (len(names) or 1)
    if others:
        message += f" (and {others} more error{'s' if others > 1 else ''})"
    first = names[0] if names else group[0]
    return Note(first.kind, message, first.span, inside)


def _listed(group: list[Trouble]) -> str:
    subjects = list(dict.fromkeys(trouble.subject for trouble in group))
    return ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} more" if len(subjects) > 5 else "")


def troubles(handle: object, spans: Spans) -> Iterator[Trouble]:
    """The errors of a parsed unit that lie in project files."""
    lib = library()
    for at in range(lib.clang_getNumDiagnostics(handle)):
        diagnostic = lib.clang_getDiagnostic(handle, at)
        try:
            if lib.clang_getDiagnosticSeverity(diagnostic) < _ERROR:
                continue
            message = text_of(lib.clang_getDiagnosticSpelling(diagnostic))
            location = lib.clang_getDiagnosticLocation(diagnostic)
        finally:
            lib.clang_disposeDiagnostic(diagnostic)
        file = spans.file_of(location)
        if file is not None and file.system:
            continue
        span = spans.name(location, 0) if file is not None else NOWHERE
        yield _classified(message, span)


def _classified(message: str, span: Span) -> Trouble:
    if match := _MISSING.search(message):
        return Trouble(NoteKind.MISSING_HEADER, match.group(1), message, span)
    if match := _UNKNOWN.search(message):
        subject = next(group for group in match.groups() if group)
        return Trouble(NoteKind.UNKNOWN_NAME, subject, message, span)
    return Trouble(NoteKind.SYNTAX, message, message, span)


def _within(span: Span, outer: list[Span]) -> bool:
    return any(o.file == span.file and o.offset <= span.offset < o.end_offset for o in outer)
