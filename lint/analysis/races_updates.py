"""Updates without an atomic, of elements that loaded indices pick: histograms, scatters, degrees of a graph.

Whether two threads meet on one element is in the data, which nothing here knows. What is known is that nothing in
the index keeps them apart: it is made of what is loaded and of what all threads share, with no part of the thread's
own, and no lock, flag or single thread orders the updates.

A list may still name each element once (`force[list[i]] += f`, the members of a group). It is no such list where
the elements are counted, for each count would be one, or where the index is folded from what is loaded: a bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.barriers_exits import contains
from cudalint.lint.analysis.kernel_index import KernelIndex
from cudalint.lint.analysis.races_locks import Protocol
from cudalint.lint.analysis.races_origins import Origin, Origins, same
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Branch, ShapeSource, Space, Taint, Trace
from cudalint.lint.model.expressions import (
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import For, If, Switch, While
from cudalint.lint.model.walk import Node, children, terms, uncast, walk

_UNCLEAR = Taint.UNKNOWN | Taint.ATOMIC
"""An index that rests on these is another matter: what is not understood, tickets."""
MAX_STEPS = 8
"""Variables through which an update is followed from the value that is stored to the one that was read."""


@dataclass(frozen=True, slots=True, eq=False)
class ScatteredUpdate:
    """A read-modify-write of an element that a loaded index picks, by `threads` threads of the executed ones.

    `partly`: the thread's own index is added to what is loaded.
    """

    access: Access
    threads: int
    partly: bool = False


class Updates:
    """The statements of device code that update an element whose index is loaded, by the span of the element."""

    def __init__(self, program: TranslationUnit) -> None:
        self._origins = Origins(program)
        self._program = program
        self._places: dict[Span, Origin] = {}
        self._conditions: dict[Span, Expr] = {}
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                self._collect(function)

    def scattered(self, trace: Trace) -> Iterator[ScatteredUpdate]:
        """The updates that several threads of a trace make, one per place."""
        if not self._places or Protocol(trace).waits:
            return
        told: set[Span] = set()
        branches: list[Branch] = []
        for event in trace.events:
            if isinstance(event, Branch) and event.taint & OPAQUE:
                branches.append(event)
            if not isinstance(event, Access) or event.span in told or event.kind is not AccessKind.STORE:
                continue
            place = self._places.get(event.span)
            if place is None or not _picked(event) or not self._for_all(event, place, branches):
                continue
            if place.own and not _by_itself(trace):
                continue
            threads = _threads(event, trace, one_block=place.block)
            if threads > 1:
                told.add(event.span)
                yield ScatteredUpdate(event, threads, place.own)

    def _collect(self, function: Function) -> None:
        assert function.body is not None
        for node in walk(function.body):
            if isinstance(node, If | While | For | Switch | Conditional) and node.condition is not None:
                self._note_condition(node.condition)
            elif isinstance(node, Assign | IncDec) and self._updates(node):
                place = self._origins.of_place(node.target)
                repeats = place.common and (place.folds or self._counts(node))
                if place.loads and (repeats or self._beside_thread(node.target, place, function)):
                    self._places[node.target.span] = place

    def _note_condition(self, condition: Expr) -> None:
        for node in walk(condition):
            if isinstance(node, Expr) and not isinstance(node, Var):
                self._conditions[node.span] = node
        self._conditions[condition.span] = condition

    def _updates(self, node: Assign | IncDec) -> bool:
        """Whether an element is changed from what it was, and no variable."""
        if isinstance(node.target, Var):
            return False
        return isinstance(node, IncDec) or node.op != "=" or self._reads(node.value, same(node.target), MAX_STEPS)

    def _counts(self, node: Assign | IncDec) -> bool:
        """Whether a constant is added to an element, or taken off."""
        if isinstance(node, IncDec):
            return True
        value = self._resolved(node.value)
        if node.op != "=":
            return node.op in ("+=", "-=") and isinstance(uncast(value), Const)
        sides = (value.left, value.right) if isinstance(value, Binary) and value.op in ("+", "-") else ()
        return any(isinstance(uncast(side), Const) for side in sides)

    def _beside_thread(self, target: Expr, place: Origin, function: Function) -> bool:
        """Whether an element's index is the thread's index, unscaled, and one loaded number beside it."""
        if place.lost or not isinstance(target, Index) or function.kind is not FunctionKind.KERNEL:
            return False
        own: list[Expr] = []
        loaded: list[Expr] = []
        for term in terms(target.index, uncast):
            made = self._origins.of(term)
            if made.loads:
                loaded.append(term)
            elif made.own:
                own.append(term)
        if len(own) != 1 or len(loaded) != 1 or not self._origins.of_place(target.base).common:
            return False
        index = KernelIndex(self._program, function)
        thread, number = self._resolved(own[0]), self._resolved(loaded[0])
        if index.global_axis(own[0]) is None and not (isinstance(thread, Builtin) and thread.name == "threadIdx"):
            return False
        return isinstance(number, Index | Deref | Call) and self._origins.of(number).common

    def _resolved(self, expr: Expr) -> Expr:
        """An expression without conversions, or what the variable that it is was set to, once."""
        for _ in range(MAX_STEPS):
            made = self._origins.single(expr.symbol) if isinstance(expr, Var) else None
            expr = expr.operand if isinstance(expr, Cast) else made if made is not None else expr
        return expr

    def _reads(self, value: Node, target: object, steps: int) -> bool:
        """Whether a value is computed from the element itself, directly or through variables."""
        if isinstance(value, Index | Deref) and same(value) == target:
            return True
        if isinstance(value, Var):
            made = self._origins.single(value.symbol) if steps else None
            return made is not None and self._reads(made, target, steps - 1)
        return any(self._reads(part, target, steps) for part in children(value))

    def _for_all(self, access: Access, place: Origin, branches: list[Branch]) -> bool:
        """Whether all threads that load one index update the element, or none: data do not pick the threads.

        So it is where conditions on data are about the very values that make the index (`if (bin < bins)`). A
        thread that other data pick may be the only one at its element: the first of a run of equal keys.
        """
        if not access.mask_taint & OPAQUE:
            return True
        if access.mask_taint & (_UNCLEAR | Taint.APPROXIMATE):
            return False
        for branch in branches:
            depth = len(branch.calls)
            if access.calls[:depth] != branch.calls:
                continue
            at = (*access.calls, access.span)[depth]
            leads = contains(branch.node, at) or branch.exits
            if leads and not self._about(self._conditions.get(branch.span), place):
                return False
        return True

    def _about(self, condition: Expr | None, place: Origin) -> bool:
        """Whether a condition turns on nothing but the values that make a place, or on none that are loaded."""
        if condition is None:
            return False
        while isinstance(condition, Cast) or (isinstance(condition, Unary) and condition.op == "!"):
            condition = condition.operand
        if isinstance(condition, Binary) and condition.op in ("&&", "||"):
            return self._about(condition.left, place) and self._about(condition.right, place)
        made = self._origins.of(condition)
        return not made.lost and (not made.loads or (made.common and made.loads <= place.loads))


def _by_itself(trace: Trace) -> bool:
    """Whether a kernel is judged for a launch given on the command line, whatever it is passed."""
    return trace.shape.source is ShapeSource.OPTION and trace.shape.site is None


def _picked(access: Access) -> bool:
    """Whether loaded values that differ per thread pick the element."""
    return (
        access.object.space in (Space.GLOBAL, Space.SHARED)
        and bool(access.address_taint & Taint.LOADED)
        and not access.address_taint & _UNCLEAR
        and not access.explored
    )


def _threads(access: Access, trace: Trace, one_block: bool) -> int:
    """The threads that may meet: of one block for shared memory, and for elements that a block has of its own."""
    apart = one_block or access.object.space is Space.SHARED
    scope = trace.lanes.cta if apart else trace.lanes.world
    return int(np.bincount(scope[access.mask]).max(initial=0))
