"""What the front end could not see, grouped for people: one note per kind of trouble."""

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
    """The notes of a parsed unit. The first of each kind gives the place, the rest are counted."""
    kernels = [f.span for f in functions if f.kind is not FunctionKind.HOST]
    notes = []
    for kind in (NoteKind.MISSING_HEADER, NoteKind.UNKNOWN_NAME, NoteKind.SYNTAX):
        group = [trouble for trouble in troubles if trouble.kind is kind]
        for inside in (True, False):
            chosen = [trouble for trouble in group if _within(trouble.span, kernels) is inside]
            if chosen:
                notes.append(_note(kind, chosen, inside=inside))
    return tuple(notes)


def failed(path: str, message: str) -> Note:
    """The note of a file that could not be read at all."""
    return Note(NoteKind.FAILED, message, Span(path, 1, 1, 1, 1, 0, 0))


def _note(kind: NoteKind, group: list[Trouble], *, inside: bool) -> Note:
    first = group[0]
    if kind is NoteKind.SYNTAX:
        more = f" (and {len(group) - 1} more errors)" if len(group) > 1 else ""
        return Note(kind, f"{first.message}{more}", first.span, inside)
    subjects = list(dict.fromkeys(trouble.subject for trouble in group))
    shown = ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} more" if len(subjects) > 5 else "")
    what = "headers not found" if kind is NoteKind.MISSING_HEADER else "names not known"
    return Note(kind, f"{what}: {shown}", first.span, inside)


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
