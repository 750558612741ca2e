"""Whether the iterations of a loop are independent, so that other threads may run them in another order.

They are when nothing but the element's index tells one from another, and no iteration reads or writes what another
one writes: every buffer that the loop writes is met at one place per element, or by atomics without their result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cudalint.lint.analysis.rewrite_uniform import Names, mathematical, plain, same
from cudalint.lint.model.expressions import (
    AddressOf,
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
    InitList,
    Lambda,
    Member,
    Storage,
    Symbol,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function
from cudalint.lint.model.statements import (
    Asm,
    Block,
    Break,
    Continue,
    Decl,
    ExprStmt,
    For,
    If,
    Stmt,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import ArrayType, PointerType
from cudalint.lint.model.walk import Node, children, walk

_UPDATES = frozenset(f"atomic{n}" for n in ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"))
"""Atomics that give the same content in every order, but for the rounding of sums."""
_ALLOWED = (
    *(Const, Var, Builtin, Unary, Binary, Conditional, Cast, Index, Member, Assign, IncDec, InitList),
    *(Block, Decl, ExprStmt, If, For, While, Break, Continue, Call, AddressOf),
)
Linear = tuple[int, int, tuple[Expr, ...]]
"""An index as `factor * element + offset + terms`; the terms are uniform."""


@dataclass(slots=True)
class _Uses:
    """What a loop's body does to memory: places by the key of a buffer; None is a place that is not understood."""

    read: dict[str, list[Linear | None]] = field(default_factory=dict)
    written: dict[str, list[Linear | None]] = field(default_factory=dict)
    updated: set[str] = field(default_factory=set)
    through: dict[str, set[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Body:
    """The body of a loop over elements. `elements` are the nodes that are the element's index, by identity."""

    names: Names
    elements: frozenset[int]
    stmt: Stmt
    own: set[str] = field(default_factory=set)
    uses: _Uses = field(default_factory=_Uses)

    def independent(self, kernel: Function, loop: For) -> bool:
        """Whether other threads of the block may run the iterations of the loop, which is part of the kernel."""
        self.own = {n.symbol.key for n in walk(self.stmt) if isinstance(n, Decl)}
        return self._fits(self.stmt, loops=0) and self._separate() and self._alone(kernel, loop)

    def _fits(self, node: Node, loops: int) -> bool:
        """Whether a node and all below it are understood and do nothing that ties iterations together."""
        if id(node) in self.elements:
            return True
        match node:
            case ExprStmt(expr=Call(name=name, args=(AddressOf(operand=Index() as place), *values))) if (
                name in _UPDATES
            ):
                return self._update(place) and all(self._fits(v, loops) for v in (place.index, *values))
            case Assign(target=target) | IncDec(target=target) if not self._may_write(target):
                return False
        return isinstance(node, _ALLOWED) and self._may_stand(node, loops) and self._parts(node, loops)

    def _may_stand(self, node: Node, loops: int) -> bool:
        """Whether a node by itself may be part of an iteration, `loops` loops inside it."""
        match node:
            case Break():
                return loops > 0
            case Builtin(name=name):
                return name != "threadIdx"
            case Decl(symbol=symbol):
                return symbol.storage is Storage.LOCAL and not symbol.volatile
            case Var():
                return self._may_read(node)
            case Index():
                return self._access(node, self.uses.read)
            case AddressOf(decay=decay):
                return decay
            case Call():
                return mathematical(node)
        return True

    def _parts(self, node: Node, loops: int) -> bool:
        inside = loops + isinstance(node, For | While)
        return all(self._fits(n, inside) for n in children(node))

    def _may_read(self, use: Var) -> bool:
        """Whether a variable means the same to all threads, or is the iteration's own."""
        symbol = use.symbol
        if symbol.key in self.own or symbol.storage in {Storage.SHARED, Storage.DYNAMIC_SHARED, Storage.CONSTANT}:
            return not symbol.volatile and (symbol.key in self.own or isinstance(symbol.type, ArrayType))
        if symbol.storage in {Storage.DEVICE, Storage.MANAGED}:
            return isinstance(symbol.type, ArrayType) and not symbol.volatile
        return not (isinstance(symbol.type, PointerType) and symbol.type.volatile) and self.names.uniform(use)

    def _may_write(self, target: Expr) -> bool:
        while isinstance(target, Member) and not target.arrow:
            target = target.base
        if isinstance(target, Var):
            return target.symbol.key in self.own and not isinstance(target.symbol.type, PointerType)
        return isinstance(target, Index) and self._access(target, self.uses.written)

    def _access(self, place: Index, into: dict[str, list[Linear | None]]) -> bool:
        """Note an access to a buffer; False where it cannot be told which."""
        first = outermost(place)
        root = self.names.root(first.base)
        if root is None or not self._fixed(first.base):
            return False
        if root.key in self.own:
            return isinstance(root.type, ArrayType)
        if root.storage is Storage.LOCAL:
            return False
        into.setdefault(root.key, []).append(self.linear(first.index))
        self.uses.through.setdefault(root.key, set()).update(
            n.symbol.key for n in walk(first.base) if isinstance(n, Var)
        )
        return True

    def _fixed(self, base: Expr) -> bool:
        """Whether all iterations of all threads mean the same place with a pointer or array."""
        while isinstance(base, AddressOf) and base.decay:
            base = base.operand
        return (isinstance(base, Var) and isinstance(base.symbol.type, ArrayType)) or self.names.uniform(base)

    def _update(self, place: Index) -> bool:
        root = self.names.root(outermost(place).base)
        if root is None or root.storage is Storage.LOCAL or not self._fixed(outermost(place).base):
            return False
        self.uses.updated.add(root.key)
        return True

    def linear(self, index: Expr) -> Linear | None:
        """An index as a linear function of the element."""
        if id(index) in self.elements:
            return 1, 0, ()
        bare = plain(index)
        if isinstance(bare, Var) and bare.symbol.key in self.own and bare.symbol.key in self.names.values:
            return self.linear(self.names.values[bare.symbol.key])
        match bare:
            case _ if id(bare) in self.elements:
                return 1, 0, ()
            case Const(value=int(value)):
                return 0, value, ()
            case _ if self.names.uniform(bare):
                return 0, 0, (bare,)
            case Binary(op="+", left=left, right=right):
                one, other = self.linear(left), self.linear(right)
                if one is not None and other is not None:
                    return one[0] + other[0], one[1] + other[1], one[2] + other[2]
            case Binary(op="*", left=left, right=right):
                one, other = self.linear(left), self.linear(right)
                if one is not None and other is not None and not one[2] and not other[2] and 0 in (one[0], other[0]):
                    factor, of = (one[1], other) if one[0] == 0 else (other[1], one)
                    return factor * of[0], factor * of[1], ()
        return None

    def _separate(self) -> bool:
        """Whether each written buffer is met by each iteration only where no other iteration meets it."""
        uses = self.uses
        if any(k in uses.read or k in uses.written for k in uses.updated):
            return False
        for key, written in uses.written.items():
            if len(uses.through[key]) != 1 or not _apart([*written, *uses.read.get(key, ())]):
                return False
        return bool(uses.written or uses.updated)

    def _alone(self, kernel: Function, loop: For) -> bool:
        """Whether the rest of the kernel keeps away from what the loop writes, and writes nothing that it reads."""
        inside = {id(n) for n in walk(loop)}
        outside = [n for n in walk(kernel.body) if id(n) not in inside] if kernel.body is not None else []
        changed = {*self.uses.written, *self.uses.updated}
        met = {*changed, *self.uses.read}
        for node in outside:
            match node:
                case Deref() | Asm() | Unknown() | UnknownStmt() | Lambda() | Member(arrow=True):
                    return False
                case Assign(target=target) | IncDec(target=target) if not isinstance(target, Var):
                    roots = _roots(self.names, target)
                    if not roots or any(r is None or r.key in met for r in roots):
                        return False
                case Index() if (root := self.names.root(outermost(node).base)) is None or root.key in changed:
                    return False
                case Call() if not mathematical(node) and not node.constructor and not node.name.startswith("__sync"):
                    return False
        return True


def _apart(places: Sequence[Linear | None]) -> bool:
    """Whether different elements are different places, whatever the element."""
    if any(p is None for p in places):
        return False
    known = [p for p in places if p is not None]
    factor, _, terms = known[0]
    offsets = [p[1] for p in known]
    alike = all(p[0] == factor and _same_terms(p[2], terms) for p in known)
    return alike and factor >= 1 and max(offsets) - min(offsets) < factor


def _same_terms(one: Sequence[Expr], other: Sequence[Expr]) -> bool:
    return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))


def outermost(place: Index) -> Index:
    """The subscript of the outermost dimension."""
    while True:
        base = plain(place.base)
        while isinstance(base, AddressOf) and base.decay:
            base = base.operand
        if not isinstance(base, Index):
            return place
        place = base


def _roots(names: Names, target: Expr) -> list[Symbol | None]:
    return [names.root(outermost(n).base) for n in walk(target) if isinstance(n, Index)]
