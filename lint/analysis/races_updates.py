"""Updates without an atomic, of elements that loaded indices pick: histograms, scatters, degrees of a graph.

Whether two threads meet on one element is in the data, which nothing here knows. What is known is that nothing in
the index keeps them apart: it is made of what is loaded and of what all threads share, with no part of the thread's
own, and no lock, flag or single thread orders the updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.races_locks import Protocol
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Space, Taint, Trace
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Builtin,
    Call,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Member,
    Storage,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.types import ArrayType, PointerType
from cudalint.lint.model.walk import Node, children, walk

_UNCLEAR = Taint.UNKNOWN | Taint.ATOMIC | Taint.APPROXIMATE
"""An index that rests on these is another matter: tickets, what is not understood."""
MAX_DEPTH = 16
"""How far an index is followed, through expressions and variables, to what it is made of."""


@dataclass(frozen=True, slots=True, eq=False)
class ScatteredUpdate:
    """A read-modify-write of an element that a loaded index picks, by `threads` threads of the executed ones."""

    access: Access
    threads: int


class Updates:
    """The statements of device code that update an element whose index is loaded, by the span of the element."""

    def __init__(self, program: TranslationUnit) -> None:
        self._program = program
        self._values: dict[str, Expr | None] = {}
        targets: list[Expr] = []
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                targets.extend(self._collect(function))
        self._spans = {target.span for target in targets if self._loaded_only(target)}

    def scattered(self, trace: Trace) -> Iterator[ScatteredUpdate]:
        """The updates that several threads of a trace make, one per place."""
        if not self._spans or Protocol(trace).waits:
            return
        told: set[Span] = set()
        for event in trace.events:
            if not isinstance(event, Access) or event.span in told or event.span not in self._spans:
                continue
            threads = _threads(event, trace)
            if event.kind is AccessKind.STORE and _picked(event) and threads > 1:
                told.add(event.span)
                yield ScatteredUpdate(event, threads)

    def _collect(self, function: Function) -> Iterator[Expr]:
        """The elements that a function updates; its variables with one value are noted on the way."""
        assert function.body is not None
        kernel = function.kind is FunctionKind.KERNEL
        for symbol in function.params:
            self._values[symbol.key] = Const(0, symbol.type, symbol.span) if kernel else None
        changed: list[str] = []
        for node in walk(function.body):
            if isinstance(node, Decl):
                self._values[node.symbol.key] = node.init
            elif isinstance(node, Assign | IncDec):
                if isinstance(node.target, Var):
                    changed.append(node.target.symbol.key)
                elif isinstance(node, IncDec) or node.op != "=" or self._reads(node.value, node.target):
                    yield node.target
            elif isinstance(node, AddressOf) and not node.decay and isinstance(node.operand, Var):
                changed.append(node.operand.symbol.key)
        for key in changed:
            self._values[key] = None

    def _reads(self, value: Expr, target: Expr) -> bool:
        """Whether a value is computed from the very element that it is stored to."""
        text = self._text(target.span)
        return bool(text) and any(
            isinstance(node, Index | Deref) and self._text(node.span) == text for node in walk(value)
        )

    def _text(self, span: Span) -> bytes:
        data = self._program.files.get(span.file, b"")
        return b"".join(data[span.offset : span.end_offset].split())

    def _loaded_only(self, target: Expr) -> bool:
        """Whether an element's place is made of loaded values and of what all threads share."""
        place = target
        while isinstance(place, Member) and not place.arrow:
            place = place.base
        if not isinstance(place, Index):
            return False
        return self._shared_by_all(place.base, base=True) and self._shared_by_all(place.index, base=False)

    def _shared_by_all(self, node: Node, base: bool, depth: int = 0) -> bool:
        """Whether nothing of the thread's own is in an expression, outside of what it loads.

        `base`: the array itself, which may not be loaded either: each thread could have one of its own.
        """
        if depth > MAX_DEPTH or isinstance(node, Assign | IncDec):
            return False
        if isinstance(node, Builtin):
            return node.name in ("blockDim", "gridDim", "warpSize")
        if isinstance(node, Index | Deref):
            return not base
        if isinstance(node, Var):
            return self._variable(node, base, depth)
        if isinstance(node, Call) and not node.args:
            return False
        return all(self._shared_by_all(part, base, depth + 1) for part in children(node))

    def _variable(self, expr: Var, base: bool, depth: int) -> bool:
        """Whether a variable is one for all threads, or has one value that is made of such and of loads."""
        symbol = expr.symbol
        if symbol.storage not in (Storage.LOCAL, Storage.PARAM):
            return True
        if isinstance(symbol.type, ArrayType):
            return False
        value = self._values.get(symbol.key)
        if value is None or (isinstance(symbol.type, PointerType) and symbol.type.reference):
            return False
        return self._shared_by_all(value, base, depth + 1)


def _picked(access: Access) -> bool:
    """Whether loaded values that differ per thread pick the element, but not the threads.

    A thread that data pick may be the only one at its element: the first of a run of equal keys.
    """
    return (
        access.object.space in (Space.GLOBAL, Space.SHARED)
        and bool(access.address_taint & Taint.LOADED)
        and not access.address_taint & _UNCLEAR
        and not access.mask_taint & OPAQUE
        and not access.explored
    )


def _threads(access: Access, trace: Trace) -> int:
    """The threads that may meet: of one block for shared memory."""
    scope = trace.lanes.world if access.object.space is Space.GLOBAL else trace.lanes.cta
    return int(np.bincount(scope[access.mask]).max(initial=0))
