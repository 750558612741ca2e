"""The state of one execution: lanes, masks, scopes, variables, budget.

How lanes leave: `return`, `break` and `continue` take lanes out of the current mask. Each construct that lanes
can leave keeps its own record of who left (`FunctionFrame.returned`, `LoopFrame.broken`, `LoopFrame.continued`).
A `Scope` is a region that declares variables: `live` are the lanes that are still in it, so that an assignment
by all of them replaces a variable's value as a whole and a uniform variable stays uniform.

"May" regions are controlled by a condition that decides nothing (memory content): they run with all lanes,
what they exit does not remove lanes from what follows, and `ctl`, the taint of everything that controls the
current statement, says so. Journals note the first old value of each written variable, so that a region can
be undone (`explore`), merged with its alternative, or tainted as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cudalint.lint.analysis.exec_facts import facts_of
from cudalint.lint.analysis.exec_lanes import EMPTY, Lanes, Mask, Sampler
from cudalint.lint.analysis.exec_memory import Disturbance, GlobalObj, LocalObj, Obj, SharedObj, is_aggregate
from cudalint.lint.analysis.exec_record import Recorder
from cudalint.lint.analysis.exec_values import (
    ASSUMED,
    BOOL,
    EXACT,
    F64,
    I64,
    UNKNOWN,
    Ptr,
    Rec,
    Val,
    Value,
    convert,
    dtype_of,
    scalar_fields,
    tainted,
    truth,
)
from cudalint.lint.analysis.trace import ArgValue, LaunchShape, MemoryObject, Space
from cudalint.lint.model.expressions import Expr, Storage, Symbol
from cudalint.lint.model.program import Function, Global, TranslationUnit
from cudalint.lint.model.statements import Stmt
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type

STEP_BUDGET = 16_000
"""Expressions evaluated before the execution hurries (loops run once), about 60 ms; at twice that it stops."""
BUDGET_LANES = 1500
"""Lanes for which a step costs twice what it costs for none: the budget shrinks accordingly."""
EVENT_STEPS = 4
"""What recording an event counts as, in steps."""

MAX_INITIAL = 4096
"""Initial values of a constant array that are kept."""

Journal = dict[tuple[LocalObj, int], Value | None]


class OutOfBudget(Exception):  # noqa: N818 - not an error, an end
    """The execution has to end here."""


class Scope:
    """A region of the program that declares variables; see the module's text."""

    __slots__ = ("live", "may")

    def __init__(self, live: Mask, *, may: bool = False) -> None:
        self.live = live
        self.may = may


@dataclass(slots=True)
class LoopFrame:
    """A loop (or switch) in execution: where `break` and `continue` lead."""

    depth: int
    broken: Mask = EMPTY
    continued: Mask = EMPTY
    exit_ctl: int = EXACT
    iteration_ctl: int = EXACT
    body_depth: int = 0
    switch: bool = False


@dataclass(slots=True)
class FunctionFrame:
    """An inlined call in execution."""

    key: str
    depth: int
    result: Type | None = None
    returned: Mask = EMPTY
    value: Value | None = None
    exit_ctl: int = EXACT
    loops: list[LoopFrame] = field(default_factory=list)


class Machine:
    """Everything that the handlers of expressions and statements share."""

    def __init__(
        self,
        program: TranslationUnit,
        lanes: Lanes,
        shape: LaunchShape,
        expressions: dict[type[Any], Callable[[Machine, Any], Value]],
        statements: dict[type[Any], Callable[[Machine, Any], None]],
        budget: int,
    ) -> None:
        self.program = program
        self.lanes = lanes
        self.shape = shape
        self.record = Recorder(program)
        self.sampler = Sampler(lanes)
        self.mask = lanes.full
        self.ctl = EXACT
        self.shadow = 0
        self.scopes: list[Scope] = []
        self.functions: list[FunctionFrame] = []
        self.journals: list[Journal] = []
        self.variables: dict[str, Obj] = {}
        self.objects: list[MemoryObject] = []
        self.grid: list[Val] = []
        self.steps = 0
        self.budget = int(budget / (1 + lanes.count / BUDGET_LANES))
        self.cut_short = False
        self.globals: dict[str, Global] = {g.symbol.key: g for g in program.globals}
        self.notes: dict[Any, Any] = {}
        self.facts = facts_of(program)
        self.contents: Mapping[str, tuple[int, int, bool]] = {}
        """Integers in buffers, by the parameter's key: the first, by how much each is larger, whether for certain."""
        self.disturbed: Sequence[Disturbance] = ()
        self._dynamic: SharedObj | None = None
        self._expressions = expressions
        self._statements = statements
        self._arguments: dict[str, ArgValue] = {}
        self._allocations: dict[str, GlobalObj] = {}

    # -- running -----------------------------------------------------------------------------------------

    def eval(self, expr: Expr) -> Value:
        """The value of an expression, for the active lanes."""
        self.steps += 1
        if self.steps > 2 * self.budget:
            raise OutOfBudget
        return self._expressions[type(expr)](self, expr)

    def number(self, expr: Expr) -> Val:
        """The value of an expression as a number; pointers become their offset, records unknown."""
        return self.as_number(self.eval(expr))

    def as_number(self, value: Value) -> Val:
        """See `number`."""
        if isinstance(value, Val):
            return value
        if isinstance(value, Ptr):
            return Val(value.off, I64, value.taint | ASSUMED)
        return Val(0, I64, value.taint | UNKNOWN)

    def run(self, stmt: Stmt) -> None:
        """Execute a statement; one that goes wrong is as if it were not there, and noted."""
        if not self.mask.n:
            return
        if self.record.full:
            self.cut_short = True
            raise OutOfBudget
        kept = self.mask, self.ctl, self.record.quiet
        try:
            self._statements[type(stmt)](self, stmt)
        except (OutOfBudget, RecursionError):
            raise
        except Exception as error:
            self.mask, self.ctl, self.record.quiet = kept
            self.record.not_understood(stmt.span, f"internal: {type(error).__name__}: {error}")

    @property
    def hurry(self) -> bool:
        """Whether the budget is used up: loops then run once."""
        return self.steps + EVENT_STEPS * len(self.record.events) > self.budget

    @property
    def left(self) -> int:
        """Steps left before the execution hurries."""
        return self.budget - self.steps - EVENT_STEPS * len(self.record.events)

    # -- control -----------------------------------------------------------------------------------------

    @contextmanager
    def region(self, mask: Mask, taint: int, *, may: bool) -> Iterator[Scope]:
        """A scope executed under a mask; `taint` is that of the condition that led here."""
        outer = self.ctl
        self.ctl = outer | taint
        self.mask = mask
        scope = Scope(mask, may=may)
        self.scopes.append(scope)
        try:
            yield scope
        finally:
            self.scopes.pop()
            self.ctl = outer | self.exit_ctl()

    def exit_ctl(self) -> int:
        """The taints of exits that lanes may have taken from the enclosing constructs."""
        if not self.functions:
            return EXACT
        frame = self.functions[-1]
        taint = frame.exit_ctl
        for loop in frame.loops:
            taint |= loop.exit_ctl | loop.iteration_ctl
        return taint

    def leave(self, depth: int) -> None:
        """Take the active lanes out of all scopes down to the one at `depth`, as far as they surely left."""
        for position in range(len(self.scopes) - 1, depth - 1, -1):
            scope = self.scopes[position]
            scope.live = self.lanes.minus(scope.live, self.mask)
            if scope.may:
                break
        self.mask = EMPTY

    @contextmanager
    def journal(self) -> Iterator[Journal]:
        """Note the old values of all variables written within."""
        written: Journal = {}
        self.journals.append(written)
        try:
            yield written
        finally:
            self.journals.pop()
            if self.journals:
                outer = self.journals[-1]
                for place, old in written.items():
                    outer.setdefault(place, old)

    def note_write(self, obj: LocalObj, off: int, old: Value | None) -> None:
        """A cell is about to be written."""
        if self.journals:
            self.journals[-1].setdefault((obj, off), old)

    def undo(self, written: Journal) -> dict[tuple[LocalObj, int], Value]:
        """Put back the old values; gives the new ones."""
        new: dict[tuple[LocalObj, int], Value] = {}
        for (obj, off), old in written.items():
            if off in obj.cells:
                new[obj, off] = obj.cells[off]
            if old is None:
                obj.cells.pop(off, None)
            else:
                obj.cells[off] = old
        return new

    def taint_written(self, written: Journal, taint: int) -> None:
        """Add taint to all variables written in a region."""
        if taint:
            for obj, off in written:
                cell = obj.cells.get(off)
                if cell is not None:
                    obj.cells[off] = tainted(cell, taint)

    @contextmanager
    def explore(self, mask: Mask, taint: int) -> Iterator[None]:
        """Execute a region that no sampled lane enters, for what it shows; its effects are undone."""
        lives = [scope.live for scope in self.scopes]
        frame = self.functions[-1]
        kept = (frame.returned, frame.value, frame.exit_ctl, self.mask)
        loops = [(lp.broken, lp.continued, lp.exit_ctl, lp.iteration_ctl) for lp in frame.loops]
        self.shadow += 1
        try:
            with self.journal() as written, self.region(mask, taint, may=True):
                yield
        finally:
            self.shadow -= 1
            self.undo(written)
            for scope, live in zip(self.scopes, lives, strict=False):
                scope.live = live
            frame.returned, frame.value, frame.exit_ctl, self.mask = kept
            for lp, old in zip(frame.loops, loops, strict=False):
                lp.broken, lp.continued, lp.exit_ctl, lp.iteration_ctl = old

    # -- values ------------------------------------------------------------------------------------------

    def unknown_value(self, of: Type) -> Value:
        """A value of which nothing is known."""
        if isinstance(of, PointerType):
            return Ptr(self.new_global("?", of.pointee, opaque=UNKNOWN), 0, UNKNOWN)
        if is_aggregate(of):
            return Rec({}, UNKNOWN)
        return Val(0, dtype_of(of) or I64, UNKNOWN)

    def as_type(self, value: Value, of: Type) -> Value:
        """The value as a variable of the type holds it."""
        if isinstance(value, Val):
            dt = dtype_of(of)
            if dt is BOOL:
                return truth(value)
            if dt is not None:
                return convert(value, dt)
            if isinstance(of, PointerType):
                null = not value.taint and isinstance(value.data, int) and value.data == 0
                return value if null else self.unknown_value(of)
        return value

    def flattened(self, value: Rec, of: Type) -> list[tuple[int, Value]]:
        """The scalars of a record value with their offsets, as far as there are any known."""
        if value.src is None:
            return list(value.cells.items())
        cells = dict(value.cells)
        for off, kind in scalar_fields(of):
            if off not in cells:
                cells[off] = self.part(value, off, kind)
        return list(cells.items())

    def part(self, value: Rec, off: int, of: Type) -> Value:
        """A member of a record value."""
        if is_aggregate(of):
            cells = {k - off: v for k, v in value.cells.items() if off <= k < off + of.size}
            return Rec(cells, value.taint, value.src.moved(off) if value.src else None)
        found = value.cells.get(off)
        if found is not None:
            return found
        if value.src is not None:
            src = value.src
            return tainted(src.obj.load(self, src.off + off, of, src.taint), value.taint)
        return tainted(self.unknown_value(of), value.taint)

    @staticmethod
    def cell_type(value: Value) -> Type | None:
        """A type to store a scalar as."""
        if isinstance(value, Val):
            kind, bits = value.dt.kind, value.dt.itemsize * 8
            if kind == "f":
                return FloatType(bits, "")
            return IntType(bits, kind == "i", "bool" if kind == "b" else "")
        return None

    # -- objects -----------------------------------------------------------------------------------------

    def new_memory(self, name: str, space: Space, of: Type, **more: Any) -> MemoryObject:
        """A described object with the next number; array types give its extents."""
        extents: list[int] = []
        size = of.size or None
        while isinstance(of, ArrayType):
            extents.append(of.count or 0)
            of = of.element
        more.setdefault("size", size if extents else None)
        memory = MemoryObject(len(self.objects), name, space, of, tuple(extents), **more)
        self.objects.append(memory)
        return memory

    def new_global(self, name: str, element: Type, *, opaque: int = EXACT) -> GlobalObj:
        """A buffer that some pointer in memory leads to."""
        return GlobalObj(self.new_memory(name, Space.GLOBAL, element, may_alias=True), opaque=opaque)

    def new_local(self, symbol: Symbol) -> LocalObj:
        """A fresh variable in the innermost scope."""
        obj = LocalObj(symbol.name, symbol.type, self.scopes[-1], symbol=symbol)
        self.variables[symbol.key] = obj
        return obj

    def describe(self, obj: LocalObj) -> None:
        """Give a local array a place in the trace's objects, one for all times that its scope is entered."""
        if obj.described is None and obj.symbol is not None:
            key = ("local", obj.symbol.key)
            if key not in self.notes:
                self.notes[key] = self.new_memory(obj.name, Space.LOCAL, obj.type, symbol=obj.symbol)
            obj.described = self.notes[key]
        elif obj.described is None:
            obj.described = self.new_memory(obj.name, Space.LOCAL, obj.type)

    def variable(self, symbol: Symbol) -> Obj:
        """The object of a variable; globals and shared arrays are made on first use."""
        found = self.variables.get(symbol.key)
        if found is None:
            found = self.variables[symbol.key] = self._make(symbol)
        return found

    def _make(self, symbol: Symbol) -> Obj:
        storage = symbol.storage
        if storage is Storage.DYNAMIC_SHARED:
            if self._dynamic is None:
                size = self.shape.shared_bytes
                memory = self.new_memory(
                    symbol.name, Space.SHARED, symbol.type, size=size, symbol=symbol, dynamic=True
                )
                self._dynamic = self._shared(memory, size or 4096)
            return self._dynamic
        if storage is Storage.SHARED:
            size = symbol.type.size
            memory = self.new_memory(symbol.name, Space.SHARED, symbol.type, size=size or None, symbol=symbol)
            return self._shared(memory, size)
        if storage in {Storage.LOCAL, Storage.PARAM}:
            return LocalObj(symbol.name, symbol.type, self.scopes[0])
        return self._make_global(symbol)

    def _shared(self, memory: MemoryObject, size: int) -> SharedObj:
        made = SharedObj(memory, size, self.lanes.rows)
        for disturbance in self.disturbed:
            if disturbance.id == memory.id:
                made.disturb(self, disturbance)
        return made

    def _make_global(self, symbol: Symbol) -> Obj:
        definition = self.globals.get(symbol.key)
        constant = symbol.storage is Storage.CONSTANT
        space = Space.CONSTANT if constant else Space.GLOBAL
        memory = self.new_memory(symbol.name, space, symbol.type, size=symbol.type.size or None, symbol=symbol)
        host = symbol.storage in {Storage.HOST, Storage.STATIC}
        obj = GlobalObj(memory, uniform=(constant or host) and not isinstance(symbol.type, ArrayType))
        init = definition.init if definition else None
        if init is not None and (constant or symbol.const):
            self.record.quiet += 1
            value = self.eval(init)
            self.record.quiet -= 1
            types = dict(scalar_fields(symbol.type, limit=MAX_INITIAL))
            cells = dict(self.flattened(value, symbol.type)) if isinstance(value, Rec) else {0: value}
            obj.known = {off: self.as_type(cell, types.get(off, symbol.type)) for off, cell in cells.items()}
        return obj

    # -- arguments ---------------------------------------------------------------------------------------

    def bind_arguments(self, kernel: Function) -> None:
        """Give the kernel's parameters their values: known, sampled, or buffers."""
        arguments = self.shape.args
        for position, symbol in enumerate(kernel.params):
            known = arguments[position] if position < len(arguments) else ArgValue()
            obj = LocalObj(symbol.name, symbol.type, self.scopes[0])
            self.variables[symbol.key] = obj
            if is_aggregate(symbol.type):
                obj.defaults = True
                self._arguments[symbol.name] = known
            else:
                obj.cells[0] = self._argument(symbol.name, symbol.type, known, symbol)

    def _argument(self, name: str, of: Type, known: ArgValue, symbol: Symbol | None) -> Value:
        if isinstance(of, PointerType):
            return self._buffer(name, of, known, symbol)
        dt = dtype_of(of)
        if dt is None:
            return self.unknown_value(of)
        if known.number is not None:
            return self.as_type(Val(known.number, F64 if isinstance(known.number, float) else I64), of)
        return self.sampler.number(dt, name)

    def _buffer(self, name: str, of: PointerType, known: ArgValue, symbol: Symbol | None) -> Ptr:
        placed = known.object is not None and known.offset_bytes is not None
        if placed and known.object in self._allocations:
            return Ptr(self._allocations[known.object or ""], known.offset_bytes or 0)
        memory = self.new_memory(
            name, Space.GLOBAL, of.pointee, size=known.bytes, symbol=symbol, may_alias=not placed
        )
        obj = GlobalObj(memory)
        if placed:
            self._allocations[known.object or ""] = obj
        return Ptr(obj, known.offset_bytes or 0)

    def argument_field(self, obj: LocalObj, off: int, of: Type) -> Value:
        """A member of a record that was passed to the kernel by value."""
        path = _path(obj.type, off)
        known = self._arguments.get(obj.name, ArgValue())
        number = dict(known.elements).get(path)
        return self._argument(f"{obj.name}.{path}", of, ArgValue(number=number), None)


def _path(of: Type, off: int) -> str:
    """The dotted name of the scalar at an offset of a record."""
    if isinstance(of, RecordType):
        for member in of.fields:
            if member.offset <= off < member.offset + max(1, member.type.size):
                rest = _path(member.type, off - member.offset)
                return f"{member.name}.{rest}" if rest and not rest.startswith("[") else member.name + rest
    if isinstance(of, ArrayType) and of.element.size:
        position, rest_off = divmod(off, of.element.size)
        rest = _path(of.element, rest_off)
        return f"[{position}]" + (f".{rest}" if rest and not rest.startswith("[") else rest)
    return ""
