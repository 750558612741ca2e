"""Statements of the executor, except loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_expr import Condition, condition, place
from cudalint.lint.analysis.exec_lanes import EMPTY, Mask
from cudalint.lint.analysis.exec_machine import Journal, LoopFrame, Machine
from cudalint.lint.analysis.exec_memory import LocalObj
from cudalint.lint.analysis.exec_values import (
    ASSUMED,
    EXACT,
    LOADED,
    MAY,
    UNKNOWN,
    Array,
    Ptr,
    Rec,
    Val,
    Value,
    arithmetic,
    select,
    tainted,
)
from cudalint.lint.analysis.trace import BranchKind
from cudalint.lint.model.expressions import AddressOf, Storage
from cudalint.lint.model.statements import (
    Block,
    Break,
    Case,
    Continue,
    Decl,
    ExprStmt,
    If,
    Return,
    Stmt,
    Switch,
    Try,
    UnknownStmt,
)
from cudalint.lint.model.types import PointerType

MAX_SHADOW = 2
"""How deep regions that no sampled lane enters are explored inside each other."""
_NOT_LOCAL = frozenset({Storage.SHARED, Storage.DYNAMIC_SHARED, Storage.CONSTANT, Storage.STATIC, Storage.DEVICE})


def _block(m: Machine, stmt: Block) -> None:
    for inner in stmt.body:
        m.run(inner)


def _decl(m: Machine, stmt: Decl) -> None:
    symbol = stmt.symbol
    if symbol.storage in _NOT_LOCAL:
        return
    of = symbol.type
    if stmt.init is None:
        m.new_local(symbol)
        return
    if isinstance(of, PointerType) and of.reference:
        value: Value = reference(m, stmt.init)
    else:
        value = m.as_type(m.eval(stmt.init), of)
    obj = m.new_local(symbol)
    if isinstance(value, Rec):
        obj.cells = dict(m.flattened(value, of))
    else:
        obj.cells[0] = value


def reference(m: Machine, init: Any) -> Ptr:
    """What a reference is bound to: the model gives its address, for `*p` the pointer `p` itself."""
    if isinstance(init, AddressOf) or isinstance(init.type, PointerType):
        value = m.eval(init)
        if isinstance(value, Ptr):
            return value
    return place(m, init)


def _expression(m: Machine, stmt: ExprStmt) -> None:
    m.eval(stmt.expr)


# -- if --------------------------------------------------------------------------------------------------------


def _sole(stmt: Stmt) -> Stmt:
    """The one statement in the braces, if it is one."""
    while isinstance(stmt, Block) and len(stmt.body) == 1:
        stmt = stmt.body[0]
    return stmt


def _only_leaves(stmt: Stmt) -> bool:
    stmt = _sole(stmt)
    return isinstance(stmt, Return | Break | Continue) or (isinstance(stmt, Block) and not stmt.body)


def _if(m: Machine, stmt: If) -> None:
    for inner in stmt.init:
        m.run(inner)
    found = condition(m, stmt.condition)
    if not found.taint and not isinstance(found.data, np.ndarray):
        side = stmt.then if found.data else stmt.otherwise
        if side is not None:
            with m.region(m.mask, EXACT, may=False):
                m.run(side)
        return
    _record_if(m, stmt, found)
    if found.taint & MAY:
        may_either(m, stmt, found)
    else:
        _really_either(m, stmt, found)


def _record_if(m: Machine, stmt: If, found: Condition) -> None:
    then, otherwise = m.facts.of(stmt.then), m.facts.of(stmt.otherwise)
    sides = then.cost, otherwise.cost
    exits = then.leaves or otherwise.leaves
    m.record.branch(m, BranchKind.IF, stmt.head, stmt.span, found.data, found.taint, sides, exits)


def _only_by_samples(m: Machine, stmt: If, found: Condition) -> bool:
    """Whether a guard sends every lane home just because of the values that were sampled."""
    guard = stmt.otherwise is None and isinstance(_sole(stmt.then), Return)
    return guard and bool(found.taint & ASSUMED) and not m.lanes.both(m.mask, found.no).n


def _really_either(m: Machine, stmt: If, found: Condition) -> None:
    if _only_by_samples(m, stmt, found):
        m.functions[-1].exit_ctl |= found.taint
        m.ctl |= found.taint
        return
    outer = m.mask
    ends: list[Mask] = []
    with m.journal() as written:
        for side, lanes in ((stmt.then, found.yes), (stmt.otherwise, found.no)):
            mask = m.lanes.both(outer, lanes)
            if side is None:
                ends.append(mask)
                continue
            if mask.n:
                with m.region(mask, found.taint, may=False):
                    m.run(side)
                    ends.append(m.mask)
            else:
                ends.append(EMPTY)
                explore_side(m, side, outer, found)
    m.taint_written(written, found.taint)
    m.mask = rejoin(m, outer, *ends)


def rejoin(m: Machine, outer: Mask, *ends: Mask) -> Mask:
    """The lanes that go on after a branch; the mask before it when all do."""
    mask = EMPTY
    for end in ends:
        mask = m.lanes.union(mask, end)
    return outer if mask.n == outer.n else mask


def explore_side(m: Machine, side: Stmt, outer: Mask, found: Condition) -> None:
    """Execute a side that no sampled lane takes, where the samples, not the program, are why."""
    varying = isinstance(found.data, np.ndarray) and found.data.shape[1] > 1
    block_dependent = isinstance(found.data, np.ndarray) and not varying
    if not (found.taint & ASSUMED or block_dependent):
        return
    if m.shadow >= MAX_SHADOW or m.hurry or _only_leaves(side):
        return
    with m.explore(outer, found.taint | ASSUMED | (LOADED if varying else EXACT)):
        m.run(side)


def may_either(m: Machine, stmt: If, found: Condition) -> None:
    """Both sides, each from the state before; the results are merged by the sampled condition."""
    outer = m.mask
    ends: list[Mask] = []
    news: list[dict[tuple[LocalObj, int], Value]] = []
    olds: Journal = {}
    for side, lanes in ((stmt.then, found.yes), (stmt.otherwise, found.no)):
        mask = m.lanes.both(outer, lanes)
        if side is None:
            ends.append(mask)
            news.append({})
            continue
        if not mask.n:
            ends.append(EMPTY)
            news.append({})
            explore_side(m, side, outer, found)
            continue
        with m.journal() as written, m.region(mask, found.taint, may=True):
            m.run(side)
            ends.append(m.mask)
        news.append(m.undo(written))
        for key, old in written.items():
            olds.setdefault(key, old)
    merge(m, found.data, found.taint, olds, news)
    m.mask = rejoin(m, outer, *ends)


def merge(
    m: Machine,
    data: bool | Array,
    taint: int,
    olds: Journal,
    news: list[dict[tuple[LocalObj, int], Value]],
) -> None:
    """Give variables that either side wrote the value of the side that the sampled condition takes."""
    for (obj, off), old in olds.items():
        if obj.scope not in m.scopes:
            continue
        then, otherwise = news[0].get((obj, off), old), news[1].get((obj, off), old)
        if then is None or otherwise is None:
            only = then or otherwise
            if only is not None:
                obj.cells[off] = tainted(only, taint)
        else:
            obj.cells[off] = select(data, then, otherwise, taint)


# -- leaving ---------------------------------------------------------------------------------------------------


def _return(m: Machine, stmt: Return) -> None:
    frame = m.functions[-1]
    if stmt.value is not None:
        result = frame.result
        if isinstance(result, PointerType) and result.reference:
            value: Value = reference(m, stmt.value)
        else:
            value = m.eval(stmt.value)
            if result is not None:
                value = m.as_type(value, result)
        if frame.value is not None and frame.returned.n:
            value = select(m.mask.bits, value, frame.value)
        frame.value = value
    frame.returned = m.lanes.union(frame.returned, m.mask)
    frame.exit_ctl |= m.ctl
    m.leave(frame.depth)


def _break(m: Machine, stmt: Break) -> None:
    loops = m.functions[-1].loops
    if not loops:
        return
    loop = loops[-1]
    loop.broken = m.lanes.union(loop.broken, m.mask)
    if not loop.switch:
        loop.exit_ctl |= m.ctl
    m.leave(loop.depth)


def _continue(m: Machine, stmt: Continue) -> None:
    loops = [loop for loop in m.functions[-1].loops if not loop.switch]
    if not loops:
        return
    loop = loops[-1]
    loop.continued = m.lanes.union(loop.continued, m.mask)
    loop.iteration_ctl |= m.ctl
    m.leave(loop.body_depth)


# -- switch ----------------------------------------------------------------------------------------------------


def _switch(m: Machine, stmt: Switch) -> None:
    value = m.number(stmt.condition)
    outer = m.mask
    matches = _matches(m, stmt, value)
    frame = LoopFrame(depth=len(m.scopes), switch=True)
    m.functions[-1].loops.append(frame)
    try:
        with m.journal() as written, m.region(outer, EXACT, may=False):
            end = _cases(m, stmt, value, matches, outer)
    finally:
        m.functions[-1].loops.pop()
    m.taint_written(written, value.taint)
    m.mask = rejoin(m, outer, end, frame.broken)


def _matches(m: Machine, stmt: Switch, value: Val) -> list[bool | Array]:
    """For each case, the lanes that jump to it."""
    found: list[bool | Array] = []
    rest: Any = True
    for case in stmt.cases:
        match: Any = False
        for label in case.values:
            equal: Any = arithmetic("==", value, m.number(label), None).data
            match = match | equal
        found.append(match)
        rest = rest & (~match if isinstance(match, np.ndarray) else not match)
    for i, case in enumerate(stmt.cases):
        if case.default:
            found[i] = found[i] | rest
    if not any(case.default for case in stmt.cases):
        found.append(rest)
    return found


def _cases(m: Machine, stmt: Switch, value: Val, matches: list[bool | Array], outer: Mask) -> Mask:
    """Run the cases in order, falling through; gives the lanes that reach the end."""
    may = bool(value.taint & MAY)
    known = not value.taint and not isinstance(value.data, np.ndarray)
    carry = m.lanes.both(outer, matches[-1]) if len(matches) > len(stmt.cases) else EMPTY
    beyond, carry = carry, EMPTY
    if may and len(matches) > len(stmt.cases):
        beyond = outer
    for case, match in zip(stmt.cases, matches, strict=False):
        body = Block(case.body, case.span)
        if not known:
            m.mask = outer
            _record_case(m, stmt, case, match, value.taint)
        entering = outer if may else m.lanes.both(outer, match)
        mask = m.lanes.union(carry, entering)
        if not mask.n:
            carry = EMPTY
            explore_side(m, body, outer, Condition(match if not known else False, value.taint, False, True))
            continue
        if not may:
            with m.region(mask, value.taint, may=False):
                m.run(body)
                carry = m.mask
            continue
        with m.journal() as written, m.region(mask, value.taint, may=True):
            m.run(body)
            carry = m.mask
        new = m.undo(written)
        merge(m, match, value.taint, written, [new, {}])
    return m.lanes.union(carry, beyond)


def _record_case(m: Machine, stmt: Switch, case: Case, match: bool | Array, taint: int) -> None:
    cost = sum(m.facts.cost(inner) for inner in case.body)
    exits = any(m.facts.of(inner).leaves for inner in case.body)
    m.record.branch(m, BranchKind.SWITCH, stmt.head, stmt.span, match, taint, (cost, 0), exits)


# -- the rest --------------------------------------------------------------------------------------------------


def _try(m: Machine, stmt: Try) -> None:
    m.run(stmt.body)


def _unknown(m: Machine, stmt: UnknownStmt) -> None:
    m.record.not_understood(stmt.span, stmt.reason)
    with m.journal() as written:
        for inner in stmt.body:
            m.run(inner)
    m.taint_written(written, UNKNOWN)


HANDLERS: dict[type[Any], Callable[[Machine, Any], None]] = {
    Block: _block,
    Decl: _decl,
    ExprStmt: _expression,
    If: _if,
    Return: _return,
    Break: _break,
    Continue: _continue,
    Switch: _switch,
    Try: _try,
    UnknownStmt: _unknown,
}
