"""What the memory requests of a kernel cost, access by access: the ground of the CUD1xx and CUD2xx rules.

Every execution of an access in a trace is costed per warp (`analysis.lanes`) and summed per *site*, the access
as it stands in the source, and per world, the sample set for what is not known. A verdict has to hold in every
world. An address that rests on memory content is judged only where that part of it is the same for a whole
warp, which shows in the distances between lanes being the same in all warps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import blake2b

import numpy as np
from cudalint.lint.analysis.lanes import SECTOR, WARP, Requests, global_requests, pieces, shared_requests
from cudalint.lint.analysis.memory_requests import requests_of, seen_running
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    Bools,
    Ints,
    LaneGrid,
    MemoryObject,
    Space,
    Taint,
    Trace,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import ArrayType, RecordType, Type

LINE = 128
"""Bytes of a line of the L1 cache: four sectors, and once around the banks of shared memory."""
WASTEFUL = 2.0
"""A request is wasteful from this multiple of its ideal on."""
FULL = 1.15
"""... if it also costs more than this multiple of the same request with all lanes active and contiguous."""
CONFLICT = 1.3
"""Shared accesses conflict from this mean of wavefronts over ideal on."""
FEW = 0.1
"""A share of the executions that does not decide."""
REGULAR = 6
"""Different distances between neighbouring lanes, per world, up to which an access follows a pattern."""
TELLING = 0.5
"""A world with fewer active lanes per request than this share of another's says nothing."""


class Verdict(Enum):
    """What can be said of a site."""

    FINE = "fine"
    BAD = "bad"
    DATA = "rests on memory content"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Cost:
    """Sums over the requests of one world; `worst` is the largest excess over ideal of one request."""

    requests: int
    active: int
    used: int
    ideal: int
    full: int
    worst: int

    @property
    def ratio(self) -> float:
        """Cost over ideal."""
        return self.used / self.ideal


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One access of the source under one launch shape.

    `access` is the execution with the largest excess, `events` all of them, `costs` those of the worlds in
    which it ran, `strides` the commonest distance in bytes between neighbouring lanes in each of them.
    """

    trace: Trace
    access: Access
    events: tuple[Access, ...]
    costs: tuple[Cost, ...]
    strides: tuple[int | None, ...]
    verdict: Verdict

    @property
    def span(self) -> Span:
        """Where the access stands."""
        return self.access.span

    @property
    def object(self) -> MemoryObject:
        """What is accessed."""
        return self.access.object

    @property
    def cost(self) -> Cost:
        """The cost in the world with the lowest ratio: what is certain."""
        return min(self.costs, key=lambda c: c.ratio)

    @property
    def stride(self) -> int | None:
        """The distance between neighbouring lanes in bytes, where all worlds agree (one sampled alone does not)."""
        alone = len(self.strides) < self.trace.lanes.worlds and self.access.address_taint & Taint.ASSUMED
        return self.strides[0] if len(set(self.strides)) == 1 and not alone else None

    @property
    def loops(self) -> int:
        """How many loops enclose the access."""
        return len(self.access.frames)


def judged(unit: Unit) -> dict[Trace, list[Site]]:
    """The global accesses of each trace of a unit's kernels."""
    return {trace: sites(trace, Space.GLOBAL) for kernel in unit.kernels for trace in unit.traces(kernel)}


def global_sites(unit: Unit) -> tuple[Site, ...]:
    """All global accesses of all kernels of a unit, judged, in source order."""
    return tuple(s for same in unit.once(judged).values() for s in same)


def shared_sites(unit: Unit) -> tuple[Site, ...]:
    """All shared accesses of all kernels of a unit, judged, in source order."""
    return tuple(s for kernel in unit.kernels for trace in unit.traces(kernel) for s in sites(trace, Space.SHARED))


def sites(trace: Trace, space: Space) -> list[Site]:
    """The accesses of a trace to one memory, grouped by the place in the source, judged."""
    groups: dict[tuple[Span, bool, int, int], list[Access]] = defaultdict(list)
    for access in requests_of(trace) if trace.accesses(space) else ():
        if access.object.space is not space:
            continue
        groups[access.span, access.kind is AccessKind.STORE, access.size, access.object.id].append(access)
    known: dict[object, Weight] = {}
    made = (_site(trace, space, group, known) for group in groups.values())
    return sorted((s for s in made if s is not None), key=lambda s: s.span.start)


@dataclass(frozen=True, slots=True)
class Weight:
    """What executions of an access cost in the worlds that tell, and which of them has the largest excess."""

    costs: tuple[Cost, ...]
    strides: tuple[int | None, ...]
    worst: int


def _weigh(events: Sequence[Access], lanes: LaneGrid, space: Space) -> Weight:
    event, world, requests = _requests(events, lanes, space)
    worlds = _telling(requests, world)
    excess = np.bincount(event, requests.used - requests.ideal, len(events))
    worst = int(excess.argmax())
    strides = tuple(lane_stride(events[worst], lanes, w) for w in worlds)
    return Weight(tuple(_cost(requests, world == w) for w in worlds), strides, worst)


def _pattern(events: Sequence[Access]) -> object:
    """Equal for executions of the same weight: by the same lanes, a whole number of lines of memory apart."""
    text = blake2b(digest_size=16)
    for event in events:
        text.update(event.mask.tobytes())
    where = np.concatenate([e.address[e.mask] for e in events])
    text.update((where - where[0] // LINE * LINE).tobytes())
    return events[0].size, alignment(events[0]), len(events), text.digest()


def _site(trace: Trace, space: Space, events: Sequence[Access], known: dict[object, Weight]) -> Site | None:
    """Cost and judge the executions of one access; None when no lane ever ran it."""
    events = [e for e in seen_running(events) if e.size and e.mask.any()]
    if not events:
        return None
    lanes = trace.lanes
    kinds = [claim(e, lanes) for e in events]
    clear = [e for e, kind in zip(events, kinds, strict=True) if kind is None]
    decided = len(clear) >= (1 - FEW) * len(events)
    basis = clear if decided else events
    pattern = _pattern(basis)
    if pattern not in known:
        known[pattern] = _weigh(basis, lanes, space)
    weight = known[pattern]
    costs, strides, sample = weight.costs, weight.strides, basis[weight.worst]
    verdict = Verdict.BAD if _bad(costs, space) else Verdict.FINE
    if space is Space.GLOBAL and all(s == sample.size for s in strides) and not _more_than_shifted(costs):
        verdict = Verdict.FINE
    if not decided and space is Space.GLOBAL and _small(sample):
        verdict = Verdict.FINE
    elif not decided and (verdict is Verdict.BAD or not _speaks(sample, lanes)):
        data = any(k is Verdict.DATA for k in kinds)
        verdict = Verdict.DATA if data else Verdict.UNDECIDED
        loaded = all(e.address_taint & OPAQUE in (Taint.EXACT, Taint.LOADED) for e in basis)
        if loaded and _bad_within_runs(basis, costs, lanes, space):
            verdict = Verdict.BAD
    if space is Space.GLOBAL and verdict is Verdict.BAD and _guessed(trace, sample, strides):
        verdict = Verdict.UNDECIDED
    return Site(trace, sample, tuple(events), costs, strides, verdict)


def _guessed(trace: Trace, access: Access, strides: Sequence[int | None]) -> bool:
    """Whether the distance between lanes is a multiple of a template argument that was made up.

    What stands for a number of elements per thread, or of a vector, is then no more than a guess.
    """
    if not trace.kernel.synthetic:
        return False
    size = access.object.element.size or 1
    numbers = [a.value for a in trace.kernel.template_args if isinstance(a.value, int) and a.value > 1]
    return any(stride and stride % (number * size) == 0 for stride in strides for number in numbers)


def _small(access: Access) -> bool:
    """Whether the whole object has no more sectors than one full contiguous request: no index can waste much."""
    size = access.object.size or 0
    return 0 < -(-size // SECTOR) <= -(-WARP * access.size // SECTOR)


def _telling(requests: Requests, world: Ints) -> list[int]:
    """The worlds that say something: those with not far fewer active lanes per request than the others."""
    found = [int(w) for w in np.flatnonzero(np.bincount(world))]
    lanes = {w: float(requests.active[world == w].mean()) for w in found}
    return [w for w in found if lanes[w] >= TELLING * max(lanes.values())]


def _bad_within_runs(events: Sequence[Access], costs: Sequence[Cost], lanes: LaneGrid, space: Space) -> bool:
    """Whether an access is bad whatever memory content says of the distances between runs of lanes.

    Where most neighbours are one fixed distance apart, the runs of lanes that keep it are rigid. The longest run
    of each warp costs what it costs, wherever the others lie.
    """
    kept = [longest_runs(e, lanes) for e in events]
    if any(e is None for e in kept):
        return False
    _, world, requests = _requests([e for e in kept if e is not None], lanes, space)
    least = [int(requests.used[world == w].sum()) for w in _telling(requests, world)]
    bounds = [replace(c, used=used) for c, used in zip(costs, least, strict=False)]
    return len(bounds) == len(costs) and _bad(bounds, space)


def longest_runs(event: Access, lanes: LaneGrid) -> Access | None:
    """The execution cut down to the longest run of each warp; None when no one distance prevails."""
    step, where = _steps(event.address, event.mask, lanes)
    if not len(step):
        return None
    values, counts = np.unique(step, return_counts=True)
    if counts.max() < len(step) / 2:
        return None
    breaks = np.ones(lanes.count, np.bool_)
    breaks[where[step == values[counts.argmax()]] + 1] = False
    run = np.cumsum(breaks) - 1
    length = np.bincount(run[event.mask], minlength=int(run[-1]) + 1)
    warp = lanes.warp[np.flatnonzero(breaks)]
    order = np.lexsort((-length, warp))
    best = order[np.unique(warp[order], return_index=True)[1]]
    return replace(event, mask=event.mask & np.isin(run, best))


def _requests(events: Sequence[Access], lanes: LaneGrid, space: Space) -> tuple[Ints, Ints, Requests]:
    """The requests of several executions of one access: the number of the execution, the world, the costs."""
    span = int(lanes.warp.max()) + 1
    worlds = np.zeros(span, np.int64)
    worlds[lanes.warp] = lanes.world
    parts: list[Requests] = []
    for offset, size in pieces(events[0].size, alignment(events[0])):
        masks = np.concatenate([e.mask for e in events])
        address = np.concatenate([e.address for e in events])[masks] + offset
        warp = np.concatenate([lanes.warp + i * span for i in range(len(events))])[masks]
        everyone = np.ones(len(address), np.bool_)
        if space is Space.SHARED:
            lane = np.tile(lanes.lane, len(events))[masks]
            parts.append(shared_requests(address, size, everyone, warp, lane))
        else:
            parts.append(global_requests(address, size, everyone, warp))
    both = Requests(
        *(np.concatenate([getattr(p, n) for p in parts]) for n in ("warp", "active", "used", "ideal", "full"))
    )
    return both.warp // span, worlds[both.warp % span], both


def recost(site: Site, events: Sequence[Access]) -> Cost:
    """What a site costs with other addresses in its events, in the world with the lowest ratio."""
    _, world, requests = _requests(events, site.trace.lanes, site.object.space)
    return min(_costs(requests, world), key=lambda c: c.ratio)


def worst_warp(site: Site) -> Ints:
    """The active lanes, as indices, of the warp that pays most in a site's costliest execution."""
    lanes, access = site.trace.lanes, site.access
    _, _, requests = _requests([access], lanes, site.object.space)
    warp = requests.warp[int((requests.used - requests.ideal).argmax())]
    return np.flatnonzero(access.mask & (lanes.warp == warp))


def _costs(requests: Requests, world: Ints) -> list[Cost]:
    """The costs of the worlds that have requests."""
    return [_cost(requests, world == w) for w in np.flatnonzero(np.bincount(world))]


def _cost(requests: Requests, chosen: Bools) -> Cost:
    """Add up the chosen requests."""
    used, ideal = requests.used[chosen], requests.ideal[chosen]
    return Cost(
        requests=int(chosen.sum()),
        active=int(requests.active[chosen].sum()),
        used=int(used.sum()),
        ideal=int(ideal.sum()),
        full=int(requests.full[chosen].sum()),
        worst=int((used - ideal).max()),
    )


def _bad(costs: Iterable[Cost], space: Space) -> bool:
    """Bad only if bad in every world."""
    if space is Space.SHARED:
        return all(c.used >= CONFLICT * c.ideal for c in costs)
    return all(c.used >= WASTEFUL * c.ideal and c.used > FULL * c.full for c in costs)


def _more_than_shifted(costs: Iterable[Cost]) -> bool:
    """Whether requests cost more than the one sector that a start in the middle of a sector adds."""
    return any(c.used - c.ideal > c.requests for c in costs)


def _speaks(access: Access, lanes: LaneGrid) -> bool:
    """Whether sampled addresses that cost little say so: not where they just fell together."""
    step, _ = _steps(access.address, access.mask, lanes)
    return not len(step) or bool(step.any())


def claim(access: Access, lanes: LaneGrid) -> Verdict | None:
    """Whether the lanes' addresses are known relative to each other: None if so, else why not."""
    opaque = access.address_taint & OPAQUE
    if not opaque:
        return None
    step, _ = _steps(access.address, access.mask, lanes)
    sampled = not opaque & (Taint.UNKNOWN | Taint.ATOMIC) and (not opaque & Taint.APPROXIMATE or bool(step.any()))
    if sampled and _same_in_all_warps(access, lanes):
        return None
    return Verdict.DATA if opaque & (Taint.LOADED | Taint.ATOMIC) else Verdict.UNDECIDED


def _same_in_all_warps(access: Access, lanes: LaneGrid) -> bool:
    """Whether neighbouring lanes are the same distances apart in all warps of each world.

    Memory content is sampled by address: content that differs between the lanes of a warp gives distances that
    differ from warp to warp and from lane to lane, content that a whole warp shares moves the warp as one.
    """
    step, where = _steps(access.address, access.mask, lanes)
    if not len(step):
        return True
    if len(np.unique(step)) > REGULAR * lanes.worlds:
        return False
    key = lanes.world[where] * 32 + lanes.lane[where]
    order = np.lexsort((step, key))
    key, step = key[order], step[order]
    same = key[1:] == key[:-1]
    return bool(same.any()) and bool((step[1:] == step[:-1])[same].all())


def _steps(address: Ints, mask: Bools, lanes: LaneGrid) -> tuple[Ints, Ints]:
    """Distances between neighbouring active lanes of a warp, and the index of the first of the two."""
    pair = mask[:-1] & mask[1:] & (lanes.warp[:-1] == lanes.warp[1:])
    where = np.flatnonzero(pair)
    return address[where + 1] - address[where], where


def lane_stride(access: Access, lanes: LaneGrid, world: int) -> int | None:
    """The commonest distance in bytes between neighbouring active lanes in one world, if there is one."""
    step, where = _steps(access.address, access.mask, lanes)
    step = step[lanes.world[where] == world]
    if not len(step):
        return None
    values, counts = np.unique(step, return_counts=True)
    return int(values[counts.argmax()])


def of_record(site: Site) -> RecordType | None:
    """The record whose array is accessed, when the lanes are whole records apart and none is a vector."""
    access = site.access
    whole = access.expr.type
    record = access.field_of or (whole if isinstance(whole, RecordType) else None)
    if not isinstance(record, RecordType) or record.size <= access.size == alignment(access):
        return None
    return record if all(s and s % record.size == 0 for s in site.strides) else None


def alignment(access: Access) -> int:
    """The alignment in bytes that the accessed type promises."""
    return type_alignment(access.expr.type, access.size)


def type_alignment(of: Type, size: int) -> int:
    """A type's alignment in bytes; `size` for scalars."""
    match of:
        case RecordType(align=align):
            return align
        case ArrayType(element=element):
            return type_alignment(element, element.size)
        case _:
            return size


def by_place(found: Iterable[Site], key: Callable[[Site], bool]) -> list[Site]:
    """One site for each place in the source for which `key` holds, the costliest.

    A block that is only assumed must hold under every assumption made for that kernel.
    """
    places: dict[tuple[str, int, int], list[Site]] = defaultdict(list)
    for site in found:
        places[site.span.start].append(site)
    chosen = []
    for group in places.values():
        firm = [s for s in group if key(s) and (s.trace.shape.block_known or _agrees(s, group, key))]
        if firm:
            chosen.append(max(firm, key=lambda s: (s.trace.shape.block_known, s.cost.ratio)))
    return chosen


def _agrees(site: Site, group: Iterable[Site], key: Callable[[Site], bool]) -> bool:
    """Whether all shapes of the site's kernel say the same."""
    kernel = site.trace.kernel.key
    return all(key(s) for s in group if s.trace.kernel.key == kernel)
