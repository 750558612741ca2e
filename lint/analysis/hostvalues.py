"""Values of host code as the interpreter knows them: numbers, expressions over unknowns, pointers, records.

An unknown is an `Atom`. Arithmetic on unknowns builds `Term`s, so that `(n + 255) / 256` stays recognisable
and two uses of one unknown are seen to be equal. A value that differs between the sides of an undecided
branch is an `ite` term over that branch's condition: enumerating conditions keeps `block.x` and `block.y`
of one side together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from cudalint.lint.model.source import Span
from cudalint.lint.model.types import Type

MAX_TERM = 40
"""Nodes of a term beyond which it becomes a fresh unknown: keeps long loops of arithmetic cheap."""


COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!=", "!", "&&", "||"})
"""Operators whose result is a truth value."""


class AtomKind(Enum):
    """Where an unknown comes from."""

    PARAM = auto()
    """A parameter of a function that nothing in the unit calls."""
    RESULT = auto()
    """The result of a call whose body is not known; `event` names the call."""
    LOOP = auto()
    """A variable that a loop changes; `first` is its value before the loop."""
    READ = auto()
    """Memory whose content is not known."""
    OPTION = auto()
    """Whether the command line, which is not known, has an option."""
    JOIN = auto()
    """Given up on: too large, or not understood."""


class Memory(Enum):
    """How the memory that a pointer leads to was obtained."""

    DEVICE = "device memory"
    DEVICE_ASYNC = "stream-ordered device memory"
    MANAGED = "managed memory"
    PINNED = "pinned host memory"
    MALLOC = "malloc"
    NEW = "new"
    VECTOR = "std::vector"
    STACK = "the stack"
    STATIC = "a static array"
    RESOURCE = "a runtime handle"
    UNKNOWN = "not known"


PAGEABLE = frozenset({Memory.MALLOC, Memory.NEW, Memory.VECTOR, Memory.STACK, Memory.STATIC})
"""Host memory that the driver has to stage before the device can read it."""


@dataclass(eq=False, slots=True)
class Object:
    """A piece of memory or a runtime resource (stream, event): compared by identity.

    `name` is as a reader would call it; `api` is the function that made it; `bytes` its size where known.
    `registered` is set once cudaHostRegister pins it.
    """

    id: int
    kind: Memory
    name: str
    api: str = ""
    bytes: Value | None = None
    site: Span | None = None
    function: str = ""
    type: Type | None = None
    registered: bool = False

    @property
    def pageable(self) -> bool:
        """Whether the driver has to stage copies from and to it."""
        return self.kind in PAGEABLE and not self.registered


@dataclass(frozen=True, slots=True)
class Atom:
    """An unknown number or handle. `samples` are values that it takes, first, middle, last.

    A counted loop takes them, or they are the elements of a table that is read at an unknown place.
    """

    id: int
    kind: AtomKind = field(compare=False)
    name: str = field(compare=False, default="")
    first: Value | None = field(compare=False, default=None)
    samples: tuple[int, ...] = field(compare=False, default=())
    event: int | None = field(compare=False, default=None)
    memory: Memory | None = field(compare=False, default=None)
    """How the memory was obtained that a READ atom was read from."""
    since: int | None = field(compare=False, default=None)
    """For a READ atom of one exact place: the number from which on the place has held this value."""
    least: int | None = field(compare=False, default=None)
    """The smallest number that it can be, where there is one."""


@dataclass(frozen=True, slots=True)
class Term:
    """`op` over values: a C operator, or min, max, ceil, floor, sqrt, fdiv, neg, int, float, ite, call:NAME."""

    op: str
    args: tuple[Value, ...]
    size: int = field(compare=False, default=1)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a place: `path` are field names from the object's start, `offset` bytes after them.

    Offsets inside a path are bytes as well (`a[1].f` of 24-byte records is `(24, "f")`).
    """

    object: Object
    path: Path = ()
    offset: Value = 0


@dataclass(frozen=True, slots=True)
class Record:
    """A struct's known fields by path (`("x",)`); fields that are missing are not known."""

    fields: tuple[tuple[Path, Value], ...]

    def get(self, *path: str) -> Value | None:
        """The field at that path, where known."""
        return next((v for p, v in self.fields if p == path), None)


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function, kernel or closure as a value."""

    key: str


Value = int | float | str | Atom | Term | Pointer | Record | FunctionValue
Path = tuple[Value, ...]


def size_of(value: Value) -> int:
    """Nodes of a value."""
    return value.size if isinstance(value, Term) else 1


def number(value: Value | None) -> int | float | None:
    """The value as a number, where it is one."""
    return value if isinstance(value, (int, float)) else None


def integer(value: Value | None) -> int | None:
    """The value as an integer, where it is one."""
    return int(value) if isinstance(value, int) else None


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _power(a: float, b: float) -> float:
    if abs(b) > 64 or abs(a) > 1e6:
        raise OverflowError
    return math.pow(a, b)


_OPS: dict[str, Callable[..., int | float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: _divide(int(a), int(b)),
    "fdiv": lambda a, b: a / b,
    "%": lambda a, b: int(math.fmod(a, b)) if abs(a) < 2**52 else int(a) - int(b) * _divide(int(a), int(b)),
    "<<": lambda a, b: int(a) << min(int(b), 63) if b >= 0 else 0,
    ">>": lambda a, b: int(a) >> min(int(b), 63) if b >= 0 else 0,
    "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b),
    "^": lambda a, b: int(a) ^ int(b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
    "!": lambda a: int(not a),
    "~": lambda a: ~int(a),
    "neg": lambda a: -a,
    "min": min,
    "max": max,
    "ceil": lambda a: float(math.ceil(a)),
    "floor": lambda a: float(math.floor(a)),
    "round": lambda a: float(math.floor(a + 0.5)),
    "sqrt": lambda a: math.sqrt(a),
    "log2": lambda a: math.log2(a),
    "abs": abs,
    "pow": _power,
    "int": lambda a: int(a),
    "float": lambda a: float(a),
}

_IDENTITY = {("+", 0), ("-", 0), ("*", 1), ("/", 1), ("<<", 0), (">>", 0), ("|", 0), ("^", 0)}
_LEFT_IDENTITY = {("+", 0), ("*", 1), ("|", 0), ("^", 0)}


_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def _bounded(op: str, unknown: Atom, other: float) -> int | None:
    """The comparison of an unknown with a number, where the least that it can be decides it."""
    least = unknown.least
    if least is None:
        return None
    if op in {"<", ">="} and other <= least:
        return int(op == ">=")
    if op in {"<=", ">", "==", "!="} and other < least:
        return int(op in {">", "!="})
    return None


class Values:
    """Makes values; owns the counter of unknowns. `dropped` is told of every value that is given up."""

    def __init__(self) -> None:
        self._next = 0
        self.dropped: Callable[[Value], None] = lambda _value: None

    def number(self) -> int:
        """A number not given before, for atoms and objects."""
        self._next += 1
        return self._next

    def fresh(
        self, kind: AtomKind = AtomKind.JOIN, name: str = "", event: int | None = None, least: int | None = None
    ) -> Atom:
        """A new unknown."""
        return Atom(self.number(), kind, name, event=event, least=least)

    def op(self, op: str, *args: Value) -> Value:
        """Apply an operator: a number where all is known, else a term."""
        numbers = [a for a in args if isinstance(a, (int, float))]
        if len(numbers) == len(args) and op in _OPS:
            try:
                return _OPS[op](*numbers)
            except (ArithmeticError, ValueError):
                return self.fresh()
        if len(args) == 2:
            simple = self._simplified(op, *args)
            if simple is not None:
                return simple
        if any(isinstance(a, (Record, FunctionValue)) for a in args):
            return self.fresh()
        return self._term(op, args)

    def ite(self, condition: Value, then: Value, otherwise: Value) -> Value:
        """`condition ? then : otherwise`."""
        if isinstance(condition, (int, float)):
            return then if condition else otherwise
        if then == otherwise:
            return then
        if not (isinstance(condition, Term) and condition.op in COMPARISONS):
            condition = Term("!=", (condition, 0), 1 + size_of(condition))
        return self._term("ite", (condition, then, otherwise))

    def _term(self, op: str, args: tuple[Value, ...]) -> Value:
        size = 1 + sum(map(size_of, args))
        if size <= MAX_TERM:
            return Term(op, args, size)
        for arg in args:
            self.dropped(arg)
        return self.fresh()

    @staticmethod
    def _simplified(op: str, a: Value, b: Value) -> Value | None:
        if isinstance(b, (int, float)) and (op, b) in _IDENTITY:
            return a
        if isinstance(a, (int, float)) and (op, a) in _LEFT_IDENTITY:
            return b
        if op == "*" and (a == 0 or b == 0):
            return 0
        if op in {"&&", "||"}:
            short = op == "||"
            for known, other in ((a, b), (b, a)):
                if isinstance(known, (int, float)):
                    return int(short) if bool(known) is short else other
        if isinstance(a, Atom) and isinstance(b, (int, float)):
            return _bounded(op, a, b)
        if isinstance(b, Atom) and isinstance(a, (int, float)):
            return _bounded(_MIRRORED.get(op, ""), b, a)
        return Values._addresses(op, a, b)

    @staticmethod
    def _addresses(op: str, a: Value, b: Value) -> Value | None:
        """The comparison of pointers, where it is decided."""
        if isinstance(a, Pointer) and isinstance(b, Pointer) and op in {"==", "!="} and a == b:
            return int(op == "==")
        pointer, null = (a, b) if isinstance(a, Pointer) else (b, a)
        if isinstance(pointer, Pointer) and null == 0 and op in {"==", "!="}:
            known_object = pointer.object.kind in {Memory.STACK, Memory.STATIC}
            return int(op == "!=") if known_object else None
        return None


def parts(value: Value) -> Iterator[Value]:
    """The value and everything in it."""
    stack: list[Value] = [value]
    while stack:
        top = stack.pop()
        yield top
        if isinstance(top, Term):
            stack.extend(top.args)
        elif isinstance(top, Record):
            stack.extend(v for _, v in top.fields)
        elif isinstance(top, Pointer):
            stack.append(top.offset)


def atoms(value: Value) -> Iterator[Atom]:
    """The unknowns in a value."""
    return (p for p in parts(value) if isinstance(p, Atom))


def outcomes(value: Value) -> Iterator[Value]:
    """What a value can be by the conditions that it turns on."""
    if isinstance(value, Term) and value.op == "ite":
        yield from outcomes(value.args[1])
        yield from outcomes(value.args[2])
    else:
        yield value


def substituted(value: Value, values: Values, known: Mapping[Value, Value]) -> Value:
    """The value with `known` put in: atoms by what they are, conditions of `ite` terms by their truth."""
    if value in known:
        rest = {k: v for k, v in known.items() if k != value}
        return substituted(known[value], values, rest)
    if isinstance(value, Term):
        if value.op == "ite":
            condition = substituted(value.args[0], values, known)
            if isinstance(condition, (int, float)):
                return substituted(value.args[1 if condition else 2], values, known)
        args = tuple(substituted(a, values, known) for a in value.args)
        return values.ite(*args) if value.op == "ite" else values.op(value.op, *args)
    if isinstance(value, Pointer):
        return Pointer(value.object, value.path, substituted(value.offset, values, known))
    return value


def first_seen(value: Value, values: Values) -> Value:
    """The value in the first iteration of every loop that it varies in."""
    for _ in range(8):
        known: dict[Value, Value] = {
            a: a.first for a in atoms(value) if a.kind is AtomKind.LOOP and a.first is not None
        }
        if not known:
            return value
        value = substituted(value, values, known)
    return value


def conditions(value: Value) -> list[Value]:
    """The undecided conditions that a value turns on, outermost first."""
    found: list[Value] = []
    for part in parts(value):
        if isinstance(part, Term) and part.op == "ite" and part.args[0] not in found:
            found.append(part.args[0])
    return found


def scenarios(
    together: tuple[Value, ...], values: Values, cap: int = 16, beside: tuple[Value, ...] = ()
) -> list[dict[Value, Value]]:
    """The ways that several values can be at the same time: what to put in for conditions and loop variables.

    Each is to be given to `substituted`. A loop variable takes its samples, else its first value; an element of a
    table its samples. The command line without options comes first, for the values `beside` as well.
    """
    options = (a for v in (*together, *beside) for a in atoms(v) if a.kind is AtomKind.OPTION)
    absent: dict[Value, Value] = dict.fromkeys(options, 0)
    open_: list[dict[Value, Value]] = [absent, {}] if absent else [{}]
    done: list[dict[Value, Value]] = []
    while open_ and len(done) + len(open_) < cap:
        known = open_.pop(0)
        row = [substituted(v, values, known) for v in together]
        undecided = [c for v in row for c in conditions(v)]
        varying = [a for v in row for a in atoms(v) if a.kind is AtomKind.LOOP or a.samples]
        if undecided:
            open_ += [{**known, undecided[0]: 1}, {**known, undecided[0]: 0}]
        elif varying and varying[0].samples:
            open_ += [{**known, varying[0]: s} for s in varying[0].samples]
        elif varying and varying[0].first is not None:
            open_.append({**known, varying[0]: varying[0].first})
        else:
            done.append(known)
    return done + open_
