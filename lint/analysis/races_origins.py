"""What the values of device code are made of: of the thread's own index, of the block's, of what is loaded.

Read off the model of a whole program, without regard to the order of statements: a variable is made of all that is
ever assigned to it, and of the conditions that decide which; a parameter of a device function of all arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Const,
    Deref,
    Expr,
    IncDec,
    Index,
    Lambda,
    Member,
    Storage,
    Symbol,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.statements import (
    Asm,
    Break,
    Continue,
    Decl,
    For,
    If,
    RangeFor,
    Return,
    Switch,
    While,
)
from cudalint.lint.model.types import ArrayType, PointerType
from cudalint.lint.model.walk import Node, children, walk

MAX_DEPTH = 40
"""How far a value is followed through expressions, variables and calls."""
_LANES = ("__shfl", "__ballot", "__activemask", "__match", "__reduce", "__fns", "atomic", "clock", "cub")
"""How the names of functions begin whose results tell threads apart, or may."""
_READS = ("__ld", "tex", "surf")
"""How the names of functions begin that load."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a value rests on. `own`: the thread's index; `block`: the block's; `lost`: something not followed.

    `loads` are the elements that are loaded for it; what their indices rest on does not count.
    """

    own: bool = False
    block: bool = False
    lost: bool = False
    loads: frozenset[Hashable] = frozenset()

    @property
    def common(self) -> bool:
        """Whether threads of a block that load the same get the same."""
        return not self.own and not self.lost

    def __or__(self, other: Origin) -> Origin:
        if other is _NOTHING:
            return self
        lost = self.lost or other.lost
        return Origin(self.own or other.own, self.block or other.block, lost, self.loads | other.loads)


_NOTHING = Origin()
_LOST = Origin(lost=True)


@dataclass(frozen=True, slots=True)
class _Source:
    """A value that a variable may take, and the conditions that decide whether it does."""

    value: Expr | None
    conditions: tuple[Expr, ...]


class Origins:
    """The origins of the values of a program's device code."""

    def __init__(self, program: TranslationUnit) -> None:
        self._program = program
        self._sources: dict[str, list[_Source]] = defaultdict(list)
        self._lost: set[str] = set()
        self._free: set[str] = set()
        self._results: dict[str, list[_Source]] = defaultdict(list)
        self._open: set[str] = set()
        self._known: dict[str, Origin] = {}
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                _Collector(self, function).collect()

    def of(self, node: Node | None, depth: int = 0) -> Origin:
        """What a value is made of."""
        if node is None or isinstance(node, Const):
            return _NOTHING
        if depth > MAX_DEPTH:
            return _LOST
        match node:
            case Builtin(name=name):
                return Origin(own=name not in _SHARED_BUILTINS, block=name == "blockIdx")
            case Var(symbol=symbol):
                return self._variable(symbol, depth)
            case Index() | Deref():
                return self._loaded(node, depth)
            case AddressOf(operand=operand):
                return self.of_place(operand, depth + 1)
            case Call():
                return self._call(node, depth)
            case Assign() | IncDec() | Lambda() | Unknown():
                return _LOST
        return self._any(children(node), depth)

    def of_place(self, target: Expr, depth: int = 0) -> Origin:
        """What the place of an element is made of: its array and its index, not what is stored there."""
        match target:
            case Index(base=base, index=index):
                return self.of_place(base, depth + 1) | self.of(index, depth + 1)
            case Member(base=base, arrow=arrow):
                return self.of(base, depth + 1) if arrow else self.of_place(base, depth + 1)
            case Deref(pointer=Var(symbol=symbol)) if _is_reference(symbol):
                return self._variable(symbol, depth)
            case Deref(pointer=pointer):
                return self.of(pointer, depth + 1)
            case Cast(operand=operand):
                return self.of_place(operand, depth + 1)
            case Var(symbol=symbol) if symbol.storage in (Storage.LOCAL, Storage.PARAM):
                return _LOST if not isinstance(symbol.type, PointerType) else self._variable(symbol, depth)
        return self.of(target, depth + 1)

    def single(self, symbol: Symbol) -> Expr | None:
        """The value of a variable that has but one, whatever the thread does."""
        sources = self._sources.get(symbol.key, [])
        if len(sources) != 1 or sources[0].conditions or symbol.key in self._lost:
            return None
        return sources[0].value

    def _any(self, nodes: Iterable[Node | None], depth: int) -> Origin:
        found = _NOTHING
        for node in nodes:
            found |= self.of(node, depth + 1)
        return found

    def _loaded(self, node: Index | Deref, depth: int) -> Origin:
        if isinstance(node, Deref) and isinstance(node.pointer, Var) and _is_reference(node.pointer.symbol):
            sources = self._sources.get(node.pointer.symbol.key, [])
            return self._any((s.value for s in sources), depth) if sources else _LOST
        if isinstance(node.type, ArrayType):
            return self.of_place(node, depth)
        if isinstance(node.type, PointerType) or _in_local_array(node):
            return _LOST
        return Origin(loads=frozenset({same(node)}))

    def _variable(self, symbol: Symbol, depth: int) -> Origin:
        key = symbol.key
        if symbol.storage not in (Storage.LOCAL, Storage.PARAM) or key in self._free or key in self._open:
            return _NOTHING
        sources = self._sources.get(key)
        if not sources or key in self._lost or isinstance(symbol.type, ArrayType):
            return _LOST
        if key not in self._known:
            self._open.add(key)
            found = self._of_sources(sources, depth)
            self._open.discard(key)
            if self._open:
                return found
            self._known[key] = found
        return self._known[key]

    def _of_sources(self, sources: list[_Source], depth: int) -> Origin:
        found = _NOTHING
        for source in sources:
            if source.value is not None and isinstance(source.value.type, ArrayType):
                return _LOST
            found |= self._any((source.value, *source.conditions), depth)
        return found

    def _call(self, call: Call, depth: int) -> Origin:
        function = self._program.functions.get(call.key) if call.key else None
        if function is not None and function.body is not None and not call.constructor:
            if function.key in self._open:
                return _NOTHING
            self._open.add(function.key)
            found = self._of_sources(self._results[function.key], depth)
            self._open.discard(function.key)
            return found
        if call.name.startswith(_READS):
            return Origin(loads=frozenset({same(call)}))
        if not call.args or call.receiver is not None or call.name.startswith(_LANES):
            return _LOST
        return self._any(call.args, depth)

    # -- what the collector tells ------------------------------------------------------------------------------

    def free(self, symbol: Symbol) -> None:
        """A variable is one for all threads: a parameter of a kernel."""
        self._free.add(symbol.key)

    def lose(self, symbol: Symbol) -> None:
        """A variable is changed in ways that are not followed."""
        self._lost.add(symbol.key)

    def add(self, symbol: Symbol, value: Expr | None, conditions: tuple[Expr, ...]) -> None:
        """A variable may take a value (None: one made of its own) under conditions."""
        self._sources[symbol.key].append(_Source(value, conditions))

    def returned(self, key: str, value: Expr | None, conditions: tuple[Expr, ...]) -> None:
        """A function may return a value under conditions."""
        self._results[key].append(_Source(value, conditions))

    def function(self, key: str | None) -> Function | None:
        """A device function of the program with its body."""
        found = self._program.functions.get(key) if key else None
        return found if found is not None and found.body is not None else None


_SHARED_BUILTINS = frozenset({"blockIdx", "blockDim", "gridDim", "warpSize"})


class _Collector:
    """Goes through one function and tells what its variables may take."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self._origins = origins
        self._function = function
        self._under: list[Expr] = []
        self._declared: dict[str, int] = {}

    def collect(self) -> None:
        """Go through the function."""
        if self._function.kind is FunctionKind.KERNEL:
            for symbol in self._function.params:
                self._origins.free(symbol)
        assert self._function.body is not None
        self._statement(self._function.body)

    def _statement(self, stmt: Node) -> None:
        depth = len(self._under)
        self._enter(stmt)
        self._note(stmt)
        for part in children(stmt):
            if isinstance(part, Decl):
                # Before the conditions of the loop that it may stand in the head of.
                self._declared[part.symbol.key] = depth if isinstance(stmt, For) else len(self._under)
            self._statement(part)
        del self._under[depth:]

    def _enter(self, stmt: Node) -> None:
        """The conditions that what is inside a statement depends on."""
        if isinstance(stmt, If | Switch):
            self._under.append(stmt.condition)
        elif isinstance(stmt, For | While):
            self._under += [] if stmt.condition is None else [stmt.condition]
            self._under += _exits(stmt.body)

    def _note(self, stmt: Node) -> None:
        match stmt:
            case Decl(symbol=symbol, init=init) if init is not None:
                self._origins.add(symbol, init, ())
            case RangeFor(symbol=symbol):
                self._origins.lose(symbol)
            case Return(value=value):
                # What comes after an early return depends on its condition as well.
                exits = tuple(_exits(self._function.body))
                self._origins.returned(self._function.key, value, (*self._under, *exits))
            case Asm(outputs=outputs):
                for output in outputs:
                    self._lose(output)
            case Assign() | IncDec():
                self._changed(stmt)
            case AddressOf(operand=operand, decay=False):
                self._lose(operand)
            case Call():
                self._call(stmt)

    def _changed(self, node: Assign | IncDec) -> None:
        root = _variable_of(node.target)
        if root is None:
            return
        value = node.value if isinstance(node, Assign) else None
        conditions = tuple(self._under[self._declared.get(root.key, 0) :])
        self._origins.add(root, value, conditions)

    def _call(self, call: Call) -> None:
        callee = self._origins.function(call.key)
        if callee is None:
            return
        if callee.this is not None and call.receiver is not None:
            self._origins.add(callee.this, call.receiver, ())
        for symbol, arg in zip(callee.params, call.args, strict=False):
            self._origins.add(symbol, arg, ())
            if _is_reference(symbol) and isinstance(symbol.type, PointerType) and not symbol.type.const:
                self._lose(arg)

    def _lose(self, target: Expr) -> None:
        root = _variable_of(target)
        if root is not None:
            self._origins.lose(root)


def _variable_of(target: Expr) -> Symbol | None:
    """The local variable that an lvalue is, or is part of."""
    while isinstance(target, Cast | Member) or (
        isinstance(target, Index) and isinstance(target.base.type, ArrayType)
    ):
        if isinstance(target, Member):
            if target.arrow:
                return None
            target = target.base
        else:
            target = target.operand if isinstance(target, Cast) else target.base
    return target.symbol if isinstance(target, Var) else None


def _exits(body: Node | None) -> Iterator[Expr]:
    """The conditions on which a loop or function is left, or an iteration cut short."""
    for node in walk(body) if body is not None else ():
        if isinstance(node, If) and any(isinstance(n, Break | Continue | Return) for n in walk(node)):
            yield node.condition


def _in_local_array(node: Expr) -> bool:
    while isinstance(node, Index | Member | Cast) or (isinstance(node, AddressOf) and node.decay):
        if isinstance(node, Member) and node.arrow:
            return False
        node = node.base if isinstance(node, Index | Member) else node.operand
    return isinstance(node, Var) and isinstance(node.type, ArrayType) and node.symbol.storage is Storage.LOCAL


def _is_reference(symbol: Symbol) -> bool:
    return isinstance(symbol.type, PointerType) and symbol.type.reference


def same(node: Node) -> Hashable:
    """Equal for two expressions that say the same in the same place, conversions aside."""
    if isinstance(node, Cast):
        return same(node.operand)
    if isinstance(node, Var):
        return node.symbol.key
    if isinstance(node, Const):
        return (Const, node.value)
    if not isinstance(node, _COMPARED):
        return id(node)
    label = next((getattr(node, name) for name in ("op", "field", "name") if hasattr(node, name)), None)
    return (type(node), label, getattr(node, "axis", None), *map(same, children(node)))


_COMPARED = AddressOf | Binary | Builtin | Call | Deref | Index | Member | Unary
