"""Which status codes of CUDA calls are looked at, and which launches are asked after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from cudalint.lint.analysis.elsewhere import Elsewhere
from cudalint.lint.analysis.host import LIBRARY_STATUS_TYPES, is_status
from cudalint.lint.analysis.hostapi import LEAVES
from cudalint.lint.analysis.hosteffects import ApiCall, Choice, Enter, Item, LaunchCall, Loop, NotUnderstood, Run
from cudalint.lint.analysis.hostflow import (
    BLOCKING_COPIES,
    ERROR_QUERIES,
    LIBRARIES,
    NAMESPACES,
    RELEASES,
    STANDARD,
    WAITS,
    HostFlow,
    Visit,
    host_flow,
    items_of,
    may_do_anything,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import AddressOf, Call, Cast, Const, Expr, Launch
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import IntType

CLEARING = (
    ERROR_QUERIES
    | RELEASES
    | {
        *("cudaDeviceReset", "cudaHostUnregister", "cudaGraphicsUnregisterResource", "cudaIpcCloseMemHandle"),
        *("cudaProfilerStart", "cudaProfilerStop", "cudaStreamQuery", "cudaEventQuery"),
        *("cuGetErrorName", "cuGetErrorString", "cuCtxDestroy", "cuCtxDestroy_v2", "cuModuleUnload"),
    }
)
"""Calls whose status nobody need look at: they clear the error state, clean up or only serve tools."""
FEW = 5
"""From this many ignored calls on, a file that mostly ignores them is reported once, with the count."""
FEW_LAUNCHES = 3
"""The same for the launches of one function: one query behind them is enough."""
_RUNTIME = frozenset({"cudaError_t", "cudaError"})
_CAPTURED = "cudaStreamEndCapture"


@dataclass(frozen=True, slots=True)
class StatusCall:
    """A call that returns a status: its name, where it stands, and whether anything looks at it.

    `library` when it is of a library above the runtime, as cuBLAS.
    """

    name: str
    span: Span
    expr: Expr
    function: str
    checked: bool
    library: bool = False


@dataclass(frozen=True, slots=True)
class LaunchCheck:
    """A launch, and whether any way through the code asks for its error afterwards.

    `choice` is the head of the outermost branch around it: one query behind that is enough for all that is in it.
    `queried` when that is a query in sight, `unseen` when it could be only one of a caller in another file: the
    functions in sight look at no status, and go on to no wait or copy. `unasked` when all callers in other files are
    in sight, up to `main`, and none asks.
    """

    launch: Launch
    span: Span
    function: str
    checked: bool
    queried: bool
    unseen: bool
    choice: Span | None
    unasked: bool = False


class Place(NamedTuple):
    """A call or launch as `by_style` takes it."""

    span: Span
    checked: bool
    function: str
    library: bool = False
    choice: Span | None = None


class ErrorFlow:
    """How a unit treats errors; made once per unit. `elsewhere` leads to callers in other files."""

    def __init__(self, flow: HostFlow, elsewhere: Elsewhere | None = None) -> None:
        self.flow = flow
        self._elsewhere = elsewhere
        self._callers: dict[str, _Callers] = {}
        self.after = _Afterwards(flow)
        self._unseen = self.after.unseen
        self._cleaning: dict[int, bool] = {}

    @cached_property
    def calls(self) -> list[StatusCall]:
        """Every call whose status matters, once per place; checked when any way through the code looks at it."""
        found: dict[tuple[str, int, int], StatusCall] = {}
        damaged = {
            (v.item.span.file, v.item.span.line) for v in self.flow.visits if isinstance(v.item, NotUnderstood)
        }
        for visit in self.flow.visits:
            item = visit.item
            name = _status_name(item)
            if name is None or not isinstance(item, (ApiCall, LaunchCall, Enter)) or self._cleans_up(visit, name):
                continue
            if (item.span.file, item.span.line) in damaged:  # a test of the status may be what was not understood
                continue
            expr = item.launch if isinstance(item, LaunchCall) else item.call
            before = found.get(_key(item.span))
            checked = item.used or item.id in self.after.reported or (before is not None and before.checked)
            library = isinstance(expr.type, IntType) and expr.type.name in LIBRARY_STATUS_TYPES
            found[_key(item.span)] = StatusCall(
                name, item.span, expr, visit.run.function.qualified, checked, library=library
            )
        return sorted(found.values(), key=lambda c: c.span.start)

    def _cleans_up(self, visit: Visit, name: str) -> bool:
        """Whether a call drains or selects the device for a function that does nothing but release."""
        if name not in WAITS and name != "cudaSetDevice":
            return False
        run = visit.run
        if run.id not in self._cleaning:
            self._cleaning[run.id] = _only_releases(run)
        return self._cleaning[run.id]

    @cached_property
    def launches(self) -> list[LaunchCheck]:
        """Every `<<<>>>` launch, once per place. A query that comes before the launch does not count."""
        found: dict[tuple[str, int, int], LaunchCheck] = {}
        for visit in self.flow.visits:
            item = visit.item
            if not isinstance(item, LaunchCall) or item.launch.via != "<<<>>>":
                continue
            before = found.get(_key(item.span))
            found[_key(item.span)] = LaunchCheck(
                item.launch,
                item.span,
                visit.run.function.qualified,
                checked=item.id in self.after.asked or (before is not None and before.checked),
                queried=item.id in self.after.queried or (before is not None and before.queried),
                unseen=item.id in self._unseen and (before is None or before.unseen),
                choice=_choice(visit),
            )
        asking = {c.span.file for c in found.values() if c.queried}
        kept = (c if c.span.file not in asking else _met(c) for c in found.values())
        return sorted(map(self._as_called, kept), key=lambda c: c.span.start)

    @cached_property
    def _roots(self) -> dict[tuple[str, int, int], list[Function]]:
        """The functions, called by none in the unit, that lead to each launch."""
        found: dict[tuple[str, int, int], dict[str, Function]] = {}
        for visit, launch in self.flow.launches():
            found.setdefault(_key(launch.span), {})[visit.root.function.key] = visit.root.function
        return {place: list(roots.values()) for place, roots in found.items()}

    def _as_called(self, check: LaunchCheck) -> LaunchCheck:
        """A launch as the callers of its functions in other files treat it."""
        roots = self._roots[_key(check.span)]
        if check.checked or any(root.name == "main" for root in roots):
            return check
        asked = any(self._called(root).ask for root in roots)
        return replace(check, checked=asked, unasked=not asked and all(self._called(root).never for root in roots))

    def _called(self, root: Function) -> _Callers:
        if root.key not in self._callers:
            units = self._elsewhere.calling((root,)) if self._elsewhere is not None else None
            self._callers[root.key] = _callers(self.flow.program, root, units)
        return self._callers[root.key]

    @cached_property
    def checking_files(self) -> frozenset[str]:
        """The files that look at statuses, or that query errors."""
        queries = (c.span.file for _, c in self.flow.calls(*ERROR_QUERIES) if c.used)
        return frozenset([*(c.span.file for c in self.calls if c.checked), *queries])

    def macro(self, of: str = "cudaError") -> str | None:
        """The macro that the code checks statuses of a type with: the commonest one around calls looked at."""
        used: Counter[str] = Counter()
        for call in self.calls:
            macro = call.span.macro
            same = isinstance(call.expr.type, IntType) and call.expr.type.name == of
            if call.checked and macro and (same or isinstance(call.expr, Launch)) and self._alone(call):
                used[macro] += 1
        common = used.most_common(1)
        return common[0][0] if common else None

    def _alone(self, call: StatusCall) -> bool:
        """Whether a call is all that its macro is given: one that wants a message too cannot be put around others."""
        program, span = self.flow.program, call.span
        if not program.text(span).partition("(")[0].partition("<")[0].endswith(call.name.rpartition("::")[2]):
            return False
        data = program.files.get(span.file, b"")
        before, after = data[: span.offset].rstrip(), data[span.end_offset :].lstrip()
        head = before.removesuffix(b"(").rstrip()
        return before.endswith(b"(") and head.endswith((span.macro or "").encode()) and after.startswith(b")")

    @cached_property
    def call_places(self) -> list[Place]:
        """The status calls as `by_style` takes them."""
        return [Place(c.span, c.checked, c.function, c.library) for c in self.calls]

    @cached_property
    def launch_places(self) -> list[Place]:
        """The launches as `by_style` takes them; those that only unseen callers can ask after count as checked."""
        return [Place(c.span, c.checked or c.unseen, c.function, choice=c.choice) for c in self.launches]


def error_flow(unit: Unit) -> ErrorFlow:
    """The treatment of errors in a unit, for `Unit.once`."""
    return ErrorFlow(unit.once(host_flow), unit.elsewhere)


def _key(span: Span) -> tuple[str, int, int]:
    return span.file, span.offset, span.end_offset


def _choice(visit: Visit) -> Span | None:
    """The outermost branch around an effect in its function, within the innermost loop."""
    return next(visit.own(visit.choices), None)


def _met(check: LaunchCheck) -> LaunchCheck:
    """A launch of a file that asks after other launches itself: it is not left to callers."""
    return replace(check, unseen=False)


def _status_name(item: Item) -> str | None:
    """The called function's name where its status is one that should be looked at."""
    if isinstance(item, ApiCall):
        name = item.name
        if not is_status(item.call.type) or name in CLEARING or _asks_for_size(item):
            return None
        library = isinstance(item.call.type, IntType) and item.call.type.name in LIBRARY_STATUS_TYPES
        return None if library and "Destroy" in name else item.call.qualified if "::" in item.call.qualified else name
    if isinstance(item, LaunchCall):
        return item.launch.via if item.launch.via != "<<<>>>" else None
    if isinstance(item, Enter) and item.status:
        return item.run.function.name
    return None


def _asks_for_size(call: ApiCall) -> bool:
    """Whether a device-wide primitive is only asked how much memory it wants: a null pointer comes first."""
    return call.call.qualified.startswith("cub::Device") and bool(call.args) and call.args[0] == 0


def _only_releases(run: Run) -> bool:
    """Whether a function does nothing on the device but release, select devices, and wait until it may."""
    items = list(items_of(run.body))
    if any(isinstance(item, LaunchCall) for item in items):
        return False
    names = {item.name for item in items if isinstance(item, ApiCall) and is_status(item.call.type)}
    return bool(names & CLEARING) and names <= CLEARING | WAITS | {"cudaSetDevice", "cudaGetDevice"}


def by_style(
    places: Sequence[Place], beside: Iterable[Place] = (), few: int = FEW
) -> tuple[list[int], dict[str, list[int]]]:
    """Which unchecked places to report one by one, and which to report together.

    Indexes into `places` are returned: single ones, and by file, or by function, those that are reported once:
    all of a file whose style is to check nothing (at least `FEW` unchecked, and fewer checked, `beside` counted
    in), `few` or more of one function, those in the branches of one choice, and library calls of a file where no
    status at all is looked at.
    `beside` are the places of the other kind, calls or launches: a style shows in both.
    """
    unchecked: dict[str, list[int]] = {}
    for index, place in enumerate(places):
        if not place.checked:
            unchecked.setdefault(place.span.file, []).append(index)
    others = list(beside)
    elsewhere = Counter(p.span.file for p in others if not p.checked)
    checked = Counter(p.span.file for p in (*places, *others) if p.checked)
    single: list[int] = []
    whole: dict[str, list[int]] = {}
    for file, indexes in unchecked.items():
        ignored = len(indexes) + elsewhere[file]
        careless = not checked[file] and any(places[i].library for i in indexes)
        if len(indexes) > 1 and (careless or (ignored >= FEW and checked[file] < ignored)):
            whole[file] = indexes
            continue
        for name, together in _groups(places, indexes, few).items():
            if len(together) > 1:
                whole[name] = together
            else:
                single.extend(together)
    return single, whole


def _groups(places: Sequence[Place], indexes: list[int], few: int) -> dict[str, list[int]]:
    """Places of one file by what they are reported with: their function, their choice, or themselves alone."""
    functions: dict[str, list[int]] = {}
    for index in indexes:
        functions.setdefault(places[index].function, []).append(index)
    groups: dict[str, list[int]] = {}
    for function, inside in functions.items():
        for index in inside:
            choice = places[index].choice
            alone = f" {index}" if choice is None else f" {choice.offset}"
            name = places[index].span.file + " " + function + ("" if len(inside) >= few else alone)
            groups.setdefault(name, []).append(index)
    return groups


# -- what follows ----------------------------------------------------------------------------------


class _After(NamedTuple):
    """What may follow a point of the code.

    `queried`: an error query whose result is used. `asked`: that, or something out of sight that may be one.
    `near`: a query before the next launch, which then reports failed calls too. `told`: the next thing is a
    function out of sight that may report errors. `met`: a wait or a copy. `hidden`: anything out of sight that is
    of no library known to ask after nothing.
    """

    queried: bool = False
    asked: bool = False
    near: bool = False
    told: bool = False
    met: bool = False
    hidden: bool = False

    def joined(self, other: _After) -> _After:
        """What may follow when both ways may be gone."""
        return _After(*(a or b for a, b in zip(self, other, strict=True)))


class _Afterwards:
    """Walks effects backwards, knowing what may follow. Collects the numbers of launches and calls.

    `silent` are the qualified names of functions of another unit that ask after nothing.
    """

    def __init__(self, flow: HostFlow, silent: frozenset[str] = frozenset()) -> None:
        self.behind: list[tuple[str, _After, Run]] = []
        """What may follow the calls of silent functions, with the root that they are reached from."""
        self._silent = silent
        self.asked: set[int] = set()
        """Launches that something may ask after."""
        self.queried: set[int] = set()
        """Launches that a query in sight asks after."""
        self.reported: set[int] = set()
        """Calls whose errors a query reports before anything else is launched."""
        self._left: set[int] = set()
        self._met: set[int] = set()
        self._open = False
        for self._root in flow.host.roots:
            self._open = self._root.function.name != "main" and not _minds(self._root)
            self.backwards(self._root.body, _After())

    @property
    def unseen(self) -> set[int]:
        """Launches that only an unseen caller can ask after."""
        return self._left - self._met - self.asked

    def backwards(self, items: list[Item], after: _After) -> _After:
        """Note what stands before `after`; what may follow the start of these effects."""
        for item in reversed(items):
            after = self._before(item, after)
        return after

    def _before(self, item: Item, after: _After) -> _After:
        match item:
            case LaunchCall():
                return self._launch(item, after)
            case ApiCall():
                return self._call(item, after)
            case Choice():
                then = self.backwards(item.then, after)
                return self.backwards(item.otherwise, after).joined(then)._replace(told=False)
            case Loop():
                again = self.backwards(item.body, after).joined(after)
                return again if again == after else self.backwards(item.body, again).joined(after)
            case Enter():
                return self._enter(item, after)
            case NotUnderstood():
                return after._replace(asked=True, hidden=True)
            case _:
                return after

    def _enter(self, item: Enter, after: _After) -> _After:
        if after.near or after.told:
            self.reported.add(item.id)
        outside, self._open = self._open, self._open and not _minds(item.run)
        before = self.backwards(item.run.body, after._replace(told=False))
        self._open = outside
        return before._replace(told=False)

    def _launch(self, item: LaunchCall, after: _After) -> _After:
        if after.near or after.told:
            self.reported.add(item.id)
        if after.queried:
            self.queried.add(item.id)
        if after.asked:
            self.asked.add(item.id)
        (self._met if after.met or not self._open else self._left).add(item.id)
        return after._replace(near=False, told=False)

    def _call(self, item: ApiCall, after: _After) -> _After:
        if item.call.qualified in self._silent:
            self.behind.append((item.call.qualified, after, self._root))
            return after._replace(near=False, told=False)
        if item.name in ERROR_QUERIES and item.used:
            return _After(queried=True, asked=True, near=True, met=after.met, hidden=after.hidden)
        if (after.near or after.told) and isinstance(item.call.type, IntType) and item.call.type.name in _RUNTIME:
            self.reported.add(item.id)
        hidden = after.hidden or not _of_a_library(item)
        if may_do_anything(item):
            return after._replace(asked=True, told=_may_report(item.call), hidden=hidden)
        met = item.name in WAITS | BLOCKING_COPIES or item.name.startswith("cudaMemcpy")
        # A launch that is captured fails when the capture ends, or the graph is made.
        asked = item.name == _CAPTURED and item.used
        return after._replace(asked=after.asked or asked, told=False, met=after.met or met, hidden=hidden)


def _minds(run: Run) -> bool:
    """Whether a function itself looks at statuses of CUDA calls, or asks for errors."""
    own = items_of(run.body, enter=False)
    return any(isinstance(i, ApiCall) and i.used and is_status(i.call.type) for i in own)


def _of_a_library(call: ApiCall) -> bool:
    """Whether a function out of sight is of a library that asks after no launches."""
    known = call.name in STANDARD or call.is_timer or call.name.startswith(LIBRARIES)
    return known or call.call.qualified.startswith(NAMESPACES)


def _may_report(call: Call) -> bool:
    """Whether a function out of sight is told nothing but texts and numbers, as one that reports errors."""
    return call.name not in LEAVES and all(_is_constant(argument) for argument in call.args)


def _is_constant(expr: Expr) -> bool:
    while isinstance(expr, (Cast, AddressOf)):
        expr = expr.operand
    return isinstance(expr, Const)


# -- callers in other files ------------------------------------------------------------------------


class _Callers(NamedTuple):
    """What callers in other files do: one may ask after a call, or all are in sight and none can."""

    ask: bool = False
    never: bool = False


def _callers(program: TranslationUnit, function: Function, units: Sequence[TranslationUnit] | None) -> _Callers:
    """How the callers of a function treat its launches. `units` may call it; None where not all were read."""
    own = frozenset(f.qualified for f in program.functions.values() if f.kind is FunctionKind.HOST)
    ask, never, called = False, True, False
    for unit in units or ():
        if program.path in unit.files:  # it is part of that unit, and judged with it
            return _Callers()
        flow = HostFlow(unit)
        behind = _Afterwards(flow, own).behind
        fates = [(then, root) for name, then, root in behind if name == function.qualified]
        ask = ask or any(then.queried for then, _ in fates) or not (fates or flow.host.complete)
        never = never and not any(then.asked or then.hidden or root.function.name != "main" for then, root in fates)
        called = called or bool(fates)
    return _Callers(ask, never=called and never and not ask)
