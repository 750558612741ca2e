"""What the values of device code are made of: of the thread's own index, of the block's, of what is loaded.

Read off the model of a whole program, without regard to the order of statements: a variable is made of all that is
ever assigned to it, and of the conditions that decide which; a parameter of a device function of all arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

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
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType
from cudalint.lint.model.walk import Node, children, walk

_LANES = ("__shfl", "__ballot", "__activemask", "__match", "__reduce", "__fns", "atomic", "clock", "cub")
"""How the names of functions begin whose results tell threads apart, or may."""
_READS = ("__ld", "tex", "surf")
"""How the names of functions begin that load."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a value rests on. `own`: the thread's index; `block`: the block's; `lost`: something not followed.

    `loads` are the elements that are loaded for it; what their indices rest on does not count. `folds`: what is
    loaded takes few values, or is made into fewer: a byte, a float cut to an integer, a remainder.
    """

    own: bool = False
    block: bool = False
    lost: bool = False
    folds: bool = False
    loads: frozenset[Hashable] = frozenset()

    @property
    def common(self) -> bool:
        """Whether threads of a block that load the same get the same."""
        return not self.own and not self.lost


@dataclass(slots=True)
class _Found:
    """What was found of a value so far, and the variables and functions still to be looked into."""

    own: bool = False
    block: bool = False
    lost: bool = False
    folds: bool = False
    loads: set[Hashable] = field(default_factory=set)
    todo: list[str] = field(default_factory=list)

    def add(self, other: _Found) -> None:
        """Take in what was found elsewhere."""
        self.own |= other.own
        self.block |= other.block
        self.lost |= other.lost
        self.folds |= other.folds
        self.loads |= other.loads
        self.todo += other.todo


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
        self._direct: dict[str, _Found] = {}
        for function in program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                _Collector(self, function).collect()

    def of(self, node: Node) -> Origin:
        """What a value is made of."""
        found = _Found()
        self._value(node, found)
        return self._closed(found)

    def of_place(self, target: Expr) -> Origin:
        """What the place of an element is made of: its array and its index, not what is stored there."""
        found = _Found()
        self._place(target, found)
        return self._closed(found)

    def single(self, symbol: Symbol) -> Expr | None:
        """The value of a variable that has but one, whatever the thread does."""
        sources = self._sources.get(symbol.key, [])
        if len(sources) != 1 or sources[0].conditions or symbol.key in self._lost:
            return None
        return sources[0].value

    def _closed(self, found: _Found) -> Origin:
        """What was found, with all that it leads to."""
        seen: set[str] = set()
        while found.todo and not found.lost:
            key = found.todo.pop()
            if key not in seen:
                seen.add(key)
                found.add(self._behind(key))
        return Origin(found.own, found.block, found.lost, found.folds, frozenset(found.loads))

    def _behind(self, key: str) -> _Found:
        """What is found in all that a variable may take or a function return, without what that leads to."""
        known = self._direct.get(key)
        if known is None:
            known = self._direct[key] = _Found(lost=key in self._lost or key not in self._sources)
            nodes = {id(n): n for s in self._sources.get(key, ()) for n in (s.value, *s.conditions) if n is not None}
            for node in nodes.values():
                if not known.lost:
                    self._value(node, known)
        return known

    def _value(self, node: Node, found: _Found) -> None:
        found.folds |= _folds(node)
        match node:
            case Const():
                return
            case Builtin(name=name):
                found.block |= name == "blockIdx"
                found.own |= name not in _SHARED_BUILTINS
            case Var(symbol=symbol):
                self._variable(symbol, found)
            case Index() | Deref():
                self._loaded(node, found)
            case AddressOf(operand=operand):
                self._place(operand, found)
            case Call():
                self._call(node, found)
            case Assign() | IncDec() | Lambda() | Unknown():
                found.lost = True
            case _:
                for part in children(node):
                    self._value(part, found)

    def _place(self, target: Expr, found: _Found) -> None:
        match target:
            case Index(base=base, index=index):
                self._place(base, found)
                self._value(index, found)
            case Member(base=base, arrow=False) | Cast(operand=base):
                self._place(base, found)
            case Member(base=base) | Deref(pointer=base):
                self._value(base, found)
            case Var(symbol=symbol) if symbol.storage in _LOCAL and not isinstance(symbol.type, PointerType):
                found.lost = True
            case _:
                self._value(target, found)

    def _loaded(self, node: Index | Deref, found: _Found) -> None:
        if isinstance(node, Deref) and isinstance(node.pointer, Var) and _is_reference(node.pointer.symbol):
            found.todo.append(_content_of(node.pointer.symbol))
        elif isinstance(node.type, ArrayType):
            self._place(node, found)
        elif isinstance(node.type, PointerType) or _in_local_array(node):
            found.lost = True
        else:
            found.loads.add(same(node))

    def _variable(self, symbol: Symbol, found: _Found) -> None:
        if symbol.storage not in _LOCAL or symbol.key in self._free:
            return
        if isinstance(symbol.type, ArrayType):
            found.lost = True
        else:
            found.todo.append(symbol.key)

    def _call(self, call: Call, found: _Found) -> None:
        function = None if call.constructor else self.function(call.key)
        if function is not None:
            found.todo.append(_result_of(function.key))
        elif call.name.startswith(_READS):
            found.loads.add(same(call))
        elif not call.args or call.receiver is not None or call.name.startswith(_LANES):
            found.lost = True
        else:
            for arg in call.args:
                self._value(arg, found)

    # -- what the collector tells ------------------------------------------------------------------------------

    def free(self, symbol: Symbol) -> None:
        """A variable is one for all threads: a parameter of a kernel."""
        self._free.add(symbol.key)

    def lose(self, symbol: Symbol) -> None:
        """A variable is changed in ways that are not followed."""
        self._lost.add(symbol.key)

    def add(self, symbol: Symbol, value: Expr | None, conditions: tuple[Expr, ...]) -> None:
        """A variable may take a value (None: one made of its own) under conditions; a reference, be bound to it."""
        if value is not None and _is_reference(symbol):
            self._sources[_content_of(symbol)].append(_Source(value, conditions))
            value = AddressOf(value, symbol.type, value.span)
        self._sources[symbol.key].append(_Source(value, conditions))

    def returned(self, key: str, value: Expr | None, conditions: tuple[Expr, ...]) -> None:
        """A function may return a value under conditions."""
        self._sources[_result_of(key)].append(_Source(value, conditions))

    def function(self, key: str | None) -> Function | None:
        """A device function of the program with its body."""
        found = self._program.functions.get(key) if key else None
        return found if found is not None and found.body is not None else None


def _folds(node: Node) -> bool:
    """Whether different values become one here, or few are to be had from the start."""
    match node:
        case Cast(operand=operand, type=IntType()):
            return isinstance(operand.type, FloatType)
        case Binary(op=op):
            return op in _FOLDING
        case Call(name=name, type=IntType(), args=args):
            return name in ("min", "max", "clamp") or any(isinstance(arg.type, FloatType) for arg in args)
        case Index(type=IntType(size=size)) | Deref(type=IntType(size=size)):
            return size < _WORD
    return False


def _content_of(reference: Symbol) -> str:
    """What the content of what a reference is bound to is filed under: the reference itself is a place."""
    return f"{reference.key} content"


def _result_of(key: str) -> str:
    """What the results of a function are filed under, beside variables."""
    return f"{key} returns"


_FOLDING = frozenset({"&", "%", "/", ">>"})
_WORD = 4
"""Bytes from which on a loaded integer is taken to name one element of many, as a list of neighbours does."""
_LOCAL = (Storage.LOCAL, Storage.PARAM)
_SHARED_BUILTINS = frozenset({"blockIdx", "blockDim", "gridDim", "warpSize"})


class _Collector:
    """Goes through one function and tells what its variables may take."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self._origins = origins
        self._function = function
        self._under: list[Expr] = []
        self._declared: dict[str, int] = {}
        assert function.body is not None
        self._body = function.body

    def collect(self) -> None:
        """Go through the function."""
        if self._function.kind is FunctionKind.KERNEL:
            for symbol in self._function.params:
                self._origins.free(symbol)
        self._statement(self._body)

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

    @cached_property
    def _leaves(self) -> tuple[Expr, ...]:
        return tuple(_exits(self._body))

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
                if _may_change(symbol):
                    self._lose(init)
            case RangeFor(symbol=symbol):
                self._origins.lose(symbol)
            case Return(value=value):
                # What comes after an early return depends on its condition as well.
                self._origins.returned(self._function.key, value, (*self._under, *self._leaves))
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
            if _may_change(symbol):
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


def _may_change(symbol: Symbol) -> bool:
    """Whether a symbol is a reference through which what it is bound to may be changed."""
    return isinstance(symbol.type, PointerType) and symbol.type.reference and not symbol.type.const


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
