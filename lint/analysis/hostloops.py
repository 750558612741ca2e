"""Statements of host code: branches, loops, switches, returns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial

from cudalint.lint.analysis.hosteffects import LeaveKind, Loop, LoopKind, NotUnderstood
from cudalint.lint.analysis.hostexpr import Frame, HostExpressions, Side
from cudalint.lint.analysis.hoststate import VERSION, State, samples_of, symbolic
from cudalint.lint.analysis.hostvalues import Atom, Object, Pointer, Record, Term, Value, substituted
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Call,
    Cast,
    Const,
    Expr,
    IncDec,
    Index,
    Member,
    Symbol,
    Var,
)
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
    Asm,
    Block,
    Break,
    Continue,
    Decl,
    ExprStmt,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    Try,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import ArrayType, IntType, PointerType, RecordType
from cudalint.lint.model.walk import uncast, walk

COPY_OUT = frozenset({"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyFromSymbol", "cudaMemcpy2D"})
"""Copies whose first argument may be a host variable that they fill."""
MAX_FOLLOWED = 64
"""Iterations of a loop with an unusual step that are followed to learn its trip count."""


class HostStatements(HostExpressions):
    """Executes statements on a state, in place."""

    argv: tuple[str, ...]

    @abstractmethod
    def of_command_line(self, value: Value) -> bool:
        """Whether a value leads to the command line."""

    @abstractmethod
    def step(self) -> bool:
        """Count a statement; False when the budget is spent."""

    def execute(self, stmt: Stmt, state: State) -> None:
        """Run one statement. Nothing happens in a dead state."""
        if state.dead or not self.step():
            return
        match stmt:
            case Block(body=body):
                for part in body:
                    self.execute(part, state)
            case ExprStmt(expr=expr):
                self.eval(expr, state)
            case Decl(symbol=symbol, init=init):
                self._declare(symbol, init, state)
            case If():
                self._if(stmt, state)
            case For() | While() | RangeFor():
                self._loop(stmt, state)
            case Switch():
                self._switch(stmt, state)
            case _:
                self._jump(stmt, state)

    def _jump(self, stmt: Stmt, state: State) -> None:
        match stmt:
            case Return(value=value):
                result: Value = 0 if value is None else self._returned(value, state)
                if not state.dead:
                    self.leave(LeaveKind.RETURN, stmt.span, state, result)
                    self.frame.returned.append((State(state.cells, state.facts), result))
            case Break():
                self._out_of(self.frame.breaks, LeaveKind.BREAK, stmt.span, state)
            case Continue():
                self._out_of(self.frame.continues, LeaveKind.CONTINUE, stmt.span, state)
            case Try():
                self._try(stmt, state)
            case Asm(inputs=inputs):
                for value in inputs:
                    self.use(self.eval(value, state))
            case UnknownStmt(body=body):
                self.items.append(NotUnderstood(stmt.span))
                for part in body:
                    self.execute(part, state)
            case _:
                pass

    def _try(self, stmt: Try, state: State) -> None:
        before = state.copy()
        self.execute(stmt.body, state)
        for handler in stmt.handlers:
            caught = before.copy()
            sides: list[Side] = [partial(self.execute, handler), _nothing]
            self.branch(self.undecided(), handler.span, sides, caught)
            joined = self.merge(self.undecided(), state, caught)
            state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead

    def _returned(self, value: Expr, state: State) -> Value:
        result = self.eval(value, state)
        if isinstance(self.frame.function.result, PointerType) and self.frame.function.result.reference:
            return result if isinstance(result, Pointer) else self.place(value, state)
        return result

    def _out_of(self, ways: list[list[State]], kind: LeaveKind, span: Span, state: State) -> None:
        if ways:
            ways[-1].append(State(state.cells, state.facts))
        self.leave(kind, span, state)

    def _declare(self, symbol: Symbol, init: Expr | None, state: State) -> None:
        thing = self.variable(symbol)
        place = Pointer(thing)
        if symbol.storage is symbol.storage.STATIC and thing in state.cells:
            return
        state.cells[thing] = {VERSION: self.values.number()}
        if init is None:
            return
        if isinstance(symbol.type, PointerType) and symbol.type.reference:
            value = self.eval(init, state) if isinstance(init.type, PointerType) else self.place(init, state)
        elif isinstance(init, Call) and init.constructor:
            value = self.call(init, state, place)
            if isinstance(value, Record) and not value.fields:
                return
        else:
            value = self.eval(init, state)
        if not (isinstance(symbol.type, RecordType) and isinstance(value, Pointer) and value == place):
            self.keep(place, self.wrapped(value, symbol.type), init.span, state)

    def _if(self, stmt: If, state: State) -> None:
        for part in stmt.init:
            self.execute(part, state)
        condition = self.eval(stmt.condition, state)
        if state.dead:
            return
        self.decided_by(condition)
        if isinstance(condition, (int, float)):
            taken = stmt.then if condition else stmt.otherwise
            if taken is not None:
                self.execute(taken, state)
            return
        otherwise = stmt.otherwise

        def other(copy: State) -> None:
            if otherwise is not None:
                self.execute(otherwise, copy)

        self.branch(condition, stmt.head, [lambda s: self.execute(stmt.then, s), other], state)

    def _switch(self, stmt: Switch, state: State) -> None:
        """Every case that can be entered, each until it breaks."""
        subject = self.eval(stmt.condition, state)
        self.decided_by(subject)
        self.frame.breaks.append([])
        rest = state
        matched = False
        ends: list[State] = []
        default = next((i for i, case in enumerate(stmt.cases) if case.default), None)
        for index, case in enumerate(stmt.cases):
            labels = [self.eval(v, state) for v in case.values]
            tests = [self.values.op("==", subject, label) for label in labels]
            if any(t == 1 for t in tests):
                matched = True
                ends.append(self._case(stmt, index, state.copy()))
                break
            if not tests or all(t == 0 for t in tests):
                continue
            test = tests[0]
            for more in tests[1:]:
                test = self.values.op("||", test, more)
            self._enter_case(stmt, index, test, rest, ends)
        if not matched:
            ends.append(rest if default is None else self._case(stmt, default, rest))
        ends.extend(self.frame.breaks.pop())
        joined = self.merge_all(ends)
        state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead

    def _enter_case(self, stmt: Switch, index: int, test: Value, rest: State, ends: list[State]) -> None:
        """One case as an undecided branch; `rest` goes on to the other cases, `ends` takes those that fall out."""
        entered: list[State] = []

        def inside(copy: State) -> None:
            entered.append(self._case(stmt, index, copy))

        before = rest.copy()
        self.branch(test, stmt.head, [inside, _nothing], rest)
        ends.extend(State(s.cells, s.facts) for s in entered if not s.dead)
        rest.cells, rest.facts, rest.dead = before.cells, before.facts, before.dead

    def _case(self, stmt: Switch, index: int, state: State) -> State:
        for case in stmt.cases[index:]:
            for part in case.body:
                self.execute(part, state)
            if state.dead:
                break
        return state

    # -- loops ---------------------------------------------------------------------------------

    def _loop(self, stmt: For | While | RangeFor, state: State) -> None:
        if isinstance(stmt, While) and stmt.do and _is_false(stmt.condition):
            self._once(stmt.body, state)
            return
        if isinstance(stmt, For):
            for part in stmt.init:
                self.execute(part, state)
        left: list[State] = []
        if not isinstance(stmt, RangeFor) and self._walks_words(stmt, state):
            left = self._followed(stmt, state)
        if not state.dead:
            self._summed_up(stmt, state)
        if left:
            joined = self.merge_all([state, *left])
            state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead

    def _walks_words(self, stmt: Stmt, state: State) -> bool:
        """Whether a loop looks at the command line, where that is given."""
        variables = {n.symbol.key: n.symbol for n in walk(stmt) if isinstance(n, Var)} if self.argv else {}
        things = map(self.frame_variable, variables.values())
        return any(self.of_command_line(state.cells.get(t, {}).get((), 0)) for t in things if t is not None)

    def _followed(self, stmt: For | While, state: State) -> list[State]:
        """Run a loop one iteration after the other as long as it is known to go on.

        The states in which it was left; `state` is dead where it has ended for certain.
        """
        left: list[State] = []
        late = isinstance(stmt, While) and stmt.do
        for count in range(MAX_FOLLOWED):
            if stmt.condition is not None and not (late and count == 0):
                trial, kept = state.copy(), len(self.items)
                again = self.eval(stmt.condition, trial)
                if not isinstance(again, (int, float)):
                    del self.items[kept:]
                    return left
                state.cells, state.facts = trial.cells, trial.facts
                if not again:
                    left.append(state.copy())
                    state.dead = True
            if state.dead:
                return left
            self.frame.breaks.append([])
            self.frame.continues.append([])
            self.execute(stmt.body, state)
            left += self.frame.breaks.pop()
            joined = self.merge_all([state, *self.frame.continues.pop()])
            state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead
            if isinstance(stmt, For) and stmt.step is not None and not state.dead:
                self.eval(stmt.step, state)
        return left

    def _summed_up(self, stmt: For | While | RangeFor, state: State) -> None:
        """Run a loop's body once for all iterations."""
        if isinstance(stmt, RangeFor):
            self.use(self.eval(stmt.range, state))
        before = state.copy()
        kind = LoopKind.COUNTED if isinstance(stmt, For) and stmt.step is not None else LoopKind.CONDITION
        loop = Loop(LoopKind.RANGE if isinstance(stmt, RangeFor) else kind, stmt.head, stmt.span)
        loop.start = self.values.number()
        loop.varying = frozenset(self._widen(stmt, state))
        if isinstance(stmt, For):
            self._counter(stmt, loop, state)
        outside, self.items = self.items, loop.body
        entered = self._iteration(stmt, loop, state)
        self.items = outside
        if not entered:
            state.cells, state.facts = before.cells, before.facts
            return
        self.items.append(loop)
        exits = self.frame.breaks.pop()
        at_least_once = isinstance(stmt, While) and stmt.do
        ends = [State(s.cells, before.facts) for s in exits]
        if not state.dead and loop.condition != 1:
            ends.append(State(state.cells, before.facts))
        joined = self.merge_all(ends) if ends else State({}, (), dead=True)
        if not at_least_once and loop.condition != 1:
            joined = self.after_loop(before, joined)
        state.cells, state.facts, state.dead = joined.cells, before.facts, joined.dead

    def _once(self, body: Stmt, state: State) -> None:
        """`do { … } while (0)`: a block that can be left by break and continue."""
        self.frame.breaks.append([])
        self.frame.continues.append([])
        self.execute(body, state)
        ends = [*self.frame.breaks.pop(), *self.frame.continues.pop()]
        if ends:
            joined = self.merge_all([state, *ends])
            state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead

    def _iteration(self, stmt: For | While | RangeFor, loop: Loop, state: State) -> bool:
        """One iteration in the loop's items; False when it is known that there is none."""
        late = isinstance(stmt, While) and stmt.do
        test = None if isinstance(stmt, RangeFor) else stmt.condition
        if not late and test is not None:
            loop.condition = self.eval(test, state)
            self.decided_by(loop.condition)
            if loop.condition == 0:
                return False
            state.facts = (*state.facts, (loop.condition, True))
        if isinstance(stmt, RangeFor):
            loop.condition = self.undecided()
            self._declare(stmt.symbol, None, state)
            self._element(stmt, state)
        self.frame.breaks.append([])
        self.frame.continues.append([])
        self.execute(stmt.body, state)
        again = self.frame.continues.pop()
        if again:
            joined = self.merge_all([state, *again])
            state.cells, state.facts, state.dead = joined.cells, joined.facts, joined.dead
        if isinstance(stmt, For) and stmt.step is not None and not state.dead:
            self.eval(stmt.step, state)
        if late and test is not None and not state.dead:
            loop.condition = self.eval(test, state)
            self.decided_by(loop.condition)
        return True

    def _element(self, stmt: RangeFor, state: State) -> None:
        """Give the variable of a loop over an array of known numbers samples of them."""
        place = self.quiet_place(stmt.range, state) if isinstance(stmt.range.type, ArrayType) else None
        if place is None or not isinstance(stmt.symbol.type, IntType):
            return
        cells = state.cells.get(place.object, {})
        samples = samples_of(cells, (*place.path, self.values.fresh()), stmt.range.type)
        if samples:
            self.store(
                state, Pointer(self.variable(stmt.symbol)), self.atom_of_loop(stmt.symbol.name, samples[0], samples)
            )

    def _widen(self, stmt: For | While | RangeFor, state: State) -> Iterator[Atom]:
        """Make unknown what the loop changes; the first values stay in the unknowns."""
        for target in self.changed_by(stmt):
            if isinstance(target, Symbol):
                thing = self.frame_variable(target)
                place = None if thing is None else Pointer(thing)
                scalar = isinstance(target.type, (IntType, PointerType))
                if place is not None and thing is not None and scalar and () not in state.cells.get(thing, {}):
                    self.store(state, place, self.load(state, place, target.type))
            else:
                place = None if self.has_effects(target) else self.quiet_place(target, state)
            cells = None if place is None else state.cells.get(place.object)
            if place is None or cells is None:
                continue
            prefix = place.path if place.offset == 0 else (*place.path, place.offset)
            changed = dict(cells)
            for path, value in cells.items():
                if path[: len(prefix)] == prefix and path != VERSION and not symbolic(path):
                    if isinstance(value, str):
                        changed[path] = self.values.fresh()
                    if isinstance(value, Record | str):
                        continue
                    changed[path] = atom = self.atom_of_loop(place.object.name, value)
                    yield atom
            state.cells[place.object] = changed

    def quiet_place(self, target: Expr, state: State) -> Pointer | None:
        """Where an lvalue lives, without recording anything; None when that is not known exactly."""
        kept, self.items = self.items, []
        place = self.place(target, state)
        self.items = kept
        exact = not symbolic(place.path) and isinstance(place.offset, int)
        return place if exact else None

    def frame_variable(self, symbol: Symbol) -> Object | None:
        """The object of a variable that exists already."""
        frame: Frame | None = self.frame
        while frame is not None:
            if symbol.key in frame.variables:
                return frame.variables[symbol.key]
            frame = frame.outer
        return self.globals.get(symbol.key)

    def changed_by(self, stmt: Stmt) -> list[Symbol | Expr]:
        """The variables and lvalues that a statement may change, as far as its text tells."""
        found: dict[object, Symbol | Expr] = {}
        for node in walk(stmt):
            targets: list[Expr] = []
            if isinstance(node, (Assign, IncDec)):
                targets.append(node.target)
            elif isinstance(node, Call):
                given = [a.operand for a in map(uncast, node.args) if isinstance(a, AddressOf)]
                if node.name in COPY_OUT and given:
                    self._copy_target(given[0])
                targets.extend(given)
                if node.receiver is not None and not node.arrow:
                    targets.append(node.receiver)
            for target in targets:
                root = _root_variable(target)
                if root is not None:
                    found[root.key] = root
                elif isinstance(target, Member):
                    found[id(target)] = target
        return list(found.values())

    def _copy_target(self, target: Expr) -> None:
        """A loop copies into this variable: reads of it matter from the start of the iteration on."""
        root = _root_variable(target)
        thing = None if root is None else self.frame_variable(root)
        if thing is not None:
            self.copied_to.add(thing)

    def _counter(self, stmt: For, loop: Loop, state: State) -> None:
        """Learn the trip count of a counted loop and give its variable sample values."""
        symbol = _root_variable(stmt.step.target) if isinstance(stmt.step, (Assign, IncDec)) else None
        thing = None if symbol is None else self.frame_variable(symbol)
        if symbol is None or thing is None or stmt.condition is None or stmt.step is None:
            return
        place = Pointer(thing)
        atom = self.load(state, place, symbol.type)
        if not isinstance(atom, Atom) or self.has_effects(stmt.condition):
            return
        loop.variable = atom
        trial = state.copy()
        kept, self.items = self.items, []
        condition = self.eval(stmt.condition, trial)
        self.eval(stmt.step, trial)
        self.items = kept
        after = self.load(trial, place, symbol.type)
        seen = self._sequence(atom, condition, after)
        if seen:
            samples = tuple(dict.fromkeys((seen[0], seen[len(seen) // 2], seen[-1])))
            sampled = Atom(atom.id, atom.kind, atom.name, atom.first, samples)
            self.store(state, place, sampled)
            loop.variable, loop.trip = sampled, len(seen)
            loop.varying = frozenset({*(loop.varying - {atom}), sampled})

    def _sequence(self, atom: Atom, condition: Value, after: Value) -> Sequence[int]:
        """The values of a counter whose start, condition and step are all known; empty otherwise."""
        value = atom.first
        if not isinstance(value, int) or not isinstance(condition, Term):
            return []
        linear = isinstance(after, Term) and after.op == "+" and after.args[0] == atom
        bound = condition.args[1] if condition.op == "<" and condition.args[0] == atom else None
        if linear and isinstance(bound, int) and isinstance(after, Term) and isinstance(after.args[1], int):
            step = after.args[1]
            return range(value, bound, step) if step > 0 else []
        seen: list[int] = []
        while len(seen) < MAX_FOLLOWED and isinstance(value, int):
            holds = substituted(condition, self.values, {atom: value})
            if not isinstance(holds, int):
                return []
            if not holds:
                return seen
            seen.append(value)
            value = substituted(after, self.values, {atom: value})
        return []


def _nothing(_state: State) -> None:
    """The other side of a branch that has none."""


def _is_false(expr: Expr) -> bool:
    expr = uncast(expr)
    return isinstance(expr, Const) and not expr.value


def _root_variable(expr: Expr) -> Symbol | None:
    """The variable that an lvalue is part of, where it is not reached through a pointer."""
    while True:
        match expr:
            case Var(symbol=symbol):
                return symbol
            case Member(base=base, arrow=False):
                expr = base
            case Cast(operand=operand):
                expr = operand
            case Index(base=base) if not isinstance(base.type, PointerType):
                expr = base
            case _:
                return None
