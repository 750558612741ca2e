"""Copies, and what their pointers lead to; pageable memory in asynchronous ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudalint.lint.analysis.hosteffects import ApiCall
from cudalint.lint.analysis.hostflow import WAITS, HostFlow, Visit
from cudalint.lint.analysis.hostvalues import (
    PAGEABLE,
    Memory,
    Object,
    Pointer,
    Term,
    Value,
    first_seen,
    integer,
)
from cudalint.lint.model.source import Span

TO_DEVICE, TO_HOST, ON_DEVICE, DEFAULT = 1, 2, 3, 4
"""Values of cudaMemcpyKind."""
ON_DEVICES = frozenset({Memory.DEVICE, Memory.DEVICE_ASYNC})
ON_HOSTS = PAGEABLE | {Memory.PINNED}
CHEAP = 64 * 1024
"""Bytes up to which the driver stages a copy from pageable memory without making the host wait long."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy call with its parts: positions are those of cudaMemcpy, cudaMemcpyAsync and the 2-D forms."""

    call: ApiCall
    visit: Visit
    target: Value
    source: Value
    bytes: Value | None
    kind: int | None
    asynchronous: bool


def copies(flow: HostFlow) -> Iterator[Copy]:
    """The copies between plain pointers."""
    for visit, call in flow.calls():
        asynchronous = call.name.endswith("Async")
        args = call.args
        if call.name in {"cudaMemcpy", "cudaMemcpyAsync"} and len(args) >= 3:
            kind = integer(args[3]) if len(args) > 3 else DEFAULT
            yield Copy(call, visit, args[0], args[1], args[2], kind, asynchronous)
        elif call.name in {"cudaMemcpy2D", "cudaMemcpy2DAsync"} and len(args) >= 7:
            size = Term("*", (args[4], args[5]), 3)
            yield Copy(call, visit, args[0], args[2], size, integer(args[6]), asynchronous)


def place_name(pointer: Pointer) -> str:
    """A pointer's target as a reader would call it: `model.loss`."""
    return ".".join([pointer.object.name, *(s for s in pointer.path if isinstance(s, str) and s[0] != "#")])


def leads_to(flow: HostFlow, value: Value) -> list[Object]:
    """The objects that a pointer may lead to: each side of its conditions; none when one is not known."""
    value = first_seen(value, flow.host.values)
    if isinstance(value, Pointer):
        return [value.object] if value.object.kind is not Memory.UNKNOWN else []
    if isinstance(value, Term) and value.op == "ite":
        sides = [leads_to(flow, side) for side in value.args[1:]]
        return [o for side in sides for o in side] if all(sides) else []
    return []


# -- pageable memory in asynchronous copies ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageableCopy:
    """An asynchronous copy from or to pageable memory. `waited`: the host waits right afterwards anyway.

    `others` are further ones of the same function, when there are many.
    """

    copy: Copy
    memory: Object
    name: str
    reads: bool
    bytes: int | None
    waited: bool
    others: tuple[PageableCopy, ...] = ()

    @property
    def more(self) -> tuple[Span, ...]:
        """Where the others stand."""
        return tuple(other.copy.call.span for other in self.others)

    @property
    def minor(self) -> bool:
        """Whether little is lost: the copy is small, or the host waits for it anyway."""
        return self.waited or (self.bytes is not None and self.bytes <= CHEAP)


MANY = 3
"""From more pageable copies of one function on, the first of them stands for all."""


def pageable_copies(flow: HostFlow) -> Iterator[PageableCopy]:
    """Asynchronous copies whose host side is known to be pageable, once per place; not those put into a graph."""
    groups: dict[str, list[PageableCopy]] = {}
    for found in _pageable_copies(flow):
        groups.setdefault(found.copy.call.function, []).append(found)
    for group in groups.values():
        if len(group) > MANY:
            group.sort(key=lambda c: (c.minor, c.copy.call.span.start))
            yield replace(group[0], others=tuple(group[1:]))
        else:
            yield from group


def _pageable_copies(flow: HostFlow) -> Iterator[PageableCopy]:
    seen: set[Span] = set()
    for copy in copies(flow):
        if not copy.asynchronous or copy.call.span in seen or copy.visit.order in flow.captured:
            continue
        side = _host_side(flow, copy)
        if side is None:
            continue
        memory, reads = side
        seen.add(copy.call.span)
        size = integer(copy.bytes)
        pointer = first_seen(copy.source if reads else copy.target, flow.host.values)
        name = place_name(pointer) if isinstance(pointer, Pointer) else memory.name
        yield PageableCopy(copy, memory, name, reads, size, _waits_next(flow, copy.visit))


def _host_side(flow: HostFlow, copy: Copy) -> tuple[Object, bool] | None:
    for value, kinds, reads in (
        (copy.source, {TO_DEVICE, DEFAULT}, True),
        (copy.target, {TO_HOST, DEFAULT}, False),
    ):
        objects = leads_to(flow, value)
        if copy.kind in kinds and objects and all(o.pageable for o in objects):
            return objects[0], reads
    return None


def _waits_next(flow: HostFlow, visit: Visit) -> bool:
    """Whether the next thing on the device's side after a copy is a wait."""
    for later in flow.visits[visit.order + 1 : visit.order + 40]:
        if later.root is not visit.root or later.loops != visit.loops:
            return False
        item = later.item
        if isinstance(item, ApiCall) and item.name.startswith("cuda"):
            if item.name in WAITS:
                return True
            if item.name not in {"cudaGetErrorString", "cudaGetErrorName", "cudaGetLastError"}:
                return False
    return False
