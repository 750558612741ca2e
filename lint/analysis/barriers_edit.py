"""Places for edits around barriers and fences: statements in lists, and the lines they stand on."""

from __future__ import annotations

from cudalint.lint.analysis.barriers_exits import contains, parts
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, Stmt


def listed_statement(program: TranslationUnit, site: Span) -> Stmt | None:
    """The innermost statement of a list `{ …; …; }` that holds a place in device code."""
    found: Stmt | None = None
    here: Stmt | Case | None = next(
        (
            f.body
            for f in program.functions.values()
            if f.body is not None and f.kind is not FunctionKind.HOST and contains(f.body.span, site)
        ),
        None,
    )
    while here is not None:
        inner = next((part for part in parts(here) if contains(part.span, site)), None)
        if isinstance(here, Block | Case) and inner is not None and not isinstance(inner, Case):
            found = inner
        here = inner
    return found


def indent_of(program: TranslationUnit, span: Span) -> str | None:
    """What a line starts with before a statement; None unless that is white space, and the statement no macro's."""
    data = program.files.get(span.file)
    if data is None or span.macro is not None:
        return None
    start = data.rfind(b"\n", 0, span.offset) + 1
    indent = data[start : span.offset]
    return None if indent.strip() else indent.decode("utf-8", "replace")


def before(program: TranslationUnit, span: Span, text: str) -> Edit | None:
    """Insert a line of text before a statement that starts a line."""
    indent = indent_of(program, span)
    if indent is None:
        return None
    at = Span(span.file, span.line, span.column, span.line, span.column, span.offset, span.offset)
    return Edit(at, f"{text}\n{indent}")
