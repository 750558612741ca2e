"""Evaluation of host expressions on the interpreter's values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from cudalint.lint.analysis.hosteffects import Choice, HostAccess, Item, Leave, LeaveKind, NotUnderstood, Store
from cudalint.lint.analysis.hoststate import HostMemory, State
from cudalint.lint.analysis.hostvalues import (
    COMPARISONS,
    Atom,
    AtomKind,
    FunctionValue,
    Memory,
    Object,
    Path,
    Pointer,
    Record,
    Term,
    Value,
    first_seen,
    parts,
    size_of,
)
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Const,
    Delete,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Index,
    InitList,
    Lambda,
    Launch,
    Member,
    New,
    Storage,
    Symbol,
    Throw,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type, VoidType
from cudalint.lint.model.walk import walk

Side = Callable[[State], object]
"""One side of a branch: runs on the state that it is given."""

_EFFECTS = (Call, Assign, IncDec, Launch, New, Delete, Throw, Lambda)
_RETURNED = frozenset({Memory.MALLOC, Memory.NEW})
"""Memory that helpers return: it is known by the name that its user gives it."""
_HELD = frozenset({Memory.STACK, Memory.STATIC, Memory.UNKNOWN})


@dataclass(slots=True)
class Frame:
    """One activation of a function: its variables, and the states in which it returned."""

    function: Function
    variables: dict[str, Object] = field(default_factory=dict)
    outer: Frame | None = None
    returned: list[tuple[State, Value]] = field(default_factory=list)
    breaks: list[list[State]] = field(default_factory=list)
    continues: list[list[State]] = field(default_factory=list)


class HostExpressions(HostMemory):
    """Evaluates expressions; calls and launches are the subclass's."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Item] = []
        self.frame: Frame
        self.globals: dict[str, Object] = {}
        self.copied_to: set[Object] = set()
        self._effects: dict[int, bool] = {}
        self._seen_access: set[tuple[int, Span, bool]] = set()

    @abstractmethod
    def call(self, call: Call, state: State, into: Pointer | None = None) -> Value:
        """Evaluate a call; a constructor builds its object at `into`."""

    @abstractmethod
    def launch(self, launch: Launch, state: State) -> Value:
        """Evaluate a launch and record it."""

    @abstractmethod
    def subtracted(self, left: Value, right: Value) -> None:
        """`left - right` was formed."""

    @abstractmethod
    def use(self, value: Value) -> None:
        """Something looks at a value: results of calls in it are not ignored."""

    def decided_by(self, value: Value) -> None:
        """Control depends on a value: like `use`, and a pointer that is tested has its allocation checked."""
        self.use(value)
        for part in parts(value):
            if isinstance(part, Pointer):
                self.tested(part.object)

    @abstractmethod
    def tested(self, made: Object) -> None:
        """A pointer to this object is tested: whoever made it is not ignored."""

    # -- variables and places ------------------------------------------------------------------

    def variable(self, symbol: Symbol) -> Object:
        """The object of a variable in the current frame, or of a global."""
        if symbol.storage in {Storage.LOCAL, Storage.PARAM}:
            frame: Frame | None = self.frame
            while frame is not None:
                if symbol.key in frame.variables:
                    return frame.variables[symbol.key]
                frame = frame.outer
            made = self._variable(symbol, Memory.STACK)
            self.frame.variables[symbol.key] = made
            return made
        if symbol.key not in self.globals:
            kind = Memory.DEVICE if symbol.storage in {Storage.DEVICE, Storage.CONSTANT} else Memory.STATIC
            if symbol.storage is Storage.MANAGED:
                kind = Memory.MANAGED
            self.globals[symbol.key] = self._variable(symbol, kind)
        return self.globals[symbol.key]

    def _variable(self, symbol: Symbol, kind: Memory) -> Object:
        size = symbol.type.size if not isinstance(symbol.type, VoidType) else 0
        return self.object(
            kind,
            symbol.name,
            bytes=size or None,
            site=symbol.span,
            function=self.frame.function.key,
            type=symbol.type,
        )

    def place(self, expr: Expr, state: State) -> Pointer:
        """Where an lvalue lives."""
        match expr:
            case Var(symbol=symbol):
                return Pointer(self.variable(symbol))
            case Deref(pointer=pointer):
                return self.pointed(self.eval(pointer, state))
            case Index(base=base, index=index):
                whole = self.place(base, state) if isinstance(base.type, ArrayType) else None
                start = whole or self.pointed(self.eval(base, state))
                return self.moved(start, self.eval(index, state), expr.type.size)
            case Member(base=base, field=name, arrow=arrow):
                start = self.pointed(self.eval(base, state)) if arrow else self.place(base, state)
                path = start.path if start.offset == 0 else (*start.path, start.offset)
                return Pointer(start.object, (*path, name))
            case Cast(operand=operand):
                return self.place(operand, state)
            case Assign() | IncDec():
                self.eval(expr, state)
                return self.place(expr.target, state)
            case _:
                value = self.eval(expr, state)
                if isinstance(value, Pointer) and isinstance(expr.type, PointerType) and expr.type.reference:
                    return value
                return self.temporary(value, expr.type, state)

    def temporary(self, value: Value, of: Type, state: State) -> Pointer:
        """A place that holds a value that has none."""
        made = Pointer(self.object(Memory.STACK, "", function=self.frame.function.key, type=of))
        self.store(state, made, value)
        return made

    def pointed(self, value: Value) -> Pointer:
        """Where a pointer value leads; one that a loop changes leads into what it pointed to at first."""
        if isinstance(value, Pointer):
            return value
        first = first_seen(value, self.values)
        if isinstance(first, Term) and first.op == "ite":
            sides = [a for a in first.args[1:] if isinstance(a, Pointer)]
            if len(sides) == 1:
                return sides[0]
        if isinstance(first, Pointer):
            return Pointer(first.object, first.path, self.values.fresh())
        return self.target(value)

    def moved(self, start: Pointer, count: Value, size: int) -> Pointer:
        """A pointer `count` elements further."""
        step = self.values.op("*", count, size or 1)
        return Pointer(start.object, start.path, self.values.op("+", start.offset, step))

    # -- expressions ---------------------------------------------------------------------------

    def has_effects(self, expr: Expr) -> bool:
        """Whether evaluating an expression can do anything (cached per node)."""
        known = self._effects.get(id(expr))
        if known is None:
            known = self._effects[id(expr)] = any(isinstance(n, _EFFECTS) for n in walk(expr))
        return known

    def eval(self, expr: Expr, state: State) -> Value:
        """The value of an expression; its effects are recorded and applied to the state."""
        match expr:
            case Const(value=value):
                return int(value) if isinstance(value, bool) else value
            case Var(symbol=symbol) if isinstance(expr.type, ArrayType):
                return Pointer(self.variable(symbol))
            case Var() | Deref() | Index() | Member():
                return self._loaded(expr, state)
            case AddressOf(operand=operand):
                return self._address(operand, state)
            case Unary() | Binary() | Conditional() | Cast():
                return self._operator(expr, state)
            case Assign():
                return self._assign(expr, state)
            case IncDec():
                return self._increment(expr, state)
            case Call():
                return self.call(expr, state)
            case Launch():
                return self.launch(expr, state)
            case _:
                return self._other(expr, state)

    def _address(self, operand: Expr, state: State) -> Value:
        if isinstance(operand, FunctionName):
            return self.eval(operand, state)
        return self.place(operand, state)

    def _other(self, expr: Expr, state: State) -> Value:
        match expr:
            case FunctionName(key=key):
                return FunctionValue(key) if key else self.values.fresh()
            case Lambda(key=key):
                self.closure(key)
                return FunctionValue(key)
            case InitList():
                return self._list(expr, state)
            case New():
                return self._new(expr, state)
            case Delete(operand=operand):
                self.released(self.eval(operand, state), expr, state)
                return 0
            case Throw(operand=thrown):
                if thrown is not None:
                    self.use(self.eval(thrown, state))
                self.leave(LeaveKind.THROW, expr.span, state)
                return 0
            case Unknown(parts=inside):
                for part in inside:
                    self.use(self.eval(part, state))
                self.items.append(NotUnderstood(expr.span))
                return self.values.fresh()
            case _:
                return self.values.fresh()

    @abstractmethod
    def closure(self, key: str) -> None:
        """A lambda is made: remember the frame that its body sees."""

    @abstractmethod
    def released(self, value: Value, expr: Delete, state: State) -> None:
        """`delete` of a pointer."""

    def leave(self, kind: LeaveKind, span: Span, state: State, value: Value | None = None) -> None:
        """Control leaves here."""
        self.items.append(Leave(kind, span, value))
        state.dead = True

    def _loaded(self, expr: Expr, state: State) -> Value:
        place = self.place(expr, state)
        if isinstance(expr.type, ArrayType):
            return place
        shared = place.object.kind is Memory.MANAGED
        if not isinstance(expr, Var) or shared or place.object in self.copied_to:
            self.touched(place, expr, write=False)
        return self.load(state, place, expr.type)

    def touched(self, place: Pointer, expr: Expr, *, write: bool) -> None:
        """Record that host code reads or writes memory through a pointer, or a variable that a copy filled."""
        thing = place.object
        plain = thing.kind in {Memory.STACK, Memory.STATIC} and not isinstance(thing.type, ArrayType)
        if plain and thing not in self.copied_to:
            return
        key = (thing.id, expr.span, write)
        if key not in self._seen_access:
            self._seen_access.add(key)
            self.items.append(HostAccess(thing, expr.span, write, self.frame.function.key, place))

    def _operator(self, expr: Unary | Binary | Conditional | Cast, state: State) -> Value:
        match expr:
            case Unary(op=op, operand=operand):
                value = self.eval(operand, state)
                return value if op == "+" else self.values.op("neg" if op == "-" else op, value)
            case Cast(operand=operand):
                value = self.eval(operand, state)
                if isinstance(expr.type, VoidType) and expr.explicit:
                    self.use(value)
                return self.converted(value, expr.type)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.either(condition, (then, otherwise), state)
            case Binary(op=op) if op in {"&&", "||"}:
                return self._logical(expr, state)
            case _:
                return self._binary(expr, state)

    def _binary(self, expr: Binary, state: State) -> Value:
        left = self.eval(expr.left, state)
        right = self.eval(expr.right, state)
        if expr.op == ",":
            return right
        if expr.op == "-":
            self.subtracted(left, right)
        for pointer, other, base in ((left, right, expr.left), (right, left, expr.right)):
            if isinstance(base.type, (PointerType, ArrayType)) and expr.op in {"+", "-"}:
                if not isinstance(pointer, Pointer):
                    break
                if isinstance(other, Pointer):
                    return self._distance(pointer, other, _element_size(base.type))
                count = self.values.op("neg", other) if expr.op == "-" else other
                return self.moved(pointer, count, _element_size(base.type))
        floating = isinstance(expr.type, FloatType)
        op = "fdiv" if floating and expr.op == "/" else expr.op
        return self.wrapped(self.values.op(op, left, right), expr.type)

    def _distance(self, left: Pointer, right: Pointer, size: int) -> Value:
        """The elements between two pointers, where both lead to numbered places of one array."""
        ends = (left.offset, right.offset)
        if left.object is right.object and left.path == right.path and all(isinstance(e, int) for e in ends):
            return self.values.op("/", self.values.op("-", *ends), size)
        return self.values.fresh()

    @staticmethod
    def wrapped(value: Value, of: Type) -> Value:
        """A known integer reduced to its type's range."""
        if isinstance(of, IntType) and isinstance(value, (int, float)) and of.name != "bool":
            number = int(value) & ((1 << of.bits) - 1)
            return number - (1 << of.bits) if of.signed and number >> (of.bits - 1) else number
        return value

    def converted(self, value: Value, to: Type) -> Value:
        """A value after a cast."""
        if isinstance(to, IntType):
            if to.name == "bool":
                if isinstance(value, Pointer):
                    return self.values.op("!=", value, 0)
                known = isinstance(value, (int, float))
                return int(bool(value)) if known else value
            if isinstance(value, float):
                return self.wrapped(int(value), to) if abs(value) < 2**63 else self.values.fresh()
            if isinstance(value, Term) and value.op in {"fdiv", "ceil", "floor", "float", "sqrt", "pow", "*", "+"}:
                return self.values.op("int", value) if value.op != "*" and value.op != "+" else value
            return self.wrapped(value, to)
        if isinstance(to, FloatType) and isinstance(value, int):
            return float(value)
        return value

    def _logical(self, expr: Binary, state: State) -> Value:
        left = self.eval(expr.left, state)
        short = expr.op == "||"
        if isinstance(left, (int, float)):
            if bool(left) is short:
                return int(short)
            return self.truth(self.eval(expr.right, state))
        if not self.has_effects(expr.right):
            return self.values.op(expr.op, left, self.eval(expr.right, state))
        self.decided_by(left)
        right: list[Value] = []
        sides: list[Side] = [lambda s: right.append(self.eval(expr.right, s)), lambda _s: None]
        self.branch(left, expr.left.span, sides[::-1] if short else sides, state)
        return self.values.op(expr.op, left, right[0])

    def truth(self, value: Value) -> Value:
        """0 or 1 where known."""
        return int(bool(value)) if isinstance(value, (int, float)) else value

    def either(self, condition: Expr, sides: tuple[Expr, Expr], state: State) -> Value:
        """`condition ? a : b`."""
        decided = self.eval(condition, state)
        if isinstance(decided, (int, float)):
            return self.eval(sides[0] if decided else sides[1], state)
        if not any(map(self.has_effects, sides)):
            self.decided_by(decided)
            return self.joined(self.boolean(decided), self.eval(sides[0], state), self.eval(sides[1], state))
        self.decided_by(decided)
        results: list[Value] = []
        self.branch(
            decided,
            condition.span,
            [
                lambda s: results.append(self.eval(sides[0], s)),
                lambda s: results.append(self.eval(sides[1], s)),
            ],
            state,
        )
        return self.joined(self.boolean(decided), results[0], results[1])

    @staticmethod
    def boolean(value: Value) -> Value:
        """The value as a condition."""
        if isinstance(value, Term) and value.op in COMPARISONS:
            return value
        return Term("!=", (value, 0), 1 + size_of(value))

    def branch(self, condition: Value, head: Span, sides: Sequence[Side], state: State) -> None:
        """Run both sides of an undecided branch on copies of the state and join them into it."""
        choice = Choice(condition, head)
        ends: list[State] = []
        outside = self.items
        for truth, (side, items) in enumerate(zip(sides, (choice.then, choice.otherwise), strict=True)):
            copy = state.copy()
            copy.facts = (*state.facts, (condition, truth == 0))
            self.items = items
            side(copy)
            ends.append(copy)
        self.items = outside
        self.items.append(choice)
        joined = self.merge(self.boolean(condition), ends[0], ends[1])
        state.cells, state.facts, state.dead = joined.cells, joined.facts, ends[0].dead and ends[1].dead

    # -- changes -------------------------------------------------------------------------------

    def _assign(self, expr: Assign, state: State) -> Value:
        if expr.op == "=":
            value = self.eval(expr.value, state)
            place = self.place(expr.target, state)
        else:
            place = self.place(expr.target, state)
            value = self._combined(expr, self.load(state, place, expr.target.type), self.eval(expr.value, state))
        self.put(place, self.wrapped(value, expr.target.type), expr.target, state)
        return value

    def _combined(self, expr: Assign, old: Value, value: Value) -> Value:
        op = expr.op[:-1]
        if op == "-":
            self.subtracted(old, value)
        if isinstance(old, Pointer) and op in {"+", "-"}:
            count = self.values.op("neg", value) if op == "-" else value
            return self.moved(old, count, _element_size(expr.target.type))
        floating = isinstance(expr.target.type, FloatType)
        return self.values.op("fdiv" if op == "/" and floating else op, old, value)

    def put(self, place: Pointer, value: Value, target: Expr, state: State) -> None:
        """Store a value through an lvalue, recording what rules need to know."""
        if not isinstance(target, Var):
            self.touched(place, target, write=True)
        self.keep(place, value, target.span, state)

    def keep(self, place: Pointer, value: Value, span: Span, state: State) -> None:
        """Store a value; results that leave the function count as used, and kept pointers are recorded."""
        local = place.object.kind is Memory.STACK
        if not local:
            self.use(value)
        if isinstance(value, Pointer) and value.object.api and place.object.name:
            renamed = value.object.function != self.frame.function.key and value.object.kind in _RETURNED
            if renamed or not value.object.name:
                value.object.name = ".".join([place.object.name, *(s for s in place.path if isinstance(s, str))])
                value.object.function = self.frame.function.key
        before = self.store(state, place, value)
        held = isinstance(value, Pointer) and value.object.kind not in _HELD
        if held or (isinstance(before, Pointer) and before.object.kind not in _HELD and before != value):
            self.items.append(Store(place, value, before, span, self.frame.function.key))

    def _increment(self, expr: IncDec, state: State) -> Value:
        place = self.place(expr.target, state)
        old = self.load(state, place, expr.target.type)
        one = 1 if expr.op == "++" else -1
        if isinstance(old, Pointer):
            new: Value = self.moved(old, one, _element_size(expr.target.type))
        else:
            new = self.wrapped(self.values.op("+", old, one), expr.target.type)
        self.put(place, new, expr.target, state)
        return new if expr.prefix else old

    def _list(self, expr: InitList, state: State) -> Value:
        values = [self.eval(item, state) for item in expr.items]
        if isinstance(expr.type, RecordType):
            names = [f.name for f in expr.type.fields]
            return Record(tuple(self._flat(((n,), v) for n, v in zip(names, values, strict=False))))
        if isinstance(expr.type, ArrayType):
            size = expr.type.element.size
            return Record(tuple(self._flat((((i * size,) if i else ()), v) for i, v in enumerate(values))))
        return values[0] if len(values) == 1 else self.values.fresh()

    @staticmethod
    def _flat(items: Iterable[tuple[Path, Value]]) -> list[tuple[Path, Value]]:
        flat: list[tuple[Path, Value]] = []
        for path, value in items:
            if isinstance(value, Record):
                flat.extend(((*path, *sub), v) for sub, v in value.fields)
            else:
                flat.append((path, value))
        return flat

    def _new(self, expr: New, state: State) -> Value:
        count: Value = 1 if expr.count is None else self.eval(expr.count, state)
        size = self.values.op("*", count, expr.element.size)
        made = self.object(
            Memory.NEW,
            "",
            api="new",
            bytes=size,
            site=expr.span,
            function=self.frame.function.key,
            type=expr.element,
        )
        for arg in expr.args:
            if isinstance(arg, Call) and arg.constructor:
                self.call(arg, state, Pointer(made))
            else:
                self.use(self.eval(arg, state))
        return Pointer(made)

    def atom_of_loop(self, name: str, first: Value, samples: tuple[int, ...] = ()) -> Atom:
        """The unknown that stands for a variable inside a loop that changes it."""
        return Atom(self.values.number(), AtomKind.LOOP, name, first, samples)


def _element_size(of: Type) -> int:
    if isinstance(of, PointerType):
        return of.pointee.size or 1
    if isinstance(of, ArrayType):
        return of.element.size or 1
    return 1
