"""What host code does, as a tree that mirrors its control flow.

A `Run` is one execution of a function body under some arguments. Its items stand in execution order; a
branch that is not decided has both sides, a loop its body once, a call to a host function of the unit the
run of that function. Rules walk the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from cudalint.lint.analysis.hostvalues import Atom, Object, Pointer, Value
from cudalint.lint.model.expressions import Call, Expr, Launch
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span

TIMERS = frozenset(
    {"now", "clock", "gettimeofday", "clock_gettime", "timespec_get", "omp_get_wtime", "MPI_Wtime", "times", "ftime"}
)
"""Functions that read a host clock finely enough to measure with."""

Facts = tuple[tuple[Value, bool], ...]
"""Conditions that hold where something happens, with their truth."""


@dataclass(eq=False, slots=True)
class ApiCall:
    """A call of a function whose body is not in the unit (the CUDA runtime, libc, the standard library).

    `result` is its value (an atom whose `event` is `id` where nothing is known). `made` is the memory or
    resource that it creates. `out` is where it stores it. `used` is set when anything looks at the result.
    """

    id: int
    name: str
    call: Call
    args: tuple[Value, ...]
    receiver: Value | None
    function: str
    facts: Facts
    result: Value = 0
    made: Object | None = None
    out: Pointer | None = None
    used: bool = False

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.call.span

    @property
    def is_timer(self) -> bool:
        """Whether it reads a host clock."""
        return self.name in TIMERS


@dataclass(eq=False, slots=True)
class LaunchCall:
    """A kernel launch with its evaluated configuration and arguments."""

    id: int
    launch: Launch
    grid: tuple[Value, Value, Value]
    block: tuple[Value, Value, Value]
    shared: Value
    stream: Value
    args: tuple[Value, ...]
    function: str
    facts: Facts
    result: Value = 0
    used: bool = False

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.launch.span

    @property
    def is_timer(self) -> bool:
        """Only clock functions are timers."""
        return False


@dataclass(eq=False, slots=True)
class Enter:
    """A call of a host function of the unit. `run` may be shared with an earlier call of the same kind.

    `repeated`: the body was not interpreted again, `run` is the last one before. `status`: the function
    returns the status of calls that it makes; `used` then says whether anything looks at it.
    """

    run: Run
    call: Expr
    span: Span
    id: int = 0
    repeated: bool = False
    status: bool = False
    used: bool = False

    @property
    def is_timer(self) -> bool:
        """Only clock functions are timers."""
        return False


@dataclass(eq=False, slots=True)
class Choice:
    """An undecided branch. `condition` is its value; `head` spans it. A side may be empty."""

    condition: Value
    head: Span
    then: list[Item] = field(default_factory=list)
    otherwise: list[Item] = field(default_factory=list)


class LoopKind(Enum):
    """What drives a loop."""

    COUNTED = auto()
    RANGE = auto()
    CONDITION = auto()


@dataclass(eq=False, slots=True)
class Loop:
    """A loop; `body` holds the items of one iteration, condition and step included.

    `variable` is the counter of a counted loop and `trip` its number of iterations where known.
    `condition` is the value that decides on the next iteration.
    """

    kind: LoopKind
    head: Span
    span: Span
    body: list[Item] = field(default_factory=list)
    variable: Atom | None = None
    trip: int | None = None
    condition: Value = 1
    varying: frozenset[Atom] = frozenset()
    """Unknowns that stand for what the loop changes."""
    start: int = 0
    """Unknowns with a larger number were first met inside the loop."""


@dataclass(eq=False, slots=True)
class HostAccess:
    """Host code reads or writes through a pointer to an object that is not a plain variable, at `place`."""

    object: Object
    span: Span
    write: bool
    function: str
    place: Pointer | None = None


@dataclass(eq=False, slots=True)
class Store:
    """A pointer to memory or a resource is put somewhere (`where`), or a place that held one is overwritten."""

    where: Pointer
    value: Value
    before: Value | None
    span: Span
    function: str


@dataclass(eq=False, slots=True)
class NotUnderstood:
    """Something is called or done here that the front end could not make out."""

    span: Span


class LeaveKind(Enum):
    """How control leaves."""

    RETURN = auto()
    BREAK = auto()
    CONTINUE = auto()
    THROW = auto()
    EXIT = auto()
    GOTO = auto()


@dataclass(eq=False, slots=True)
class Leave:
    """Control leaves the function, loop or process here."""

    kind: LeaveKind
    span: Span
    value: Value | None = None


@dataclass(eq=False, slots=True)
class Run:
    """One execution of a function. `root` when nothing calls it (its parameters are unknown)."""

    id: int
    function: Function
    args: tuple[Value, ...]
    body: list[Item] = field(default_factory=list)
    root: bool = False
    this: Pointer | None = None


Item = ApiCall | LaunchCall | Enter | Choice | Loop | HostAccess | Store | NotUnderstood | Leave
