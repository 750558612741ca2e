"""How a barrier gets out of a condition: moved before or behind it, or the condition split in two around it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from cudalint.lint.analysis.barriers import SplitBarrier
from cudalint.lint.analysis.barriers_edit import indent_of, lines_of, may_meet, taken_together
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.barriers_guard import guard_edits
from cudalint.lint.analysis.barriers_idle import barrier_call
from cudalint.lint.analysis.barriers_pure import changed, declared, names, pure
from cudalint.lint.analysis.trace import Branch, SyncKind, Trace
from cudalint.lint.diagnostics import Applicability, Edit, Fix
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Break, Continue, If, Return
from cudalint.lint.model.walk import walk

BARRIER = "__syncthreads();"


def reach_fix(program: TranslationUnit, trace: Trace, split: SplitBarrier) -> Fix | None:
    """Edits after which all threads of the block reach a barrier, or None where that is not mechanical."""
    cause = split.cause
    if cause is None or split.sync.kind is not SyncKind.BLOCK or split.sync.calls != cause.calls:
        return None
    decision = _decision(program, cause.node)
    if decision is None or decision.init or decision.constexpr:
        return None
    if contains(decision.span, split.sync.span):
        if not _all_come(trace, split, cause):
            return None
        edits = _moved(program, decision)
        message = "let all threads reach the barrier, by moving it out of the condition"
    else:
        edits = guard_edits(program, trace.kernel, decision)
        message = "let all threads reach the barriers, by guarding the work instead of returning"
    return Fix(Applicability.UNSAFE, message, edits) if edits else None


def _decision(program: TranslationUnit, node: Span) -> If | None:
    for function in program.functions.values():
        if function.body is None or function.kind is FunctionKind.HOST or not contains(function.body.span, node):
            continue
        for statement in walk(function.body):
            if isinstance(statement, If) and statement.span == node:
                return statement
    return None


def _all_come(trace: Trace, split: SplitBarrier, cause: Branch) -> bool:
    """Whether all threads of a block come by the decision, now and whatever the data and sizes are."""
    cta = trace.lanes.cta
    whole = np.bincount(cta) == np.bincount(cta[cause.mask], minlength=int(cta.max()) + 1)
    if not whole[cta[split.here]] or np.any((cta == cta[split.here]) & ~split.sync.alive):
        return False
    around = [
        e for e in trace.events if isinstance(e, Branch) and e.node != cause.node and contains(e.node, cause.node)
    ]
    return taken_together(trace, cause.node.file, cause.node.offset) and not any(e.varies for e in around)


def _moved(program: TranslationUnit, decision: If) -> tuple[Edit, ...]:
    """The edits that take the barriers out of an `if`; none where its parts hang together."""
    sides = [s for s in (decision.then, decision.otherwise) if s is not None]
    with_barrier = [side for side in sides if may_meet(program, side)]
    if len(with_barrier) != 1 or _leaves(decision):
        return ()
    side = with_barrier[0]
    whole = lines_of(program, decision.span)
    body = side.body if isinstance(side, Block) else (side,)
    places = [i for i, statement in enumerate(body) if barrier_call(statement) is not None]
    nested = [statement for i, statement in enumerate(body) if i not in places]
    if whole is None or not places or any(may_meet(program, statement) for statement in nested):
        return ()
    if len(body) == 1 and decision.otherwise is None and pure(decision.condition):
        return (Edit(decision.span, BARRIER if isinstance(side, Block) else BARRIER.removesuffix(";")),)
    line = lines_of(program, body[places[0]].span) if isinstance(side, Block) else None
    indent = indent_of(program, decision.span)
    if line is None or indent is None or len(body) == 1:
        return ()
    if len(places) == 1 and places[0] == len(body) - 1:
        end = Span(whole.file, whole.end_line, 1, whole.end_line, 1, whole.end_offset, whole.end_offset)
        return Edit(line, ""), Edit(end, f"{indent}{BARRIER}\n")
    if places == [0]:
        start = Span(whole.file, whole.line, 1, whole.line, 1, whole.offset, whole.offset)
        return Edit(start, f"{indent}{BARRIER}\n"), Edit(line, "")
    return _parted(program, decision, places, indent) if side is decision.then else ()


def _parted(program: TranslationUnit, decision: If, places: Sequence[int], indent: str) -> tuple[Edit, ...]:
    """Close the condition before each barrier, and open it again behind: its parts must not hang together."""
    assert isinstance(decision.then, Block)
    body = decision.then.body
    condition = decision.condition
    ends_well = places[0] > 0 and places[-1] < len(body) - 1
    apart = all(b - a > 1 for a, b in pairwise(places))
    if not (ends_well and apart and pure(condition)) or names(condition) & changed(decision.then):
        return ()
    for place in places:
        earlier = set().union(*(declared(statement) for statement in body[:place]))
        if any(earlier & names(statement) for statement in body[place:]):
            return ()
    edits = []
    for place in places:
        line = lines_of(program, body[place].span)
        if line is None:
            return ()
        again = f"{indent}if ({program.text(condition.span)}) {{"
        edits.append(Edit(line, f"{indent}}}\n{indent}{BARRIER}\n{again}\n"))
    return tuple(edits)


def _leaves(decision: If) -> bool:
    """Whether an `if` holds a way out of itself."""
    return any(isinstance(part, Return | Break | Continue) for part in walk(decision))
