"""An abstract interpreter of host code: what it allocates, copies, launches and waits for, with which values.

It runs `main`, or every function that nothing in the unit calls, statement by statement on the values of
`hostvalues`: both sides of an undecided branch, the body of a loop once (with what the loop changes unknown,
but its first value remembered), calls of the unit's own functions in place. The result is a tree of effects
per function run (`hosteffects`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cudalint.lint.analysis.hostapi import Library
from cudalint.lint.analysis.hosteffects import ApiCall, Enter, LaunchCall, LeaveKind, Run
from cudalint.lint.analysis.hostexpr import Frame
from cudalint.lint.analysis.hostloops import HostStatements
from cudalint.lint.analysis.hoststate import State
from cudalint.lint.analysis.hostvalues import (
    AtomKind,
    FunctionValue,
    Memory,
    Object,
    Pointer,
    Record,
    Value,
    Values,
    atoms,
    outcomes,
    parts,
)
from cudalint.lint.model.expressions import Call, Delete, Expr, Lambda, Launch, Storage, Symbol
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import NOWHERE
from cudalint.lint.model.types import VOID, FloatType, IntType, PointerType, RecordType, Type
from cudalint.lint.model.walk import walk

STATUS_TYPES = frozenset({"cudaError_t", "cudaError", "CUresult", "cudaError_enum"})
"""Names of the runtime's and the driver's status codes."""
LIBRARY_STATUS_TYPES = frozenset(
    {
        *("cublasStatus_t", "cufftResult_t", "cufftResult", "curandStatus", "curandStatus_t", "cusparseStatus_t"),
        *("cusolverStatus_t", "cudnnStatus_t", "ncclResult_t", "nvrtcResult"),
    }
)
"""Names of the status codes of NVIDIA's libraries."""


MAX_DEPTH = 10
"""Nested calls that are followed."""
MAX_RUNS = 12
"""Times that one function is interpreted; later calls reuse the last run."""
MAX_RUNS_ON_WORDS = 200
"""The same for functions that are given words of a known command line."""
MAX_STATEMENTS = 12_000
"""Statements interpreted for one unit, inlined ones included."""


@dataclass(eq=False)
class HostProgram:
    """What was interpreted: the runs that nothing calls, every run, and all launches and calls in them."""

    roots: list[Run]
    runs: list[Run]
    calls: list[ApiCall]
    launches: list[LaunchCall]
    complete: bool
    values: Values
    timed: frozenset[tuple[int, int]]
    """Pairs of timer readings (calls' ids) of which the first was subtracted from the second."""


class Interpreter(Library, HostStatements):
    """Interprets the host code of one translation unit."""

    def __init__(self, program: TranslationUnit, argv: tuple[str, ...] = ()) -> None:
        super().__init__(argv)
        self.program = program
        self.roots: list[Run] = []
        self.runs: list[Run] = []
        self.calls: list[ApiCall] = []
        self.launches: list[LaunchCall] = []
        self._by_id: dict[int, ApiCall | LaunchCall | Enter] = {}
        self._stack: list[str] = []
        self._times: Counter[str] = Counter()
        self._latest: dict[str, Run] = {}
        self._closures: dict[str, Frame] = {}
        self._this: dict[str, Object] = {}
        self._statements = 0
        self._options: dict[tuple[str, tuple[str, ...]], Value] = {}
        self._makers: dict[Object, ApiCall] = {}
        self._timed: set[tuple[int, int]] = set()
        self.values.dropped = self.use

    # -- roots ---------------------------------------------------------------------------------

    def interpret(self) -> HostProgram:
        """Run everything that can start: main, then what nothing calls, then what was never reached."""
        hosts = _unique(f for f in self.program.functions.values() if _runs_on_host(f))
        called = _called(hosts)
        state = self._global_state()
        first = [f for f in hosts if f.name == "main"]
        others = [f for f in hosts if f.key not in called and f.name != "main"]
        others.sort(key=lambda f: (f.kind is FunctionKind.HOST_DEVICE, not _constructs(f), f.span.start))
        for function in first:
            self._root(function, state.copy())
        settled = self._without_changes(hosts, state)
        for function in others:
            settled = self._root(function, settled)
        for function in hosts:
            if not self._times[function.key] and function.kind is FunctionKind.HOST:
                settled = self._root(function, settled)
        complete = self._statements < MAX_STATEMENTS
        return HostProgram(
            self.roots, self.runs, self.calls, self.launches, complete, self.values, frozenset(self._timed)
        )

    def _global_state(self) -> State:
        state = State()
        nowhere = Function("", "", "", "", FunctionKind.HOST, (), VOID, None, NOWHERE, NOWHERE)
        self.frame = Frame(nowhere)
        for item in self.program.globals:
            if item.init is not None and item.symbol.storage in {Storage.HOST, Storage.STATIC}:
                self._declare(item.symbol, item.init, state)
        self.items = []
        return state

    def _without_changes(self, hosts: Sequence[Function], state: State) -> State:
        """The global state for functions entered from elsewhere: what any function assigns is not known."""
        kept = state.copy()
        for function in hosts:
            if function.body is not None:
                for target in self.changed_by(function.body):
                    if isinstance(target, Symbol) and target.key in self.globals:
                        kept.cells.pop(self.globals[target.key], None)
        return kept

    def _root(self, function: Function, state: State) -> State:
        """Run a function with unknown arguments; the state that later roots see: objects behind `this` stay."""
        if self._statements >= MAX_STATEMENTS:
            return state
        start = state.copy()
        frame = Frame(function)
        self.frame = frame
        args: list[Value] = []
        for param in function.params:
            self.frame.variables[param.key] = self._variable(param, Memory.STACK)
            place = Pointer(self.frame.variables[param.key])
            args.append(self.load(start, place, param.type))
            if not isinstance(param.type, RecordType):
                self.store(start, place, args[-1])
        self._command_line(function, args, start)
        this = self._receiver(function)
        self.items = []
        run, _value, end = self._execute(function, frame, tuple(args), start, this)
        run.root = True
        self.roots.append(run)
        result = state.copy()
        for thing in self._this.values():
            if thing in end.cells:
                result.cells[thing] = end.cells[thing]
        return result

    def _command_line(self, function: Function, args: list[Value], start: State) -> None:
        """Give `main`, and other roots that look like it, the command line."""
        for at, (count, words) in enumerate(pairwise(function.params)):
            if isinstance(count.type, IntType) and _is_words(words.type):
                args[at + 1] = Pointer(self.words)
                if self.argv and function.name == "main":
                    args[at] = len(self.argv)
                    start.cells.update(self.given_words())
                for param, value in zip((count, words), args[at : at + 2], strict=True):
                    self.store(start, Pointer(self.frame.variables[param.key]), value)

    def _receiver(self, function: Function) -> Pointer | None:
        if function.this is None or function.receiver is None:
            return None
        key = function.receiver.key
        if key not in self._this:
            self._this[key] = self.object(Memory.UNKNOWN, function.receiver.name, type=function.receiver)
        return Pointer(self._this[key])

    # -- calls ---------------------------------------------------------------------------------

    def call(self, call: Call, state: State, into: Pointer | None = None) -> Value:
        """Evaluate a call: interpret its body where the unit has it, else ask the library's models."""
        function = self._callee(call, state)
        receiver: Value | None = into
        if call.receiver is not None and receiver is None:
            receiver = self.eval(call.receiver, state) if call.arrow else self.place(call.receiver, state)
        if function is None:
            args = tuple(self._argument(a, None, state) for a in call.args)
            return self.external(call, args, receiver, state)
        names = [*function.params, *([None] * len(call.args))]
        args = tuple(self._argument(a, p, state) for a, p in zip(call.args, names, strict=False))
        if call.constructor and into is None:
            receiver = into = Pointer(self.object(Memory.STACK, "", type=call.type))
        value = self._inline(function, call, args, receiver, state)
        if call.constructor and into is not None:
            return self.load(state, into, call.type)
        return value

    def _callee(self, call: Call, state: State) -> Function | None:
        key = call.key
        if key is None and call.callee is not None:
            value = self.eval(call.callee, state)
            key = value.key if isinstance(value, FunctionValue) else None
        if key is None and call.receiver is not None and call.name == "operator()":
            value = self.load(state, self.place(call.receiver, state), call.receiver.type)
            key = value.key if isinstance(value, FunctionValue) else None
        function = self.program.functions.get(key) if key else None
        if function is None or function.body is None or function.kind in {FunctionKind.KERNEL, FunctionKind.DEVICE}:
            return None
        return function

    def _argument(self, arg: Expr, param: Symbol | None, state: State) -> Value:
        if param is not None and isinstance(param.type, PointerType) and param.type.reference:
            value = self.eval(arg, state) if isinstance(arg.type, PointerType) else self.place(arg, state)
            return value if isinstance(value, Pointer) else self.temporary(value, param.type.pointee, state)
        return self.eval(arg, state)

    def _inline(
        self, function: Function, call: Expr, args: tuple[Value, ...], receiver: Value | None, state: State
    ) -> Value:
        """Run a function of the unit in place."""
        reads = any(map(self.of_command_line, args))
        most = MAX_RUNS_ON_WORDS if reads and self.argv else MAX_RUNS
        deep = len(self._stack) >= MAX_DEPTH or function.key in self._stack
        if deep or self._times[function.key] >= most or self._statements >= MAX_STATEMENTS:
            for arg in args:
                self.use(arg)
                self.lose(arg, state)
            last = self._latest.get(function.key)
            if last is not None and function.key not in self._stack:
                self.items.append(Enter(last, call, call.span, repeated=True, used=True))
            return self.values.fresh(AtomKind.READ, function.name)
        outer, items = self.frame, self.items
        frame = Frame(function, outer=self._closures.get(function.key))
        for param, arg in zip(function.params, args, strict=False):
            frame.variables[param.key] = thing = self._parameter(param)
            self.store(state, Pointer(thing), arg)
        this = self.pointed(receiver) if receiver is not None and function.this is not None else None
        run, value, end = self._execute(function, frame, args, state, this)
        self.frame, self.items = outer, items
        entered = Enter(run, call, call.span, self.values.number())
        self.items.append(entered)
        state.cells, state.dead = end.cells, end.dead
        if is_status(function.result) and any(a.event is not None for a in atoms(value)):
            self.use(value)
            entered.status = True
            self._by_id[entered.id] = entered
            return self.values.fresh(AtomKind.RESULT, function.name, entered.id)
        return self._parsed(function, args, value) if reads and not self.argv else value

    def _parsed(self, function: Function, args: tuple[Value, ...], value: Value) -> Value:
        """What a function makes of a command line that is not known.

        Whether an option that it is given the name of is there; numbers that are no sizes, which it returns where
        there is nothing to be read, say nothing of what it reads.
        """
        if isinstance(value, (int, float)) or not isinstance(function.result, (IntType, FloatType)):
            return value
        names = tuple(arg for arg in args if isinstance(arg, str))
        if names and getattr(function.result, "name", "") == "bool":
            self.use(value)
            found = self._options.get((function.key, names))
            if found is None:
                found = self._options[function.key, names] = self.values.fresh(AtomKind.OPTION, names[0])
            return found
        numbers = dict.fromkeys(v for v in outcomes(value) if isinstance(v, (int, float)))
        if all(n > 0 for n in numbers):
            return value
        self.use(value)
        result: Value = self.values.fresh(AtomKind.READ, function.name)
        for other in numbers:
            if other > 0:
                result = self.values.ite(self.undecided(), other, result)
        return result

    def _parameter(self, param: Symbol) -> Object:
        function = self.frame.function.key
        return self.object(Memory.STACK, param.name, site=param.span, type=param.type, function=function)

    def _execute(
        self, function: Function, frame: Frame, args: tuple[Value, ...], state: State, this: Pointer | None
    ) -> tuple[Run, Value, State]:
        """Run a body in its frame; the run, the returned value and the state at its end."""
        run = Run(self.values.number(), function, args, this=this)
        self.runs.append(run)
        self._latest[function.key] = run
        self._times[function.key] += 1
        self._stack.append(function.key)
        self.frame, self.items = frame, run.body
        if this is not None and function.this is not None:
            frame.variables[function.this.key] = thing = self._parameter(function.this)
            self.store(state, Pointer(thing), this)
            for name, init in function.initializers:
                self._initialise(Pointer(this.object, (*this.path, name)), init, state)
        assert function.body is not None
        local = State(state.cells, state.facts, state.dead)
        self.execute(function.body, local)
        if not local.dead:
            frame.returned.append((local, 0))
        self._stack.pop()
        end = self.merge_all([s for s, _ in frame.returned])
        value: Value = self.values.fresh(AtomKind.READ)
        if frame.returned:
            value = frame.returned[0][1]
            for _, other in frame.returned[1:]:
                value = self.joined(self.undecided(), value, other)
        if run.root or len(self._stack) == 0:
            self.use(value)
        for thing in frame.variables.values():
            end.cells.pop(thing, None)
        return run, value, end

    def _initialise(self, place: Pointer, init: Expr, state: State) -> None:
        if isinstance(init, Call) and init.constructor:
            self.keep(place, self.call(init, state, place), init.span, state)
            return
        self.keep(place, self.eval(init, state), init.span, state)

    def closure(self, key: str) -> None:
        """Remember the frame that a lambda's body sees."""
        self._closures[key] = self.frame

    def released(self, value: Value, expr: Delete, state: State) -> None:
        """`delete` is recorded as a call of that name."""
        call = Call("delete", "delete", None, (expr.operand,), VOID, expr.span)
        self.record(call, (value,), None, state).used = True

    # -- what rules see ------------------------------------------------------------------------

    def record(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> ApiCall:
        """Note a call of a function outside the unit."""
        event = ApiCall(self.values.number(), call.name, call, args, receiver, self.frame.function.key, state.facts)
        event.result = self.values.fresh(AtomKind.RESULT, call.name, event.id)
        self._by_id[event.id] = event
        self.calls.append(event)
        self.items.append(event)
        return event

    def launch(self, launch: Launch, state: State) -> Value:
        """Evaluate a launch's configuration and arguments and note it."""
        grid = self._triple(launch.grid, state)
        block = self._triple(launch.block, state)
        shared: Value = 0 if launch.shared is None else self.eval(launch.shared, state)
        stream: Value = 0 if launch.stream is None else self.eval(launch.stream, state)
        args = tuple(self.eval(a, state) for a in launch.args)
        for arg in args:
            self.use(arg)
        event, *others = (
            LaunchCall(
                self.values.number(), one, grid, block, shared, stream, args, self.frame.function.key, state.facts
            )
            for one in self._meant(launch, state)
        )
        self.launches += others
        event.result = self.values.fresh(AtomKind.RESULT, launch.via, event.id)
        self._by_id[event.id] = event
        self.launches.append(event)
        self.items.append(event)
        return event.result

    def _meant(self, launch: Launch, state: State) -> list[Launch]:
        """The launch, for each kernel that it can mean where a value says which."""
        if launch.callee is None:
            return [launch]
        values = parts(self.eval(launch.callee, state))
        keys = dict.fromkeys(value.key for value in values if isinstance(value, FunctionValue))
        kernels = [self.program.functions[key] for key in keys if key in self.program.functions]
        return [replace(launch, kernel=kernel.name, key=kernel.key) for kernel in kernels] or [launch]

    def _triple(self, expr: Expr, state: State) -> tuple[Value, Value, Value]:
        return self.triple(self.eval(expr, state), expr)

    def triple(self, value: Value, expr: Expr) -> tuple[Value, Value, Value]:
        """A dim3 as its three numbers; a plain number is the x extent."""
        if isinstance(value, Record):
            x, y, z = (value.get(axis) for axis in "xyz")
            unknown = self.values.fresh
            return (
                unknown(AtomKind.READ, "x") if x is None else x,
                unknown(AtomKind.READ, "y") if y is None else y,
                unknown(AtomKind.READ, "z") if z is None else z,
            )
        if isinstance(expr.type, RecordType) and not isinstance(value, (int, float)):
            return value, self.values.fresh(AtomKind.READ, "y"), self.values.fresh(AtomKind.READ, "z")
        return value, 1, 1

    def use(self, value: Value) -> None:
        """Something looks at a value: results of calls in it are not ignored."""
        for part in parts(value):
            event = getattr(part, "event", None)
            if event is not None:
                self._by_id[event].used = True

    def tested(self, made: Object) -> None:
        """A pointer to this object is tested: the call that made it is not ignored."""
        event = self._makers.get(made)
        if event is not None:
            event.used = True

    def made_by(self, made: Object, event: ApiCall) -> None:
        """Remember which call made an object."""
        self._makers[made] = event

    def subtracted(self, left: Value, right: Value) -> None:
        """A difference was formed: of two timer readings, it is a measurement."""
        if isinstance(left, (int, float)) or isinstance(right, (int, float)):
            return
        ends, begins = (
            {a.event for a in atoms(v) if a.event is not None and self._by_id[a.event].is_timer}
            for v in (left, right)
        )
        self._timed.update((b, e) for b in begins for e in ends if b != e)

    def step(self) -> bool:
        """Count a statement; False when the budget is spent."""
        self._statements += 1
        return self._statements < MAX_STATEMENTS

    def leave_process(self, call: Call, state: State) -> None:
        """exit, abort and their kin."""
        self.leave(LeaveKind.EXIT, call.span, state)


def _is_words(of: Type) -> bool:
    """Whether a type is `char **`, const or not."""
    inner = of.pointee if isinstance(of, PointerType) and not of.reference else None
    letter = inner.pointee if isinstance(inner, PointerType) else None
    return isinstance(letter, IntType) and letter.name == "char"


def _unique(functions: Iterable[Function]) -> list[Function]:
    """Functions once each: one that is declared before it is defined may be there under two keys."""
    found: dict[object, Function] = {}
    for function in functions:
        found.setdefault((function.name_span, function.template_args, function.receiver), function)
    return list(found.values())


def _runs_on_host(function: Function) -> bool:
    return function.body is not None and function.kind in {FunctionKind.HOST, FunctionKind.HOST_DEVICE}


def is_status(of: Type) -> bool:
    """Whether a type is a status code of CUDA or of one of its libraries."""
    return isinstance(of, IntType) and of.name in STATUS_TYPES | LIBRARY_STATUS_TYPES


def _constructs(function: Function) -> bool:
    return function.receiver is not None and function.name == function.receiver.name.split("<")[0].split("::")[-1]


def _called(hosts: Sequence[Function]) -> set[str]:
    """Keys of the functions that host code calls or that are lambdas made in it."""
    found: set[str] = set()
    for function in hosts:
        assert function.body is not None
        for node in walk(function.body):
            if isinstance(node, (Call, Lambda)) and node.key and node.key != function.key:
                found.add(node.key)
        for _, init in function.initializers:
            found.update(n.key for n in walk(init) if isinstance(n, Call) and n.key)
    return found


_KEPT = 3
"""Units whose host code is kept: the one that is checked, and files of its project that it asks about."""
_LATEST: list[tuple[TranslationUnit, tuple[str, ...], HostProgram]] = []


def host_program(program: TranslationUnit, argv: tuple[str, ...] = ()) -> HostProgram:
    """The interpreted host code of a unit; those of the last units are kept, because several analyses ask in turn.

    `argv` is the command line to assume, program name first; without it nothing is known of `main`'s arguments.
    """
    for at, (known, words, made) in enumerate(_LATEST):
        if known is program and words == argv:
            _LATEST.insert(0, _LATEST.pop(at))
            return made
    made = Interpreter(program, argv).interpret()
    _LATEST[:] = [(program, argv, made), *_LATEST[: _KEPT - 1]]
    return made
