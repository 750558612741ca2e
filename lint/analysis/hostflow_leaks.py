"""Allocations and handles that a function loses: on an early return, at its end, or over a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.hosteffects import (
    ApiCall,
    Choice,
    Enter,
    Item,
    LaunchCall,
    Leave,
    LeaveKind,
    Loop,
    NotUnderstood,
    Run,
    Store,
)
from cudalint.lint.analysis.hostflow import LIBRARIES, STANDARD, HostFlow, items_of, may_do_anything, released
from cudalint.lint.analysis.hoststate import place_path
from cudalint.lint.analysis.hostvalues import Atom, AtomKind, Memory, Object, Pointer, Term, Value, atoms, parts
from cudalint.lint.model.source import Span

OWNED = frozenset({Memory.DEVICE, Memory.DEVICE_ASYNC, Memory.MANAGED, Memory.PINNED, Memory.RESOURCE})
"""What is reported when it is lost. Plain host memory is other tools' business."""

_WORKING = (
    *("cudaMemcpy", "cudaMemset", "cudaGraphLaunch", "cudnn"),
    *("cublas", "cufft", "curand", "cusparse", "cusolver"),
)
"""How calls begin that put work on the device."""

MANY = 3
"""From more returns of one function on, the first stands for all."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that is lost at `span`: at a return, or (`in_loop`) at the allocation that overwrites it."""

    span: Span
    lost: tuple[Object, ...]
    run: Run
    in_loop: bool = False
    at_end: bool = False
    more: tuple[Span, ...] = ()
    """Further returns of the same function that lose something."""


@dataclass(slots=True)
class _Path:
    """What is owned on one way through a function."""

    live: dict[Object, ApiCall] = field(default_factory=dict)
    over: bool = False


class _Walk:
    """Follows one run of a function and notes what is lost where it ends."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.leaks: list[Leak] = []

    def items(self, items: list[Item], path: _Path) -> None:
        for item in items:
            if path.over:
                return
            self._item(item, path)

    def _item(self, item: Item, path: _Path) -> None:
        match item:
            case ApiCall():
                self._call(item, path)
            case Enter():
                for inner in items_of(item.run.body):
                    self._elsewhere(inner, path)
                _forget_all(path, (p.object for p in _pointers(item.run.args) if item.repeated))
            case Store():
                self._store(item, path)
            case Choice():
                self._choice(item, path)
            case Loop():
                self._loop(item, path)
            case Leave():
                self._leave(item, path)
            case LaunchCall() | NotUnderstood():
                pass

    def _call(self, call: ApiCall, path: _Path) -> None:
        value = released(call)
        if value is not None:
            _forget_all(path, (p.object for p in _pointers((value,))))
        elif _may_keep(call):
            _forget_all(path, (p.object for p in _pointers(call.args)))
        if call.made is not None and call.made.kind in OWNED and _is_local(call.out, self.run):
            path.live[call.made] = call

    def _elsewhere(self, item: Item, path: _Path) -> None:
        """What a called function does: releases and hand-overs count, its own allocations are its own business."""
        value = released(item)
        if value is not None:
            _forget_all(path, (p.object for p in _pointers((value,))))
        elif isinstance(item, Store) and not _is_local(item.where, self.run):
            _forget_all(path, (p.object for p in _pointers((item.value,))))
        elif isinstance(item, ApiCall) and _may_keep(item):
            _forget_all(path, (p.object for p in _pointers(item.args)))

    def _store(self, item: Store, path: _Path) -> None:
        if not _is_local(item.where, self.run):
            _forget_all(path, (p.object for p in _pointers((item.value,))))

    def _choice(self, item: Choice, path: _Path) -> None:
        then, otherwise = _Path(dict(path.live)), _Path(dict(path.live))
        for thing, call in path.live.items():
            fails = _failure_side(item.condition, call, thing)
            if fails is None:
                continue
            for side, truth in ((then, True), (otherwise, False)):
                if fails in {truth, "unclear"}:
                    side.live.pop(thing, None)
        self.items(item.then, then)
        self.items(item.otherwise, otherwise)
        path.over = then.over and otherwise.over
        ways = [w for w in (then, otherwise) if not w.over]
        if ways:
            kept = set(ways[0].live)
            for way in ways[1:]:
                kept = {o for o in kept | set(way.live) if all(o in w.live or o not in path.live for w in ways)}
            merged = {o: c for w in ways for o, c in w.live.items() if o in kept}
            path.live = merged

    def _loop(self, loop: Loop, path: _Path) -> None:
        before = set(path.live)
        inside = _Path(dict(path.live))
        self.items(loop.body, inside)
        gone = before - set(inside.live)
        _forget_all(path, gone)
        always = set(_without_branches(loop.body))
        for thing, call in inside.live.items():
            if thing in before or call not in always:
                continue
            overwritten = call.out is not None and not any(isinstance(s, (Atom, Term)) for s in place_path(call.out))
            repeats = loop.trip is None or loop.trip > 1
            leaves = any(isinstance(i, Leave) and i.kind is LeaveKind.BREAK for i in items_of(loop.body, enter=False))
            if overwritten and repeats and not leaves and not inside.over and not _released_later(loop, call):
                self.leaks.append(Leak(call.span, (thing,), self.run, in_loop=True))

    def _leave(self, item: Leave, path: _Path) -> None:
        path.over = True
        if item.kind is not LeaveKind.RETURN:
            return
        if item.value is not None:
            _forget_all(path, (p.object for p in _pointers((item.value,))))
        if path.live:
            self.leaks.append(Leak(item.span, tuple(path.live), self.run))


def _without_branches(items: list[Item]) -> Iterator[Item]:
    """The effects that every iteration has: what a branch does may be meant for the first one alone."""
    for item in items:
        yield item
        if isinstance(item, Loop):
            yield from _without_branches(item.body)


def _released_later(loop: Loop, call: ApiCall) -> bool:
    """Whether an iteration starts by releasing what the one before allocated into the same variable."""
    name = call.out.object.name if call.out is not None else ""
    for item in items_of(loop.body):
        value = released(item)
        if value is not None and any(a.kind is AtomKind.LOOP and a.name == name for a in atoms(value)):
            return True
    return False


def _may_keep(call: ApiCall) -> bool:
    """Whether a call may take over what it is given."""
    return call.made is None and not call.name.startswith(LIBRARIES) and call.name not in STANDARD


def _failure_side(condition: Value, call: ApiCall, thing: Object) -> bool | str | None:
    """On which side of a condition the allocation failed; None when it does not bear on it."""
    about = any(a.event == call.id for a in atoms(condition)) or any(
        isinstance(p, Pointer) and p.object is thing for p in parts(condition)
    )
    if not about:
        return None
    if isinstance(condition, Atom):
        return True
    if isinstance(condition, Pointer):
        return False
    if isinstance(condition, Term) and len(condition.args) == 2 and condition.args[1] == 0:
        subject = condition.args[0]
        status = isinstance(subject, Atom)
        if condition.op in {"!=", "=="} and (status or isinstance(subject, Pointer)):
            return (condition.op == "!=") is status
    if isinstance(condition, Term) and condition.op == "!" and isinstance(condition.args[0], (Pointer, Atom)):
        return isinstance(condition.args[0], Pointer)
    return "unclear"


def _pointers(values: tuple[Value, ...]) -> Iterator[Pointer]:
    """Where values may lead: what a loop changes leads at least to what it was at first."""
    for value in values:
        for part in parts(value):
            while isinstance(part, Atom) and part.first is not None:
                part = part.first
            if isinstance(part, Pointer):
                yield part


def _forget_all(path: _Path, things: Iterable[Object]) -> None:
    for thing in list(things):
        path.live.pop(thing, None)


def _is_local(place: Pointer | None, run: Run) -> bool:
    """Whether a place is a variable of this very function."""
    if place is None or place.object.kind is not Memory.STACK:
        return False
    return place.object.function == run.function.key


def leaks(flow: HostFlow) -> Iterator[Leak]:
    """What functions lose, once per place; of many returns of one function the first, with the others.

    What is held when the process ends goes with it: by `main`, or by a function after which `main` does no more
    device work. Returns inside a macro (a checking macro that
    bails out) are a style that cannot know what is owned, and are not reported.
    """
    seen: set[Span] = set()
    last = _last_runs(flow)
    for run in flow.host.runs:
        if any(isinstance(i, NotUnderstood) for i in items_of(run.body, enter=False)):
            continue
        found = [leak for leak in _leaks_of(run) if leak.span not in seen and (leak.in_loop or run.id not in last)]
        seen.update(leak.span for leak in found)
        returns = [leak for leak in found if not leak.in_loop and not leak.at_end]
        if len(returns) > MANY:
            found = [leak for leak in found if leak not in returns]
            found.append(replace(returns[0], more=tuple(leak.span for leak in returns[1:])))
        yield from found


def _leaks_of(run: Run) -> list[Leak]:
    walk = _Walk(run)
    path = _Path()
    walk.items(run.body, path)
    found = [leak for leak in walk.leaks if leak.in_loop or leak.span.macro is None]
    if not path.over and path.live:
        first = next(iter(path.live.values()))
        found.append(Leak(first.span, tuple(path.live), run, at_end=True))
    return found


def _last_runs(flow: HostFlow) -> set[int]:
    """Runs after which the process ends without further device work, wherever they are called: `main` first."""
    found: set[int] = set()
    calls: dict[int, list[Enter]] = {}
    ending: dict[Enter, bool] = {}
    for root in flow.host.roots:
        for item in items_of(root.body):
            if isinstance(item, Enter):
                calls.setdefault(item.run.id, []).append(item)
        if root.function.name == "main":
            found.add(root.id)
            _ends(root.body, ending, after=True, left=True)
    return found | {run for run, enters in calls.items() if all(ending.get(e, False) for e in enters)}


def _ends(items: list[Item], ending: dict[Enter, bool], *, after: bool, left: bool) -> bool:
    """Whether the process ends without device work from these items on; notes it for the calls among them.

    `after` says it of what follows the items, `left` of what follows the function that they are of.
    """
    for item in reversed(items):
        match item:
            case Leave():
                after = left if item.kind is LeaveKind.RETURN else item.kind is LeaveKind.EXIT
            case Choice():
                sides = [_ends(side, ending, after=after, left=left) for side in (item.then, item.otherwise)]
                after = all(sides)
            case Enter():
                ending[item] = after and ending.get(item, True)
                after = _ends(item.run.body, ending, after=after, left=after)
            case Loop():
                after = after and not any(map(_works, items_of(item.body)))
            case _:
                after = after and not _works(item)
    return after


def _works(item: Item) -> bool:
    """Whether something uses the device, or may, and not only to release, to wait or to report."""
    if not isinstance(item, ApiCall):
        return isinstance(item, (LaunchCall, NotUnderstood))
    if item.made is not None:
        return item.made.kind in OWNED
    of_device = ("thrust::", "cub::")
    return item.name.startswith(_WORKING) or item.call.qualified.startswith(of_device) or may_do_anything(item)
