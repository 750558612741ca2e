"""What the text of a program says of its statements, counted once per node.

The cost is a rough count of instructions, for the predication threshold. The weights are of the order of issue
slots: arithmetic 1, a memory access 4, an integer division by a runtime value or a library function 20. A local
variable is a register, also through a reference: what a reference is bound to counts where it is bound, and an
element of a local array costs 1. Loops count their body a few times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from cudalint.lint.analysis.exec_undefined import undefined_locals
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Member,
    Storage,
    Unary,
    Var,
)
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.statements import Break, Continue, For, RangeFor, Return, While
from cudalint.lint.model.types import FloatType, PointerType
from cudalint.lint.model.walk import Node, children

ACCESS, SLOW, FLOAT_DIVISION, LOOP_TURNS = 4, 20, 8, 4
LIMIT = 1_000_000
MAX_DEPTH = 4
_CHEAP_CALLS = frozenset({"min", "max", "abs", "fabs", "fabsf", "fminf", "fmaxf", "fmin", "fmax", "fmaf", "fma"})


@dataclass(frozen=True, slots=True)
class Fact:
    """`cost` as above; `leaves`: contains return, break or continue (`continues`: the latter).

    `changed` are the keys of the variables assigned or whose address is taken, once per occurrence.
    """

    cost: int
    leaves: bool
    continues: bool
    changed: tuple[str, ...]


_LEAF = Fact(0, False, False, ())


class Facts:
    """Facts of the nodes of one program; nodes are told apart by identity, so the program is kept."""

    def __init__(self, program: TranslationUnit) -> None:
        self._program = program
        self._known: dict[int, Fact] = {}

    @cached_property
    def undefined(self) -> frozenset[str]:
        """The keys of local variables that are copied without ever having been set."""
        return undefined_locals(self._program)

    def of(self, node: Node | None, depth: int = 0) -> Fact:
        """The facts of a statement or expression (none: nothing)."""
        if node is None or isinstance(node, Const | Var | Builtin):
            return _LEAF
        found = self._known.get(id(node))
        if found is None:
            found = self._known[id(node)] = self._count(node, depth)
        return found

    def cost(self, node: Node | None) -> int:
        """The cost alone."""
        return self.of(node).cost

    def _count(self, node: Node, depth: int) -> Fact:
        cost = self._own(node, depth)
        leaves = isinstance(node, Return | Break | Continue)
        continues = isinstance(node, Continue)
        changed = _target(node)
        for child in children(node):
            fact = self.of(child, depth)
            cost += fact.cost
            leaves = leaves or fact.leaves
            continues = continues or fact.continues
            changed += fact.changed
        if isinstance(node, For | While | RangeFor):
            cost *= LOOP_TURNS
        return Fact(min(LIMIT, cost), leaves, continues, changed)

    def _own(self, node: Node, depth: int) -> int:
        if isinstance(node, Binary):
            if node.op not in {"/", "%"} or isinstance(node.right, Const):
                return 1
            return FLOAT_DIVISION if isinstance(node.type, FloatType) else SLOW
        if isinstance(node, Unary | Assign | IncDec):
            return 1
        if isinstance(node, Deref) and _is_reference(node.pointer):
            return 0
        if isinstance(node, Index | Deref):
            return 1 if _in_registers(node) else ACCESS
        if isinstance(node, Call):
            function = self._program.functions.get(node.key) if node.key else None
            if function is not None and function.body is not None:
                return self.of(function.body, depth + 1).cost if depth < MAX_DEPTH else SLOW
            return 1 if node.name in _CHEAP_CALLS else SLOW
        return 0


def _is_reference(pointer: Expr) -> bool:
    return isinstance(pointer, Var) and isinstance(pointer.type, PointerType) and pointer.type.reference


def _in_registers(place: Expr) -> bool:
    """Whether an lvalue is part of a local array, which compilers keep in registers where they can."""
    while True:
        match place:
            case Index(base=inner) | Member(base=inner, arrow=False):
                place = inner
            case AddressOf(operand=inner, decay=True):
                place = inner
            case Deref(pointer=AddressOf(operand=inner)):
                place = inner
            case Var(symbol=symbol):
                return symbol.storage is Storage.LOCAL and not isinstance(symbol.type, PointerType)
            case _:
                return False


def _target(node: Node) -> tuple[str, ...]:
    target: Any = None
    if isinstance(node, Assign | IncDec):
        target = node.target
    elif isinstance(node, AddressOf) and not node.decay:
        target = node.operand
    return (target.symbol.key,) if isinstance(target, Var) else ()


class _Same:
    """A program as a key by identity."""

    __slots__ = ("program",)

    def __init__(self, program: TranslationUnit) -> None:
        self.program = program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.program is self.program


@lru_cache(maxsize=1)
def _facts(key: _Same) -> Facts:
    return Facts(key.program)


def facts_of(program: TranslationUnit) -> Facts:
    """The facts of a program; those of the last one asked for are kept for its other kernels."""
    return _facts(_Same(program))
