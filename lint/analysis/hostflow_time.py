"""Measurements of time that do not wait for what they measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hosteffects import ApiCall, Item, LaunchCall, NotUnderstood
from cudalint.lint.analysis.hostflow import (
    BLOCKING_COPIES,
    RELEASES,
    WAITS,
    HostFlow,
    Visit,
    may_do_anything,
    measurements,
)
from cudalint.lint.analysis.hostvalues import Value
from cudalint.lint.model.source import Span

_ALSO_WAIT = frozenset(
    {
        "cudaStreamQuery",
        "cudaEventQuery",
        "cudaDeviceReset",
        "cudaMemset",
        "cudaMalloc",
        "cudaMallocHost",
        "cudaHostAlloc",
        "cudaEventElapsedTime",
    }
)
"""Calls that wait, or poll until something is done, or may."""

_LIBRARIES = ("cublas", "cufft", "cusparse", "cusolver", "curand", "cudnn", "nccl", "MPI_")
"""Libraries some of whose calls return results to the host, and so wait."""


@dataclass(frozen=True, slots=True)
class Unwaited:
    """A clock is read at `span` while the kernel launched at `launch` may still be running."""

    span: Span
    clock: str
    begin: Span
    launch: LaunchCall
    function: str


def unwaited_measurements(flow: HostFlow) -> Iterator[Unwaited]:
    """Host clocks read twice around a launch, with nothing between launch and second reading that waits."""
    seen: set[Span] = set()
    for first, second in measurements(flow):
        found = _between(flow, first, second)
        if found is not None and found.span not in seen:
            seen.add(found.span)
            yield found


def _between(flow: HostFlow, first: Visit, second: Visit) -> Unwaited | None:
    pending: tuple[LaunchCall, Visit] | None = None
    for visit in flow.visits[first.order + 1 : second.order]:
        item = visit.item
        if isinstance(item, LaunchCall):
            if visit.order not in flow.captured and not is_empty(flow, item):
                pending = (item, visit)
        elif isinstance(item, ApiCall) and "thrust" in item.call.qualified:
            return None  # its containers allocate and free, which waits, where no statement shows it
        elif waits(item):
            pending = None
    if pending is None or not isinstance(second.item, ApiCall):
        return None
    launch, place = pending
    return Unwaited(
        _seen_from(second, place), second.item.name, _seen_from(first, place), launch, place.run.function.qualified
    )


def is_empty(flow: HostFlow, launch: LaunchCall) -> bool:
    """Whether a kernel's body has no statement: only its launch can be meant."""
    kernel = flow.kernel(launch)
    return kernel is not None and kernel.body is not None and not kernel.body.body


def _seen_from(reading: Visit, launch: Visit) -> Span:
    """Where a clock reading stands for somebody who reads the function that launches: the call of its helper."""
    shared = 0
    for one, two in zip(reading.enters, launch.enters, strict=False):
        if one is not two:
            break
        shared += 1
    outer = reading.enters[shared:]
    span = getattr(reading.item, "span", None)
    assert isinstance(span, Span)
    return outer[0].span if outer else span


def waits(item: Item) -> bool:
    """Whether the host waits for the device here, or may: libraries and functions out of sight may."""
    if not isinstance(item, ApiCall):
        return isinstance(item, NotUnderstood)
    if item.name in WAITS or item.name in BLOCKING_COPIES or item.name in _ALSO_WAIT:
        return True
    if item.name in RELEASES and item.name not in {"free", "delete", "cudaFreeAsync"}:
        return True
    if item.name.startswith(_LIBRARIES):
        return True
    return may_do_anything(item) or "thrust" in item.call.qualified or "cub::" in item.call.qualified


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """cudaEventElapsedTime is asked at `call` while the event recorded at `record` may be pending."""

    call: ApiCall
    record: ApiCall


def pending_events(flow: HostFlow) -> Iterator[PendingEvent]:
    """Calls of cudaEventElapsedTime right after the stop event was recorded, with no wait between."""
    seen: set[Span] = set()
    recorded: dict[Value, ApiCall] = {}
    for visit in flow.visits:
        item = visit.item
        if visit.order and visit.root is not flow.visits[visit.order - 1].root:
            recorded.clear()
        if not isinstance(item, ApiCall):
            continue
        if item.name == "cudaEventRecord" and item.args:
            recorded[item.args[0]] = item
        elif item.name == "cudaEventElapsedTime" and len(item.args) > 2:
            record = recorded.get(item.args[2])
            if record is not None and item.span not in seen:
                seen.add(item.span)
                yield PendingEvent(item, record)
        elif waits(item):
            recorded.clear()


@dataclass(frozen=True, slots=True)
class Cold:
    """A measurement from `begin` to `end` of one launch of a kernel that was never launched before."""

    begin: Span
    end: Span
    launch: LaunchCall


def cold_measurements(flow: HostFlow) -> Iterator[Cold]:
    """Measurements in `main`, by a host clock or by events, that the first launch of a kernel is part of.

    Those of a loop of launches, and those that a loop repeats, are left out: there the first counts for little.
    """
    first: dict[str, int] = {}
    for visit, launch in flow.launches():
        if visit.root.function.name == "main" and launch.launch.key and visit.order not in flow.captured:
            first.setdefault(launch.launch.key, visit.order)
    seen: set[Span] = set()
    for begin, end in (*measurements(flow), *_event_measurements(flow)):
        for visit in flow.visits[begin.order + 1 : end.order]:
            item = visit.item
            if not isinstance(item, LaunchCall) or visit.loops or begin.loops:
                continue
            cold = item.launch.key is not None and first.get(item.launch.key) == visit.order
            if cold and item.span not in seen and not is_empty(flow, item):
                seen.add(item.span)
                yield Cold(_seen_from(begin, visit), _seen_from(end, visit), item)


def _event_measurements(flow: HostFlow) -> Iterator[tuple[Visit, Visit]]:
    """The recordings of the two events that each cudaEventElapsedTime is asked about."""
    recorded: dict[Value, Visit] = {}
    for visit in flow.visits:
        item = visit.item
        if isinstance(item, ApiCall) and item.name == "cudaEventRecord" and item.args:
            recorded[item.args[0]] = visit
        elif isinstance(item, ApiCall) and item.name == "cudaEventElapsedTime" and len(item.args) > 2:
            begin, end = recorded.get(item.args[1]), recorded.get(item.args[2])
            if begin is not None and end is not None and begin.root is end.root and begin.order < end.order:
                yield begin, end
