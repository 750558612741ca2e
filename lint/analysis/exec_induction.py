"""Counted loops: how often a loop turns, from its induction variable, step and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_facts import Facts
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_memory import LocalObj
from cudalint.lint.analysis.exec_values import I64, MAY, Array, Ptr, Val, Value, fit
from cudalint.lint.model.expressions import (
    Assign,
    Binary,
    Expr,
    IncDec,
    Symbol,
    Var,
)
from cudalint.lint.model.statements import Block, ExprStmt, Stmt
from cudalint.lint.model.walk import uncast, walk

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Counted:
    """What the text of a loop says: `symbol op bound`, and `symbol` changes by `step` (`down`: minus)."""

    symbol: Symbol
    op: str
    bound: Expr
    step: Expr | None
    down: bool


@dataclass(slots=True)
class Plan:
    """How a counted loop will run: `trips` per lane, `total` the most of any active lane."""

    variable: LocalObj
    start: int | Array
    step: int | Array
    trips: int | Array
    total: int
    taint: int
    same: bool

    @property
    def trip(self) -> int | None:
        """The number of iterations where it is exact and all lanes agree."""
        return self.total if self.same and not self.taint else None


def counted(condition: Expr | None, step: Expr | None, body: Stmt, facts: Facts) -> Counted | None:
    """The counted loop that a condition, a step and a body make; None when it is none."""
    condition = uncast(condition) if condition is not None else None
    if not isinstance(condition, Binary) or condition.op not in _MIRRORED:
        return None
    if step is None:
        step = _step_in_body(condition, body, facts)
        in_body = 1
    else:
        in_body = 0
    if step is None:
        return None
    changed = facts.of(body).changed
    for side, bound, op in (
        (condition.left, condition.right, condition.op),
        (condition.right, condition.left, _MIRRORED[condition.op]),
    ):
        variable = uncast(side)
        if not isinstance(variable, Var):
            continue
        found = _step_of(step, variable.symbol)
        if found is None or changed.count(variable.symbol.key) != in_body:
            continue
        amount, down = found
        used = {n.symbol.key for e in (bound, amount) if e is not None for n in walk(e) if isinstance(n, Var)}
        if variable.symbol.key in used or used & set(changed):
            continue
        return Counted(variable.symbol, op, bound, amount, down)
    return None


def _step_in_body(condition: Binary, body: Stmt, facts: Facts) -> Expr | None:
    """The one statement of a while loop's body that moves the variable that its condition tests."""
    if not isinstance(body, Block) or facts.of(body).continues:
        return None
    tested = {v.symbol.key for v in map(uncast, (condition.left, condition.right)) if isinstance(v, Var)}
    for stmt in body.body:
        if isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Assign | IncDec):
            target = stmt.expr.target
            if isinstance(target, Var) and target.symbol.key in tested:
                return stmt.expr
    return None


def _step_of(step: Expr, symbol: Symbol) -> tuple[Expr | None, bool] | None:
    """By what a step expression moves a variable (None: by one), and whether downwards."""
    if isinstance(step, Binary) and step.op == ",":
        for part in (step.left, step.right):
            found = _step_of(part, symbol)
            if found is not None:
                return found
        return None
    if not isinstance(step, Assign | IncDec) or not _names(step.target, symbol):
        return None
    if isinstance(step, IncDec):
        return None, step.op == "--"
    if step.op in {"+=", "-="}:
        return step.value, step.op == "-="
    value = uncast(step.value)
    if step.op == "=" and isinstance(value, Binary) and value.op in {"+", "-"}:
        if _names(uncast(value.left), symbol):
            return value.right, value.op == "-"
        if _names(uncast(value.right), symbol) and value.op == "+":
            return value.left, False
    return None


def _names(expr: Expr | None, symbol: Symbol) -> bool:
    return isinstance(expr, Var) and expr.symbol.key == symbol.key


def plan(m: Machine, loop: Counted) -> Plan | None:
    """How the loop will run from here; None when memory content has a say in it."""
    variable = m.variables.get(loop.symbol.key)
    start = variable.cells.get(0) if isinstance(variable, LocalObj) else None
    if not isinstance(variable, LocalObj) or not isinstance(start, Val):
        return None
    m.record.quiet += 1
    with m.journal() as written:
        bound = m.eval(loop.bound)
        step = m.eval(loop.step) if loop.step is not None else Val(1, I64)
    m.record.quiet -= 1
    if not isinstance(bound, Val) or not isinstance(step, Val) or written:
        m.undo(written)
        return None
    taint = start.taint | bound.taint | step.taint
    if taint & MAY or any(v.dt.kind == "f" for v in (start, bound, step)):
        return None
    return _turns(m, loop, variable, *(fit(v.data, I64) for v in (start, bound, step)), taint=taint)


def _turns(
    m: Machine, loop: Counted, variable: LocalObj, start: Any, bound: Any, step: Any, *, taint: int
) -> Plan | None:
    if loop.down:
        step = -step
    if not np.all(step):
        return None
    distance = bound - start
    if loop.op in {"<=", ">="}:
        distance = distance + (1 if loop.op == "<=" else -1)
    upwards = loop.op in {"<", "<="}
    if loop.op != "!=" and not np.all(step > 0 if upwards else step < 0):
        return None
    trips: Any = -(-distance // step)
    trips = np.maximum(trips, 0) if isinstance(trips, np.ndarray) else max(int(trips), 0)
    if not isinstance(trips, np.ndarray):
        return Plan(variable, start, step, trips, trips, taint, True)
    active = np.broadcast_to(trips, m.lanes.shape)[np.broadcast_to(m.mask.bits, m.lanes.shape)]
    total = int(active.max())
    return Plan(variable, start, step, trips, total, taint, total == int(active.min()))


def value_at(earlier: list[Value | None], target: int | Array, now: int) -> Value | None:
    """A variable's value at the start of iteration `target`, from its last three.

    `earlier` are the values at the starts of iterations now - 2, now - 1 and now. None: no rule seen, that
    is neither linear nor alternating.
    """
    if any(v is None or v.taint & MAY for v in earlier):
        return None
    first, second, third = earlier
    if isinstance(first, Val) and isinstance(second, Val) and isinstance(third, Val):
        data = _progress(first.data, second.data, third.data, target, now, third.dt.kind == "f")
        return None if data is None else Val(fit(data, third.dt), third.dt, third.taint)
    if isinstance(first, Ptr) and isinstance(second, Ptr) and isinstance(third, Ptr):
        if first.alts or second.alts or third.alts or first.obj is not third.obj:
            return None
        if second.obj is not third.obj:
            same_place = np.array_equal(first.off, third.off) and isinstance(target, int)
            return (second if (target - now) % 2 else third) if same_place else None
        off = _progress(first.off, second.off, third.off, target, now, floating=False)
        return None if off is None else Ptr(third.obj, off, third.taint)
    return None


def _progress(a: Any, b: Any, c: Any, target: Any, now: int, floating: bool) -> Any:
    if _same(a, b) and _same(b, c):
        return c
    if floating:
        return None
    if any(getattr(x, "dtype", None) == np.bool_ or isinstance(x, bool) for x in (a, b, c)):
        return _alternating(a, b, c, target, now)
    a, b, c = (x.astype(np.int64) if isinstance(x, np.ndarray) else int(x) for x in (a, b, c))
    if _same(c - b, b - a):
        return c + (c - b) * (target - now)
    return _alternating(a, b, c, target, now)


def _alternating(a: Any, b: Any, c: Any, target: Any, now: int) -> Any:
    if not _same(a, c):
        return None
    odd = (target - now) % 2
    return np.where(odd, b, c) if isinstance(odd, np.ndarray) else (b if odd else c)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.all(a == b))
    return bool(a == b)
