"""Where a missing barrier goes: between the two accesses, in control flow that the whole block takes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cudalint.lint.analysis.barriers_edit import indent_of, taken_together
from cudalint.lint.analysis.barriers_exits import contains, parts
from cudalint.lint.analysis.races import Race
from cudalint.lint.analysis.races_report import Claim
from cudalint.lint.analysis.trace import Access
from cudalint.lint.diagnostics import Applicability, Edit, Fix
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, For, RangeFor, Stmt, While


@dataclass(frozen=True, slots=True)
class _Place:
    """An insertion at a byte offset of a file, between the texts `before` and `after`."""

    file: str
    offset: int
    line: int
    column: int
    before: str
    after: str


def barrier_fix(program: TranslationUnit, claim: Claim, barrier: str = "__syncthreads();") -> Fix | None:
    """Insert a barrier that separates the two sides, or None where no uniform place lies between them."""
    race = claim.race
    if race.one_instruction:
        return None
    place = _between(program, claim.kernel, race)
    if place is None or not taken_together(claim.trace, place.file, place.offset):
        return None
    at = Span(place.file, place.line, place.column, place.line, place.column, place.offset, place.offset)
    message = f"insert `{barrier}` on line {place.line}"
    return Fix(Applicability.UNSAFE, message, (Edit(at, place.before + barrier + place.after),))


def _between(program: TranslationUnit, kernel: Function, race: Race) -> _Place | None:
    """The start of a statement between the two accesses: before the second, or at the end of a loop's body."""
    first, second = _sites(race.first.access), _sites(race.second.access)
    scope: Function | None = kernel
    for depth, (a, b) in enumerate(zip(first, second, strict=False)):
        if scope is None or scope.body is None:
            return None
        path_a, path_b = list(_path(scope.body, a)), list(_path(scope.body, b))
        loop = _loop_between(race, path_b)
        if loop is not None:
            return _loop_end(program, loop)
        place = _before(program, path_a, path_b)
        if place is not None or a != b or depth + 1 == len(second):
            return place
        scope = _function_at(program.functions, second[depth + 1])
    return None


def _sites(access: Access) -> list[Span]:
    return [*access.calls, access.span]


def _function_at(functions: Mapping[str, Function], site: Span) -> Function | None:
    """The function whose body contains a span."""
    return next((f for f in functions.values() if f.body is not None and contains(f.body.span, site)), None)


def _path(body: Stmt | Case, site: Span) -> Iterator[Stmt | Case]:
    """The statements that contain a span, outermost first."""
    here: Stmt | Case | None = body
    while here is not None:
        yield here
        here = next((part for part in parts(here) if contains(part.span, site)), None)


def _loop_between(race: Race, path: list[Stmt | Case]) -> For | While | RangeFor | None:
    """The loop of this path whose iteration differs between the two accesses, if the order needs it."""
    heads = [
        a.head
        for a, b in zip(race.first.access.frames, race.second.access.frames, strict=False)
        if a.head == b.head and a.iteration < b.iteration
    ]
    if not heads:
        return None
    return next((s for s in path if isinstance(s, For | While | RangeFor) and s.head == heads[0]), None)


def _before(program: TranslationUnit, a: list[Stmt | Case], b: list[Stmt | Case]) -> _Place | None:
    """Before the statement of `b` in the innermost block that holds both, when `a`'s comes earlier in it."""
    for depth in range(min(len(a), len(b)) - 1):
        if a[depth] is not b[depth]:
            return None
        inner_a, inner_b = a[depth + 1], b[depth + 1]
        if inner_a is not inner_b:
            listed = isinstance(a[depth], Block | Case) and inner_a.span.offset < inner_b.span.offset
            return _at_statement(program, inner_b.span) if listed else None
    return None


def _at_statement(program: TranslationUnit, span: Span) -> _Place | None:
    """The start of a statement that is the first thing on its line."""
    indent = indent_of(program, span)
    return _Place(span.file, span.offset, span.line, span.column, "", "\n" + indent) if indent is not None else None


def _loop_end(program: TranslationUnit, loop: For | While | RangeFor) -> _Place | None:
    """Just before the closing brace of a loop's body, when the brace stands on a line of its own."""
    body = loop.body
    data = program.files.get(body.span.file)
    if not isinstance(body, Block) or not body.body or data is None or body.span.macro is not None:
        return None
    brace = body.span.end_offset - 1
    start = data.rfind(b"\n", 0, brace) + 1
    last = _at_statement(program, body.body[-1].span)
    if data[brace : brace + 1] != b"}" or data[start:brace].strip() or last is None:
        return None
    return _Place(body.span.file, start, body.span.end_line, 1, last.after.removeprefix("\n"), "\n")
