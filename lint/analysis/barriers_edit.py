"""Places for edits around barriers and fences: statements in lists, and the lines they stand on."""

from __future__ import annotations

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains, parts
from cudalint.lint.analysis.trace import Branch, LoopRun, Trace
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, Stmt
from cudalint.lint.model.walk import Node, walk

MAX_DEPTH = 4
"""How deep calls are followed in search of barriers; what lies deeper may hold one."""
_BARRIERS = frozenset({"__syncwarp", "__barrier_sync", "sync", "synchronize", "wait", "arrive_and_wait"})


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


def lines_of(program: TranslationUnit, span: Span) -> Span | None:
    """The whole lines of a statement with its semicolon, line ends included; None where other code shares them."""
    data = program.files.get(span.file)
    if data is None or indent_of(program, span) is None:
        return None
    start = data.rfind(b"\n", 0, span.offset) + 1
    end = data.find(b"\n", span.end_offset)
    rest = data[span.end_offset : end if end >= 0 else len(data)].strip().removeprefix(b";").strip()
    if end < 0 or (rest and not rest.startswith(b"//")):
        return None
    return Span(span.file, span.line, 1, span.end_line + 1, 1, start, end + 1)


def may_meet(program: TranslationUnit, node: Node, depth: int = 0) -> bool:
    """Whether a call below a node is a barrier, or may lead to one."""
    for part in walk(node):
        if not isinstance(part, Call):
            continue
        if part.name.startswith("__syncthreads") or part.name in _BARRIERS:
            return True
        function = program.functions.get(part.key) if part.key else None
        if function is None or function.body is None:
            continue
        if depth == MAX_DEPTH or may_meet(program, function.body, depth + 1):
            return True
    return False


def taken_together(trace: Trace, file: str, offset: int) -> bool:
    """Whether every decision around a place was taken alike by all threads of each block."""
    cta = trace.lanes.cta
    size = np.bincount(cta)
    for event in trace.events:
        if not isinstance(event, Branch | LoopRun) or event.node.file != file:
            continue
        if not event.node.offset < offset < event.node.end_offset:
            continue
        present = np.bincount(cta[event.mask], minlength=len(size))
        if ((present > 0) & (present < size)).any():
            return False
        if isinstance(event, Branch):
            taken = np.bincount(cta[event.taken & event.mask], minlength=len(size))
            if ((taken > 0) & (taken < present)).any():
                return False
    return True
