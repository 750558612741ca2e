"""The memory of interpreted host code: places and what they hold, with copies that branches can change."""

from __future__ import annotations

from dataclasses import dataclass, field

from cudalint.lint.analysis.hosteffects import Facts
from cudalint.lint.analysis.hostvalues import (
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
    Values,
    atoms,
    parts,
)
from cudalint.lint.model.types import ArrayType, PointerType, RecordType, Type

VERSION: Path = ("#version",)
"""Where an object keeps the number of times that its content was lost."""

Cells = dict[Path, Value]


@dataclass(slots=True)
class State:
    """What memory holds at one point. Inner dictionaries are shared between states: replace, never change."""

    cells: dict[Object, Cells] = field(default_factory=dict)
    facts: Facts = ()
    dead: bool = False

    def copy(self) -> State:
        """An independent state with the same content."""
        return State(dict(self.cells), self.facts, self.dead)


def place_path(place: Pointer) -> Path:
    """The cell that a pointer leads to."""
    return place.path if place.offset == 0 else (*place.path, place.offset)


def symbolic(path: Path) -> bool:
    """Whether a path has an offset that is not a number."""
    return any(isinstance(step, (Atom, Term)) for step in path)


def _alike(a: Path, b: Path) -> bool:
    """Whether two paths may be elements of one array of the same field: equal but for offsets."""
    fields_a = [s for s in a if isinstance(s, str)]
    return fields_a == [s for s in b if isinstance(s, str)]


def samples_of(cells: Cells, path: Path, of: Type | None) -> tuple[int, ...]:
    """First, middle and last number of an array that is known all through: what an unknown element of it can be."""
    if not isinstance(of, ArrayType) or not symbolic(path):
        return ()
    numbers = [v for p, v in cells.items() if _alike(p, path) and isinstance(v, int)]
    if len(numbers) != of.count or any(symbolic(p) for p in cells):
        return ()
    return tuple(dict.fromkeys((numbers[0], numbers[len(numbers) // 2], numbers[-1])))


class HostMemory:
    """Loads, stores and joins on states; makes objects and the unknowns that stand for memory not seen."""

    def __init__(self) -> None:
        self.values = Values()
        self._unknown: dict[tuple[int, Path, Value], Value] = {}
        self._targets: dict[Value, Object] = {}

    def object(self, kind: Memory, name: str, **more: object) -> Object:
        """A new object."""
        return Object(self.values.number(), kind, name, **more)  # type: ignore[arg-type]

    def target(self, value: Value, name: str = "") -> Pointer:
        """Where an unknown pointer value leads: the same object for the same value."""
        if isinstance(value, Pointer):
            return value
        if isinstance(value, (int, float, str, Record)):
            return Pointer(self.object(Memory.UNKNOWN, name))
        found = self._targets.get(value)
        if found is None:
            found = self._targets[value] = self.object(Memory.UNKNOWN, name)
        return Pointer(found)

    def load(self, state: State, place: Pointer, of: Type) -> Value:
        """What a place holds; an unknown that stays the same until the place is written."""
        cells = state.cells.get(place.object, {})
        path = place_path(place)
        if isinstance(of, RecordType):
            if path in cells:
                return cells[path]
            size = len(path)
            return Record(tuple((p[size:], v) for p, v in cells.items() if p[:size] == path and len(p) > size))
        if path in cells and (symbolic(path) or not any(symbolic(p) and _alike(p, path) for p in cells)):
            return cells[path]
        near = [v for p, v in cells.items() if _alike(p, path) and (symbolic(p) or symbolic(path) or p == path)]
        if near and all(isinstance(v, (Pointer, FunctionValue)) or v == near[0] for v in near):
            return self._any_of(near)
        return self._initial(place, path, cells, of)

    def _any_of(self, values: list[Value]) -> Value:
        joined = values[0]
        for value in values[1:4]:
            joined = self.joined(self.undecided(), joined, value)
        return joined if len(values) <= 4 else self.values.fresh(AtomKind.READ)

    def _initial(self, place: Pointer, path: Path, cells: Cells, of: Type) -> Value:
        key = (place.object.id, path, cells.get(VERSION, 0))
        if key not in self._unknown:
            steps = [str(s) for s in path if isinstance(s, str)]
            name = ".".join([place.object.name, *steps])
            made: Value = Pointer(self.object(Memory.UNKNOWN, name))
            if not isinstance(of, PointerType):
                version = cells.get(VERSION, 0)
                since = None if symbolic(path) or not isinstance(version, int) else max(version, place.object.id)
                number, samples = self.values.number(), samples_of(cells, path, place.object.type)
                made = Atom(number, AtomKind.READ, name, samples=samples, memory=place.object.kind, since=since)
            self._unknown[key] = made
        return self._unknown[key]

    def store(self, state: State, place: Pointer, value: Value) -> Value | None:
        """Put a value into a place; what was there before, where known."""
        cells = dict(state.cells.get(place.object, {}))
        path = place_path(place)
        before = cells.get(path)
        size = len(path)
        for key in [k for k in cells if len(k) > size and k[:size] == path and k != VERSION]:
            del cells[key]
        if isinstance(value, Record):
            cells.pop(path, None)
            for sub, item in value.fields:
                cells[(*path, *sub)] = item
        else:
            cells[path] = value
        state.cells[place.object] = cells
        return before

    def forget(self, state: State, place: Pointer) -> None:
        """Lose what is known from a place on: something unknown may have written there."""
        path = place_path(place)
        cells = state.cells.get(place.object, {})
        for key, value in cells.items():
            if key[: len(path)] == path and key != VERSION:
                self.values.dropped(value)
        kept = {k: v for k, v in cells.items() if k[: len(path)] != path} if path else {}
        state.cells[place.object] = {**kept, VERSION: self.values.number()}

    def undecided(self) -> Value:
        """A condition of which nothing is known."""
        return Term("!=", (self.values.fresh(), 0), 3)

    def joined(self, condition: Value, a: Value, b: Value) -> Value:
        """A value that is `a` where the condition holds and `b` elsewhere; null gives way to a pointer."""
        if a == b:
            return a
        for pointer, other in ((a, b), (b, a)):
            if isinstance(pointer, Pointer) and (other == 0 or self._uninitialised(other, pointer)):
                return pointer
        if isinstance(a, (str, Record)) or isinstance(b, (str, Record)):
            return self.values.fresh()
        return self.values.ite(condition, a, b)

    @staticmethod
    def _uninitialised(value: Value, other: Pointer) -> bool:
        unknown = isinstance(value, Pointer) and value.object.kind is Memory.UNKNOWN and not value.object.api
        return unknown and other.object.kind is not Memory.UNKNOWN and value != other

    def merge(self, condition: Value, a: State, b: State) -> State:
        """The state after an undecided branch."""
        if a.dead:
            return b
        if b.dead:
            return a
        shared = 0
        for one, two in zip(a.facts, b.facts, strict=False):
            if one is not two:
                break
            shared += 1
        merged = State(dict(a.cells), a.facts[:shared])
        for thing, cells in b.cells.items():
            mine = a.cells.get(thing)
            if mine is None:
                merged.cells[thing] = cells
            elif mine is not cells:
                merged.cells[thing] = self._merge_cells(condition, thing, mine, cells)
        return merged

    def _merge_cells(self, condition: Value, thing: Object, mine: Cells, other: Cells) -> Cells:
        result = {}
        for path in mine.keys() | other.keys():
            a, b = mine.get(path), other.get(path)
            if a is None or b is None:
                only = b if a is None else a
                assert only is not None
                outside = thing.kind is Memory.UNKNOWN and not isinstance(only, Pointer) and path != VERSION
                result[path] = self._or_unknown(condition, only, a is None) if outside else only
            else:
                result[path] = self.joined(condition, a, b)
        return result

    def _or_unknown(self, condition: Value, value: Value, when_false: bool) -> Value:
        other = self.values.fresh(AtomKind.READ)
        return self.values.ite(condition, other, value) if when_false else self.values.ite(condition, value, other)

    def merge_all(self, states: list[State]) -> State:
        """The state where several ways meet, of whose conditions nothing is known."""
        alive = [s for s in states if not s.dead]
        if not alive:
            return State({}, (), dead=True)
        merged = alive[0]
        for state in alive[1:]:
            merged = self.merge(self.undecided(), merged, state)
        return merged

    def after_loop(self, before: State, after: State) -> State:
        """The state behind a loop: numbers that it changed are unknown, pointers that it made are kept."""
        if after.dead or before.dead:
            return before if after.dead else after
        merged = self.merge(self.undecided(), before, after)
        for thing, cells in merged.cells.items():
            old = before.cells.get(thing)
            if old is cells or old is None:
                continue
            changed = {p for p, v in cells.items() if p in old and old[p] != v and p != VERSION}
            lost = {p for p in changed if isinstance(cells[p], Term) and self._numeric(cells[p])}
            if lost:
                merged.cells[thing] = {p: self.values.fresh() if p in lost else v for p, v in cells.items()}
        return merged

    @staticmethod
    def _numeric(value: Value) -> bool:
        return not any(a.event is not None for a in atoms(value)) and not any(
            isinstance(p, Pointer) for p in parts(value)
        )
