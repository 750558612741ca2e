"""Loops of the executor.

Short loops run as they are. Of a long counted loop the first three iterations run, then the last one: the
induction variable jumps, other variables follow where their first values show a linear or alternating rule,
and are approximate otherwise. A loop whose condition rests on memory content runs twice with all lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_expr import condition, place
from cudalint.lint.analysis.exec_induction import Counted, Plan, counted, plan, value_at
from cudalint.lint.analysis.exec_lanes import EMPTY, Mask
from cudalint.lint.analysis.exec_machine import EVENT_STEPS, Journal, LoopFrame, Machine
from cudalint.lint.analysis.exec_memory import LocalObj, SharedObj
from cudalint.lint.analysis.exec_stmt import MAX_SHADOW
from cudalint.lint.analysis.exec_values import (
    APPROXIMATE,
    ASSUMED,
    EXACT,
    I64,
    MAY,
    Data,
    Ptr,
    Val,
    Value,
    fit,
    tainted,
)
from cudalint.lint.analysis.trace import BranchKind, Frame
from cudalint.lint.model.expressions import Expr
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import For, RangeFor, Stmt, While
from cudalint.lint.model.types import ArrayType, PointerType

ALWAYS = 12
"""Loops of so few iterations run fully, if the budget allows at all."""
SOMETIMES = 64
"""Loops of so many iterations run fully when they are cheap."""
FIRST = 3
"""Iterations of a loop that is cut short before the jump to its last one."""
MAY_TURNS = 2
"""Iterations of a loop that memory content controls: the second shows the back edge."""
SHARE = 0.5
"""Part of the budget left that one loop may take to run fully."""
_SKIPPED = object()


@dataclass(slots=True)
class Run:
    """One execution of a loop."""

    head: Span
    node: Span
    condition: Expr | None
    step: Expr | None
    body: Stmt
    do: bool
    frame: LoopFrame
    entry: Mask
    written: Journal
    base_ctl: int
    plan: Plan | None = None
    limit: int = SOMETIMES
    turn: int = 0
    taint: int = EXACT
    trips: Any = 0
    truncated: bool = False
    jumped: bool = False
    may: bool = False
    cost: int = 0
    history: list[dict[tuple[LocalObj, int], Value | None]] = field(default_factory=list)


def _for(m: Machine, stmt: For) -> None:
    outer = m.mask
    with m.region(outer, EXACT, may=False):
        for inner in stmt.init:
            m.run(inner)
        end = _loop(m, stmt, stmt.condition, stmt.step, stmt.body)
    m.mask = outer if end.n == outer.n else end


def _while(m: Machine, stmt: While) -> None:
    outer = m.mask
    with m.region(outer, EXACT, may=False):
        end = _loop(m, stmt, stmt.condition, None, stmt.body, do=stmt.do)
    m.mask = outer if end.n == outer.n else end


def _loop(m: Machine, stmt: For | While, cond: Expr | None, step: Expr | None, body: Stmt, do: bool = False) -> Mask:
    """Run a loop inside its own scope; gives the lanes that go on behind it."""
    function = m.functions[-1]
    frame = LoopFrame(depth=len(m.scopes) - 1)
    outer_frames = m.record.frames
    function.loops.append(frame)
    run: Run | None = None
    started = m.steps
    try:
        with m.journal() as written:
            run = Run(stmt.head, stmt.span, cond, step, body, do, frame, m.mask, written, m.ctl)
            _set_plan(m, run, stmt)
            exited = _turns(m, run)
    finally:
        function.loops.pop()
        m.record.frames = outer_frames
    m.taint_written(written, run.taint | frame.exit_ctl)
    if run.truncated:
        _blur_shared(m, started)
    m.ctl = run.base_ctl | m.exit_ctl()
    broken = bool(frame.broken.n) and not frame.exit_ctl & MAY
    known = run.plan is not None and not broken
    trips = run.plan.trips if run.plan is not None and known else run.trips
    m.record.loop(m, run.head, run.node, run.entry, trips, run.taint | frame.exit_ctl, run.truncated and not known)
    return m.lanes.union(exited, frame.broken)


def _set_plan(m: Machine, run: Run, stmt: For | While) -> None:
    key = ("counted", id(stmt))
    found: Counted | object | None = m.notes.get(key, _SKIPPED)
    if found is _SKIPPED:
        found = m.notes[key] = counted(run.condition, run.step, run.body, m.facts)
    if isinstance(found, Counted) and not run.do:
        run.plan = plan(m, found)
    if run.plan is not None:
        run.limit = run.plan.total if run.plan.total <= SOMETIMES else FIRST


def _blur_shared(m: Machine, since: int) -> None:
    for obj in m.variables.values():
        if isinstance(obj, SharedObj) and obj.stamp >= since:
            obj.smear(m, APPROXIMATE)


def _turns(m: Machine, run: Run) -> Mask:
    """Iterate; gives the lanes that left through the condition (or the cut)."""
    exited = EMPTY
    scope = m.scopes[run.frame.depth]
    while True:
        m.ctl = run.base_ctl | run.frame.exit_ctl | run.taint
        entering = m.mask
        if run.condition is not None and not (run.do and run.turn == 0):
            leaving = _test(m, run)
            if leaving.n:
                exited = m.lanes.union(exited, leaving)
                scope.live = m.lanes.minus(scope.live, leaving)
        if not m.mask.n:
            _explore_turn(m, run, entering)
            return exited
        if _at_limit(m, run):
            return m.lanes.union(exited, m.mask)
        _turn(m, run)
        if not m.mask.n:
            return exited


def _test(m: Machine, run: Run) -> Mask:
    """Evaluate the condition: the mask becomes the lanes that go in; gives those that surely do not."""
    assert run.condition is not None
    found = condition(m, run.condition)
    if run.turn < MAY_TURNS and (found.taint or isinstance(found.data, np.ndarray)):
        cost = m.facts.cost(run.body)
        m.record.branch(m, BranchKind.LOOP, run.head, run.node, found.data, found.taint, (cost, 0))
    run.taint |= found.taint
    run.may = run.may or bool(found.taint & MAY)
    active = m.lanes.both(m.mask, found.yes)
    leaving = EMPTY if active is m.mask else m.lanes.minus(m.mask, active)
    m.mask = active
    m.ctl |= found.taint
    return leaving


def _at_limit(m: Machine, run: Run) -> bool:
    """Whether the loop has to stop here; before that it may jump to its last iteration."""
    if run.jumped:
        run.truncated = True
        return True
    uncertain = run.may or (run.frame.exit_ctl | m.functions[-1].exit_ctl) & MAY & ~run.base_ctl
    if run.turn == 1:
        _fit_budget(m, run)
    if uncertain and run.turn >= MAY_TURNS and not (run.plan and run.plan.total <= ALWAYS):
        return _cut(m, run)
    if m.hurry and run.turn >= 1:
        m.cut_short = True
        return _cut(m, run)
    if run.turn < run.limit:
        return False
    if run.plan is None or run.turn < FIRST or run.plan.total <= run.turn:
        return _cut(m, run)
    if run.plan.total > run.turn + 1:
        _jump(m, run)
    return False


def _fit_budget(m: Machine, run: Run) -> None:
    """After the first iteration: does what is left of the budget allow the others?"""
    affordable = int(m.left * SHARE / max(1, run.cost)) + 1
    if run.limit > affordable:
        run.limit = max(1, min(FIRST, affordable)) if run.plan is None else FIRST


def _cut(m: Machine, run: Run) -> bool:
    run.truncated = True
    if run.plan is None or run.turn < run.plan.total:
        m.taint_written(run.written, APPROXIMATE)
    return True


def _jump(m: Machine, run: Run) -> None:
    """Set the variables to what they are at the start of the last iteration."""
    loop = run.plan
    assert loop is not None
    last: Any = loop.trips - 1
    run.jumped = run.truncated = True
    for (obj, off), _ in list(run.written.items()):
        now = obj.cells.get(off)
        if now is None:
            continue
        value: Value
        if obj is loop.variable:
            start = now.dt if isinstance(now, Val) else I64
            value = Val(fit(loop.start + last * loop.step, start), start, now.taint | loop.taint)
        else:
            earlier = [h.get((obj, off)) for h in run.history[-2:]] + [now]
            found = value_at(earlier, last, run.turn) if len(earlier) == 3 else None
            value = tainted(now, APPROXIMATE) if found is None else tainted(found, loop.taint)
        if value is not obj.cells[off]:
            obj.store(m, off, obj.type, value, EXACT)
    run.turn = loop.total - 1


def _turn(m: Machine, run: Run) -> None:
    """One iteration with the lanes in the mask, and the step."""
    frame = run.frame
    before = m.steps + EVENT_STEPS * len(m.record.events)
    if run.plan is not None and run.plan.total > FIRST and not run.jumped:
        run.history.append({key: key[0].cells.get(key[1]) for key in run.written})
    run.trips = run.trips + (1 if m.mask is m.lanes.full else m.mask.bits.astype(np.int64))
    _body(m, run, EXACT)
    if frame.iteration_ctl:
        steered = run.plan.variable if run.plan is not None else None
        # Only the step writes a planned variable, and `continue` does not skip the step.
        m.taint_written({k: v for k, v in run.written.items() if k[0] is not steered}, frame.iteration_ctl)
        frame.iteration_ctl = EXACT
    run.turn += 1
    run.cost = max(run.cost, m.steps + EVENT_STEPS * len(m.record.events) - before)


def _body(m: Machine, run: Run, extra: int) -> None:
    outer_frames = m.record.frames
    trip = run.plan.trip if run.plan is not None and not run.frame.exit_ctl else None
    cut = run.truncated or (run.plan is not None and run.plan.total > SOMETIMES)
    m.record.frames = (*outer_frames, Frame(run.head, run.turn, cut, trip))
    run.frame.continued = EMPTY
    try:
        mask = m.mask
        with m.region(mask, extra, may=False):
            run.frame.body_depth = len(m.scopes) - 1
            m.run(run.body)
            end = m.mask
        m.mask = m.lanes.union(end, run.frame.continued)
        if m.mask.n == mask.n:
            m.mask = mask
        if run.step is not None and m.mask.n:
            m.eval(run.step)
    finally:
        m.record.frames = outer_frames


def _explore_turn(m: Machine, run: Run, entering: Mask) -> None:
    """A second iteration (or a first) that only the sampled bound rules out."""
    if run.turn >= MAY_TURNS or not run.taint & ASSUMED or m.shadow >= MAX_SHADOW or m.hurry:
        return
    if not entering.n or (run.frame.broken.n and not run.frame.exit_ctl):
        return
    with m.explore(entering, run.taint):
        _body(m, run, EXACT)


# -- range-based for -------------------------------------------------------------------------------------------


def _range_for(m: Machine, stmt: RangeFor) -> None:
    """Over arrays of known extent; other ranges run once with an unknown element."""
    outer = m.mask
    of = stmt.range.type
    if isinstance(of, PointerType) and isinstance(of.pointee, ArrayType):
        of = of.pointee
    known = isinstance(of, ArrayType) and of.count is not None
    start = place(m, stmt.range) if known else None
    turns = min(of.count or 0, FIRST + 1 if m.hurry else SOMETIMES) if isinstance(of, ArrayType) and known else 1
    frame = LoopFrame(depth=len(m.scopes))
    function = m.functions[-1]
    function.loops.append(frame)
    frames = m.record.frames
    trip = of.count if isinstance(of, ArrayType) else None
    try:
        with m.journal() as written, m.region(outer, EXACT, may=False):
            for turn in range(turns):
                m.record.frames = (*frames, Frame(stmt.head, turn, turns != trip, trip))
                _range_turn(m, stmt, frame, start, turn)
            end = m.mask
    finally:
        function.loops.pop()
        m.record.frames = frames
    m.taint_written(written, frame.exit_ctl | (EXACT if turns == trip else APPROXIMATE))
    trips: Data = turns
    m.mask = outer
    m.record.loop(m, stmt.head, stmt.span, outer, trips, frame.exit_ctl, turns != trip)
    end = m.lanes.union(end, frame.broken)
    m.mask = outer if end.n == outer.n else end


def _range_turn(m: Machine, stmt: RangeFor, frame: LoopFrame, start: Ptr | None, turn: int) -> None:
    mask = m.mask
    if not mask.n:
        return
    frame.continued = EMPTY
    with m.region(mask, EXACT, may=False):
        frame.body_depth = len(m.scopes) - 1
        of = stmt.symbol.type
        obj = m.new_local(stmt.symbol)
        if start is None:
            obj.cells[0] = m.unknown_value(of)
        else:
            by_reference = isinstance(of, PointerType) and of.reference
            size = of.pointee.size if isinstance(of, PointerType) and by_reference else of.size
            at = start.moved(turn * size)
            if by_reference:
                obj.cells[0] = at
            else:
                obj.store(m, 0, of, at.obj.load(m, at.off, of, at.taint), EXACT)
        m.run(stmt.body)
        end = m.mask
    m.mask = m.lanes.union(end, frame.continued)


HANDLERS: dict[type[Any], Callable[[Machine, Any], None]] = {For: _for, While: _while, RangeFor: _range_for}
