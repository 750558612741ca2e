"""What host loops repeat that they need not: allocations, waits, small copies, small launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudalint.lint.analysis.hosteffects import (
    ApiCall,
    HostAccess,
    LaunchCall,
    Leave,
    Loop,
    LoopKind,
    NotUnderstood,
    Store,
)
from cudalint.lint.analysis.hostflow import (
    BLOCKING_COPIES,
    RELEASES,
    HostFlow,
    Visit,
    items_of,
    may_do_anything,
    measurements,
    released,
)
from cudalint.lint.analysis.hoststate import place_path
from cudalint.lint.analysis.hostvalues import (
    AtomKind,
    Memory,
    Object,
    Pointer,
    Value,
    atoms,
    integer,
    parts,
)
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import For, UnknownStmt, While
from cudalint.lint.model.walk import walk

SHORT = 16
"""Loops known to run no more often than this are not worth a word."""
SMALL_COPY = 4096
"""Bytes up to which a copy's cost is its latency."""
FITTED = frozenset(
    {"cudaCreateTextureObject", "cudaCreateSurfaceObject", "cudaGraphCreate", "cudaGraphInstantiate", "cufftCreate"}
)
"""Handles that are made for what an iteration has at hand, and cannot be kept."""
COSTLY = frozenset({Memory.DEVICE, Memory.MANAGED, Memory.PINNED, Memory.RESOURCE})
"""Allocations that synchronise or cost tens of microseconds and more; stream-ordered ones do not."""


@dataclass(frozen=True, slots=True)
class LoopAllocation:
    """An allocation that a loop repeats, with the release in the same iteration, or at the start of the next.

    `release` is None where the end of `owner` gives it back: a device_vector, or an object of the project.
    `invariant`: the size is the same in every iteration. `more` are further ones of the same function.
    """

    call: ApiCall
    visit: Visit
    loop: Loop
    release: ApiCall | None
    invariant: bool
    span: Span
    """Where the iteration allocates: the call, or the construction of its owner."""
    owner: str = ""
    more: tuple[ApiCall, ...] = ()


def varies_with(value: Value, loop: Loop) -> bool:
    """Whether a value rests on what the loop changes, as far as that can be seen."""
    return any(a in loop.varying for a in atoms(value))


def loop_allocations(flow: HostFlow) -> Iterator[LoopAllocation]:
    """Allocations that are made and released in every iteration of a loop: the first of each function and loop."""
    sweeps = _sweeping_loops(flow)
    groups: dict[tuple[int, int], list[LoopAllocation]] = {}
    seen: set[Span] = set()
    for visit in flow.visits:
        found = _loop_allocation(flow, visit)
        if found is not None and found.span not in seen:
            seen.add(found.span)
            groups.setdefault((id(found.loop), visit.run.id), []).append(found)
    for first, *others in groups.values():
        if first.loop not in sweeps:
            yield replace(first, more=tuple(o.call for o in others))


def _sweeping_loops(flow: HostFlow) -> set[Loop]:
    """Loops in which the size of some allocation follows the counter: each iteration is a case of its own.

    A size that a counted loop only learns from data does not make it a sweep.
    """
    found: set[Loop] = set()
    for visit, call in flow.calls():
        size = call.made.bytes if call.made is not None else None
        loop = visit.loops[-1] if visit.loops else None
        if size is None or loop is None or loop.kind is LoopKind.CONDITION:
            continue
        if varies_with(size, loop) or (loop.kind is LoopKind.RANGE and not _fixed(size, loop)):
            found.add(loop)
    return found


def _loop_allocation(flow: HostFlow, visit: Visit) -> LoopAllocation | None:
    call = visit.item
    if not isinstance(call, ApiCall) or call.made is None or call.made.kind not in COSTLY or not visit.loops:
        return None
    loop = visit.loops[-1]
    if call.name in FITTED or visit.choices or _per_device(loop) or _short(loop) or not _works(loop):
        return None
    release = _released_in(loop, call)
    owner = _owner(flow, visit, call, loop) if release is None else None
    if release is None and owner is None:
        return None
    size = call.made.bytes
    if any(_sweeps(v, loop) if not isinstance(v, Pointer) else varies_with(v, loop) for v in _sizes(call)):
        return None
    if call.out is not None and any(varies_with(s, loop) for s in place_path(call.out)):
        return None
    name, span = owner or ("", call.span)
    return LoopAllocation(call, visit, loop, release, size is not None and _invariant(size, loop), span, name)


def _sizes(call: ApiCall) -> tuple[Value, ...]:
    """What decides how much is allocated: the size, or the arguments of a handle or a container."""
    assert call.made is not None
    if call.made.kind is Memory.RESOURCE or call.receiver is not None:
        return tuple(a for a in call.args if not (isinstance(a, Pointer) and a == call.out))
    return () if call.made.bytes is None else (call.made.bytes,)


def _released_in(loop: Loop, call: ApiCall) -> ApiCall | None:
    """The call that releases, in this iteration, or what the iteration before allocated into the same variable."""
    name = call.out.object.name if call.out is not None else ""
    for item in items_of(loop.body):
        value = released(item)
        if value is None or not isinstance(item, ApiCall):
            continue
        if any(p.object is call.made for p in _pointers(value)):
            return item
        if name and any(a.kind is AtomKind.LOOP and a.name == name for a in atoms(value)):
            return item
    return None


def _owner(flow: HostFlow, visit: Visit, call: ApiCall, loop: Loop) -> tuple[str, Span] | None:
    """The local object of an iteration whose end releases an allocation, by name, and where it allocates."""
    owner, span = (call.receiver, call.span) if call.receiver is not None else _constructed(flow, visit)
    if not isinstance(owner, Pointer) or owner.object.kind is not Memory.STACK or owner.object.id < loop.start:
        return None
    held = {owner.object, call.made}
    for inside in flow.visits:
        item = inside.item
        if loop not in inside.loops:
            continue
        returned = isinstance(item, Leave) and inside.run.function.key == owner.object.function
        stored = isinstance(item, Store) and item.where.object not in held
        value = item.value if isinstance(item, (Store, Leave)) and (returned or stored) else None
        if value is not None and any(p.object in held for p in _pointers(value)):
            return None
    return owner.object.name or "a temporary", span


def _constructed(flow: HostFlow, visit: Visit) -> tuple[Pointer | None, Span]:
    """The object whose constructor makes the allocation, where its destructor calls a release; where that is."""
    for enter in reversed(visit.enters):
        if isinstance(enter.call, Call) and enter.call.constructor:
            record = enter.run.function.receiver
            bodies = [
                f.body
                for f in flow.program.functions.values()
                if f.name.startswith("~") and f.receiver is not None and record is not None and f.receiver == record
            ]
            calls = {n.name for body in bodies if body is not None for n in walk(body) if isinstance(n, Call)}
            return (enter.run.this if calls & RELEASES else None), enter.span
    return None, visit.run.function.span


def _pointers(value: Value) -> Iterator[Pointer]:
    return (p for p in parts(value) if isinstance(p, Pointer))


def _short(loop: Loop) -> bool:
    return loop.trip is not None and loop.trip <= SHORT


def _per_device(loop: Loop) -> bool:
    """Whether each iteration is about another device."""
    for item in items_of(loop.body):
        if isinstance(item, ApiCall) and item.name in {"cudaSetDevice", "cuCtxSetCurrent", "cuCtxPushCurrent"}:
            return True
    return any(a.name == "cudaGetDeviceCount" for a in atoms(loop.condition))


def _works(loop: Loop) -> bool:
    """Whether the loop does device work: a launch, a copy, or a call of a library on the device."""
    for item in items_of(loop.body):
        if isinstance(item, LaunchCall):
            return True
        if isinstance(item, ApiCall) and item.name.startswith(("cudaMemcpy", "cublas", "cufft", "cusparse", "cudnn")):
            return True
        if isinstance(item, ApiCall) and item.call.qualified.startswith(("cub::", "thrust::")):
            return True
    return False


def _sweeps(size: Value, loop: Loop) -> bool:
    """Whether a counted loop goes through sizes: each iteration is a case of its own.

    A size that a call stores anew in each iteration (of scratch memory, of a result) is no sweep.
    """
    if loop.kind is LoopKind.CONDITION:
        return False
    told = {a for a in atoms(size) if a.kind is AtomKind.READ and a.memory is None and loop.kind is LoopKind.COUNTED}
    return varies_with(size, loop) or any(
        (a.id if a.since is None else a.since) >= loop.start for a in atoms(size) if a not in told
    )


def _fixed(size: Value, loop: Loop) -> bool:
    """Whether nothing in a size was first seen inside the loop."""
    return all((a.id if a.since is None else a.since) < loop.start for a in atoms(size))


def _invariant(size: Value, loop: Loop) -> bool:
    return not varies_with(size, loop) and _fixed(size, loop)


def is_fixed_in(value: Value, loop: Loop) -> bool:
    """Whether a value was known before a loop, and the loop does not change it."""
    return _invariant(value, loop) and all(p.object.id < loop.start for p in _pointers(value))


# -- waits -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoopWait:
    """A wait, or a small blocking copy, that a loop repeats without needing it."""

    call: ApiCall
    loop: Loop
    launch: LaunchCall
    bytes: int | None
    """Bytes of the copy; None for a wait."""


_WAITS = frozenset({"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize", "cuCtxSynchronize"})


def loop_waits(flow: HostFlow) -> Iterator[LoopWait]:
    """Waits in loops that launch kernels, where nothing in the loop looks at what was waited for."""
    seen: set[Span] = set()
    for visit in flow.visits:
        call = visit.item
        if not isinstance(call, ApiCall) or not visit.loops or call.span in seen:
            continue
        copy = call.name in BLOCKING_COPIES and _to_host(call)
        if call.name not in _WAITS and not copy:
            continue
        loop = visit.loops[-1]
        launch = next((i for i in items_of(loop.body) if isinstance(i, LaunchCall)), None)
        size = integer(call.args[2]) if copy and len(call.args) > 2 else None
        if launch is None or _short(loop) or (copy and (size is None or size > SMALL_COPY)):
            continue
        if visit.choices or _host_needs_order(loop, call):
            continue
        seen.add(call.span)
        yield LoopWait(call, loop, launch, size if copy else None)


def _to_host(call: ApiCall) -> bool:
    return call.name == "cudaMemcpyFromSymbol" or (len(call.args) > 3 and call.args[3] == 2)


def _host_needs_order(loop: Loop, wait: ApiCall) -> bool:
    """Whether host code in the loop may rest on the wait: it reads or writes memory, takes time, or is unknown."""
    target = wait.args[0] if wait.args and wait.name in BLOCKING_COPIES else None
    copied = target.object if isinstance(target, Pointer) else None
    for item in items_of(loop.body):
        if isinstance(item, HostAccess):
            if copied is None or item.object is copied:
                return True
        elif isinstance(item, NotUnderstood) or (
            isinstance(item, ApiCall) and item is not wait and _looks(item, copied)
        ):
            return True
    return any(a.kind is AtomKind.READ and a.id > loop.start for a in atoms(loop.condition))


def _looks(call: ApiCall, copied: Object | None) -> bool:
    if call.is_timer or may_do_anything(call) or call.name in {"usleep", "sleep", "time"}:
        return True
    if call.name in RELEASES:
        return copied is None
    if call.name.startswith("cuda"):
        other_copy = call.name in BLOCKING_COPIES or call.name.startswith("cudaMemcpyAsync")
        event = call.name in {"cudaEventElapsedTime", "cudaEventQuery", "cudaStreamQuery", "cudaSetDevice"}
        return event or (copied is None and other_copy)
    held = [p for a in (*call.args, call.receiver or 0) for p in _pointers(a)]
    if copied is not None:
        return any(p.object is copied for p in held)
    return any(p.object.kind not in {Memory.STACK, Memory.STATIC} for p in held) and call.name not in {
        "printf",
        "fprintf",
    }


# -- small launches --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TinyLaunch:
    """A launch of few threads that a loop repeats."""

    launch: LaunchCall
    loop: Loop
    threads: int


TINY = 1024
"""Threads in a whole grid up to which a launch costs more than the work it starts."""


def tiny_launches(flow: HostFlow) -> Iterator[TinyLaunch]:
    """Launches of at most `TINY` threads, of kernels without loops, in loops with nothing but launches.

    Kernels that a loop only repeats to measure them are left out, there and where they are warmed up.
    """
    seen: set[Span] = set()
    measured = _measured_kernels(flow)
    for visit, launch in flow.launches():
        extents = [integer(v) for v in (*launch.grid, *launch.block)]
        if not visit.loops or launch.span in seen or any(e is None for e in extents):
            continue
        threads = 1
        for extent in extents:
            threads *= extent or 0
        loop = visit.loops[-1]
        kernel = flow.kernel(launch)
        if kernel is None or _has_loops(flow, kernel):
            continue
        if visit.order in flow.captured or kernel.key in measured:
            continue
        if 0 < threads <= TINY and not _short(loop) and _only_launches(loop):
            seen.add(launch.span)
            yield TinyLaunch(launch, loop, threads)


def _measured_kernels(flow: HostFlow) -> set[str]:
    """Keys of the kernels that a loop between two readings of a clock launches, each time with the same arguments."""
    found: set[str] = set()
    for begin, end in measurements(flow):
        launches = [v for v in flow.visits[begin.order + 1 : end.order] if isinstance(v.item, LaunchCall)]
        for visit in launches:
            item = visit.item
            assert isinstance(item, LaunchCall)
            if len(visit.loops) <= len(begin.loops) or item.launch.key is None:
                continue
            loop = visit.loops[-1]
            if not any(varies_with(v, loop) for v in (*item.args, *item.grid, *item.block)):
                found.add(item.launch.key)
    return found


def _has_loops(flow: HostFlow, kernel: Function) -> bool:
    """Whether a kernel, or a function that it calls, loops: then it may run long, however few its threads."""
    waiting, seen = [kernel], {kernel.key}
    while waiting:
        function = waiting.pop()
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, (For, While, UnknownStmt)):
                return True
            callee = flow.program.functions.get(node.key) if isinstance(node, Call) and node.key else None
            if callee is not None and callee.key not in seen:
                seen.add(callee.key)
                waiting.append(callee)
    return False


def _only_launches(loop: Loop) -> bool:
    """Whether an iteration only launches: a graph could replace it."""
    for item in items_of(loop.body):
        if isinstance(item, (HostAccess, NotUnderstood)):
            return False
        if isinstance(item, ApiCall) and item.name not in {"cudaGetLastError", "cudaPeekAtLastError"}:
            return False
    return True
