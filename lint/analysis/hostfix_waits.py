"""Whether the host waits for asynchronous copies of a buffer before it touches the buffer again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cudalint.lint.model.expressions import Call, Const, Expr, Symbol, Var
from cudalint.lint.model.statements import Block, Case, For, If, RangeFor, Stmt, Switch, While
from cudalint.lint.model.walk import Node, uncast, walk

_STREAMS = {"cudaMemcpyAsync": 4, "cudaMemcpy2DAsync": 7}
"""Where these copies have their stream."""
_DEVICE_WAITS = frozenset({"cudaDeviceSynchronize", "cudaThreadSynchronize"})
_ANY = "?"
"""A stream that only a wait for the whole device is known to wait for."""

Pending = frozenset[tuple[str, bool]]
"""Streams in which a copy of the buffer may be under way, and whether it writes the buffer."""


def waits_first(after: Iterable[Stmt], pointer: Symbol) -> bool:
    """Whether, in the statements from a buffer's allocation on, no use of it meets a copy that is under way."""
    walker = _Walker(pointer)
    pending: Pending = frozenset()
    for stmt in after:
        pending = walker.statement(stmt, pending)
    return not walker.met


@dataclass(slots=True)
class _Walker:
    """Goes through statements in the order of execution. `met`: a use met a copy."""

    pointer: Symbol
    met: bool = field(default=False)

    def statement(self, stmt: Stmt | Case, pending: Pending) -> Pending:
        """The copies under way behind a statement. Both sides of a branch count, loops run twice."""
        if isinstance(stmt, Block | Case):
            for part in stmt.body:
                pending = self.statement(part, pending)
            return pending
        if isinstance(stmt, If):
            pending = self._all((*stmt.init, stmt.condition), pending)
            sides = [stmt.then, *([stmt.otherwise] if stmt.otherwise is not None else [])]
            ends = [self.statement(side, pending) for side in sides]
            return frozenset().union(*ends, *([pending] if len(ends) == 1 else []))
        if isinstance(stmt, Switch):
            pending = self._all((stmt.condition,), pending)
            return pending.union(*(self.statement(case, pending) for case in stmt.cases))
        if isinstance(stmt, For | RangeFor | While):
            return self._loop(stmt, pending)
        return self._expression(stmt, pending)

    def _loop(self, stmt: For | RangeFor | While, pending: Pending) -> Pending:
        head: tuple[Stmt | Expr, ...] = ()
        if isinstance(stmt, For):
            pending = self._all(stmt.init, pending)
            head = tuple(e for e in (stmt.condition, stmt.step) if e is not None)
        elif isinstance(stmt, RangeFor):
            head = (stmt.range,)
        else:
            head = (stmt.condition,)
        once = isinstance(stmt, While) and stmt.do
        before = self._all(head, pending)
        for _ in range(2):
            before = before if once else before | pending
            before = self._all(head, self.statement(stmt.body, before))
        return before if once else before | pending

    def _all(self, nodes: Iterable[Stmt | Expr], pending: Pending) -> Pending:
        for node in nodes:
            pending = self._expression(node, pending)
        return pending

    def _expression(self, node: Node, pending: Pending) -> Pending:
        calls = [n for n in walk(node) if isinstance(n, Call)]
        copying = [c for c in calls if c.name in _STREAMS and self._uses(c)]
        own = sum(1 for c in copying for _ in self._uses(c))
        if pending and sum(1 for _ in self._uses(node)) > own:
            self.met = True
        for copy in map(self._queued, copying):
            if any(other[1] != copy[1] and (other[0] != copy[0] or copy[0] == _ANY) for other in pending):
                self.met = True
        for call in calls:
            if call.name in _DEVICE_WAITS:
                pending = frozenset()
            elif call.name == "cudaStreamSynchronize" and call.args:
                done = self._name(call.args[0])
                pending = frozenset(p for p in pending if p[0] != done or done == _ANY)
        return pending | {self._queued(c) for c in copying}

    def _uses(self, node: Node) -> list[Var]:
        return [n for n in walk(node) if isinstance(n, Var) and n.symbol.key == self.pointer.key]

    def _queued(self, call: Call) -> tuple[str, bool]:
        at = _STREAMS[call.name]
        return self._name(call.args[at]) if len(call.args) > at else "0", bool(self._uses(call.args[0]))

    @staticmethod
    def _name(stream: Expr) -> str:
        bare = uncast(stream)
        if isinstance(bare, Const):
            return str(bare.value)
        return bare.symbol.key if isinstance(bare, Var) else _ANY
