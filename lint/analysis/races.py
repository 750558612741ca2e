"""Races: two threads, one element, no barrier between, at least one write.

Decided over an executed trace: every pair of source sites that touch an object between the same barriers is
judged over all threads of the representative blocks. A race is reported only if it shows in every world (set of
sample values) in which both sites execute, so that it does not hang on what an unknown parameter was taken to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from itertools import combinations_with_replacement

import numpy as np
from cudalint.lint.analysis.races_cells import NO_LANE, Group, Site, SiteKey, Touch, apart, clash, make_group
from cudalint.lint.analysis.races_order import Order, Stamped
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

MAX_WARP_PAIRS = 256
"""Pairs of executions of two sites that are compared for ordering within a warp."""


class Reach(Enum):
    """How far apart the racing threads are, hence which barrier is missing."""

    WARP = "warp"
    BLOCK = "block"
    GRID = "grid"


@dataclass(frozen=True, slots=True, eq=False)
class Party:
    """One side of a race: the access, the lane that makes it, and its place in the trace."""

    access: Access
    lane: int
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """Two accesses that nothing orders. `first` comes first in the trace; `offset` is where they meet (bytes).

    `certain` is False when loaded data decide whether one of the sides executes.
    """

    reach: Reach
    object: MemoryObject
    first: Party
    second: Party
    offset: int
    certain: bool

    @property
    def one_instruction(self) -> bool:
        """Whether both sides are one execution of one store."""
        return self.first.position == self.second.position


@dataclass(slots=True)
class _Tally:
    """What is known of a pair of sites so far: worlds in which both execute, worlds in which they race."""

    seen: set[int] = field(default_factory=set)
    hit: dict[Reach, set[int]] = field(default_factory=lambda: defaultdict(set))
    witness: dict[Reach, Race] = field(default_factory=dict)
    meetings: dict[int, Ints] = field(default_factory=dict)
    """By world, the pairs of threads of a block that meet in global memory."""

    def verdict(self) -> Race | None:
        """The race that shows in every world in which both sites execute, the one within a block first.

        Threads that meet in global memory have to be the same ones in every world: `a[i]` and `a[i + n]` touch for
        any value of `n` that is tried, each time between others, and a caller gives one with which they do not.
        """
        if self.meetings and not len(reduce(np.intersect1d, self.meetings.values())):
            return None
        for reach in (Reach.BLOCK, Reach.GRID, Reach.WARP):
            if self.hit[reach] and self.hit[reach] >= self.seen:
                return self._of_warp() or self.witness[reach]
        mixed = self.hit[Reach.BLOCK] | self.hit[Reach.WARP]
        if self.hit[Reach.BLOCK] and mixed >= self.seen:
            return self.witness[Reach.BLOCK]
        return None

    def _of_warp(self) -> Race | None:
        """The race within a warp where one between warps takes more threads than the code may be meant for.

        Code on volatile shared memory counts on warps in lockstep; whether its groups of threads are larger than a
        warp is not known where their size is sampled.
        """
        race = self.witness.get(Reach.BLOCK)
        if race is None or not self.hit[Reach.WARP] >= self.seen or race.object.space is not Space.SHARED:
            return None
        sides = (race.first.access, race.second.access)
        sampled = any((a.address_taint | a.mask_taint) & Taint.ASSUMED for a in sides)
        return self.witness.get(Reach.WARP) if sampled and all(a.volatile for a in sides) else None


def find_races(trace: Trace) -> tuple[Race, ...]:
    """The races of a trace within a block, and for global memory between blocks, at most one per site pair."""
    order = Order(trace)
    by_object: dict[int, list[Stamped]] = defaultdict(list)
    for stamped in order.accesses:
        if _supports_claims(stamped.access):
            by_object[stamped.access.object.id].append(stamped)
    finder = _Finder(trace, order)
    races: list[Race] = []
    for members in by_object.values():
        if any(m.access.kind is not AccessKind.LOAD for m in members):
            races.extend(finder.of_object(members))
    return tuple(sorted(races, key=lambda r: (r.second.position, r.first.position)))


def _supports_claims(access: Access) -> bool:
    """Whether an access can take part in a claim: its address is known lane by lane."""
    return (
        access.object.space in (Space.SHARED, Space.GLOBAL)
        and not access.address_taint & OPAQUE
        and not access.mask_taint & Taint.UNKNOWN
    )


class _Finder:
    """Finds the races on one object after another."""

    def __init__(self, trace: Trace, order: Order) -> None:
        self.lanes: LaneGrid = trace.lanes
        self.order = order
        self.cta_world: Ints = np.zeros(order.ctas, dtype=np.int64)
        self.cta_world[self.lanes.cta] = self.lanes.world

    def of_object(self, members: Sequence[Stamped]) -> Iterator[Race]:
        """The races on the object that all these accesses touch."""
        pairs: dict[tuple[SiteKey, SiteKey], _Tally] = defaultdict(_Tally)
        for group_members in _block_groups(members, self.lanes):
            group = make_group(group_members, self.lanes.cta, self.order.ctas)
            if group is not None:
                self._in_block(group, pairs)
        if members[0].access.object.space is Space.GLOBAL:
            for grid_members in _grid_groups(members):
                group = make_group(grid_members, self.lanes.world, self.lanes.worlds)
                if group is not None:
                    self._between_blocks(group, pairs)
        for tally in pairs.values():
            race = tally.verdict()
            if race is not None:
                yield race

    def _in_block(self, group: Group, pairs: dict[tuple[SiteKey, SiteKey], _Tally]) -> None:
        for a, b in _candidates(group.sites, between_blocks=False):
            tally = pairs[_pair_key(a, b)]
            tally.seen |= self._worlds_of_both(a, b)
            hot = clash(a, b)
            hot = hot[~_benign(a, b, hot)] if len(hot) else hot
            if not len(hot):
                continue
            if group.sites[0].touches[0].stamped.access.object.space is Space.GLOBAL:
                self._note_meetings(tally, a, b, hot)
            far = apart(a, b, hot, self.lanes.warp)
            self._note(tally, Reach.BLOCK, group, a, b, hot[far], self.cta_world)
            self._note_warp(tally, group, a, b, hot[~far])

    def _between_blocks(self, group: Group, pairs: dict[tuple[SiteKey, SiteKey], _Tally]) -> None:
        worlds = np.arange(self.lanes.worlds)
        for a, b in _candidates(group.sites, between_blocks=True):
            tally = pairs[_pair_key(a, b)]
            tally.seen |= self._worlds_of_both(a, b)
            hot = clash(a, b)
            if len(hot):
                hot = hot[apart(a, b, hot, self.lanes.cta)]
            hot = hot[~_benign(a, b, hot)] if len(hot) else hot
            if len(hot):
                self._note(tally, Reach.GRID, group, a, b, hot, worlds)

    def _worlds_of_both(self, a: Site, b: Site) -> set[int]:
        world, count = self.lanes.world, self.lanes.worlds
        return a.within(world, count) & b.within(world, count)

    def _note(self, tally: _Tally, reach: Reach, group: Group, a: Site, b: Site, hot: Ints, world: Ints) -> None:
        """Record clashes between different warps or blocks, with a witness."""
        if not len(hot):
            return
        tally.hit[reach] |= set(world[group.scope[hot]].tolist())
        if reach in tally.witness:
            return
        cell = int(hot[0])
        part = self.lanes.cta if reach is Reach.GRID else self.lanes.warp
        ends = [(x, y) for x in (a.lo[cell], a.hi[cell]) for y in (b.lo[cell], b.hi[cell])]
        lane_a, lane_b = next((int(x), int(y)) for x, y in ends if part[x] != part[y])
        touch_a, touch_b = _closest(_touching(a, lane_a, cell), _touching(b, lane_b, cell))
        tally.witness[reach] = _race(reach, group, (touch_a, lane_a, a), (touch_b, lane_b, b), cell)

    def _note_meetings(self, tally: _Tally, a: Site, b: Site, hot: Ints) -> None:
        """Record which threads of a block meet on clashing cells: each at one side with the first at the other."""
        lanes = self.lanes
        width = int(lanes.thread.max()) + 1
        for site, other in ((a, b), (b, a)):
            for touch in site.touches:
                chosen = np.isin(touch.cells, hot)
                at, to = touch.lanes[chosen], other.lo[touch.cells[chosen]]
                one, two = (at, to) if site is a else (to, at)
                pairs = np.where(at == to, -1, lanes.thread[one] * width + lanes.thread[two])
                for world in np.unique(lanes.world[at]).tolist():
                    found = np.unique(pairs[(lanes.world[at] == world) & (pairs >= 0)])
                    tally.meetings[world] = np.union1d(tally.meetings.get(world, found), found)

    def _note_warp(self, tally: _Tally, group: Group, a: Site, b: Site, hot: Ints) -> None:
        """Record clashes among lanes of one warp that no warp barrier orders."""
        if not len(hot):
            return
        for touch_a, touch_b in _executions(a, b):
            if touch_a is touch_b:
                lo, hi = _ends(touch_a, hot)
                found = np.flatnonzero((hi >= 0) & (lo != hi))
                pairs = lo[found], hi[found]
                reach = Reach.BLOCK
            else:
                found, *pairs_list = self._unordered(touch_a, touch_b, hot)
                pairs = pairs_list[0], pairs_list[1]
                reach = Reach.WARP
            if not len(found):
                continue
            tally.hit[reach] |= set(self.cta_world[group.scope[hot[found]]].tolist())
            if reach not in tally.witness:
                sides = (touch_a, int(pairs[0][0]), a), (touch_b, int(pairs[1][0]), b)
                tally.witness[reach] = _race(reach, group, *sides, int(hot[found[0]]))

    def _unordered(self, a: Touch, b: Touch, hot: Ints) -> tuple[Ints, Ints, Ints]:
        """Indices into `hot`, and lanes of `a` and `b`, that clash with no warp barrier between."""
        (lo_a, hi_a), (lo_b, hi_b) = _ends(a, hot), _ends(b, hot)
        present = (hi_a >= 0) & (hi_b >= 0)
        first, second = sorted((a.stamped.position, b.stamped.position))
        for x, y in ((lo_a, hi_b), (hi_a, lo_b), (lo_a, lo_b), (hi_a, hi_b)):
            index = np.flatnonzero(present & (x != y))
            if len(index):
                index = index[~self.order.warp_ordered(first, second, x[index], y[index])]
            if len(index):
                return index, x[index], y[index]
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing


def _block_groups(members: Sequence[Stamped], lanes: LaneGrid) -> Iterator[list[tuple[Stamped, Bools]]]:
    """Split the accesses to an object at the barriers of the block."""
    groups: dict[int, list[tuple[Stamped, Bools]]] = defaultdict(list)
    known: dict[int, list[int]] = {}
    for member in members:
        epochs = known.get(id(member.epochs))
        if epochs is None:
            epochs = known[id(member.epochs)] = np.unique(member.epochs).tolist()
        for epoch in epochs:
            mask = member.access.mask
            if len(epochs) > 1:
                mask = mask & (member.epochs == epoch)[lanes.cta]
            groups[epoch].append((member, mask))
    yield from groups.values()


def _grid_groups(members: Sequence[Stamped]) -> Iterator[list[tuple[Stamped, Bools]]]:
    """Split the accesses to an object at the barriers of the grid."""
    groups: dict[int, list[tuple[Stamped, Bools]]] = defaultdict(list)
    for member in members:
        groups[member.grid].append((member, member.access.mask))
    yield from groups.values()


def _candidates(sites: Sequence[Site], between_blocks: bool) -> Iterator[tuple[Site, Site]]:
    """The pairs of sites that can race: one writes, and not both are atomic.

    A thread that data pick (`if (key == mine) found = i`) may be the only one at both sites: no candidate.
    Between blocks, an atomic of block scope is no better than a plain access.
    """
    for a, b in combinations_with_replacement(sites, 2):
        if not (a.writes or b.writes) or (a is b and a.maybe):
            continue
        if a.maybe and b.maybe and (a.crowded or b.crowded):
            continue
        if a.kind is AccessKind.ATOMIC and b.kind is AccessKind.ATOMIC and not (between_blocks and _narrow(a, b)):
            continue
        if _polling(a, b) or _polling(b, a):
            continue
        yield a, b


def _narrow(a: Site, b: Site) -> bool:
    """Whether one of two atomics reaches its own block only."""
    return "block" in (a.touches[0].stamped.access.scope, b.touches[0].stamped.access.scope)


def _polling(a: Site, b: Site) -> bool:
    """Whether `a` peeks at a global variable that `b` changes atomically: done on purpose where it is done."""
    access = a.touches[0].stamped.access
    return a.kind is AccessKind.LOAD and b.kind is AccessKind.ATOMIC and access.object.space is Space.GLOBAL


def _pair_key(a: Site, b: Site) -> tuple[SiteKey, SiteKey]:
    key = (a.key, b.key)
    return key if _sort_key(a.key) <= _sort_key(b.key) else (b.key, a.key)


def _sort_key(key: SiteKey) -> tuple[object, ...]:
    span, kind, calls, maybe = key
    return (*span.start, span.end_offset, kind.value, tuple(c.start for c in calls), maybe)


def _benign(a: Site, b: Site, cells: Ints) -> Bools:
    """Of clashing cells, those where no order of the two sides makes a difference that we could claim.

    All stores store one value; or the value is not known and one store statement is all there is; or a load
    follows the loading thread's own store of the very value (or one not known) that the others store.
    """
    if a.writes and b.writes and AccessKind.ATOMIC in (a.kind, b.kind):
        return np.zeros(len(cells), dtype=bool)
    low, high = np.full(len(cells), np.inf), np.full(len(cells), -np.inf)
    for site in (a, b):
        if site.writes:
            site_low, site_high = site.values(cells)
            low, high = np.minimum(low, site_low), np.maximum(high, site_high)
    same: Bools = low == high
    if a is b:
        if a.undefined:
            return np.zeros(len(cells), dtype=bool)
        unclear: Bools = same | (np.isnan(low) & ~_straddled(a, cells))
        return unclear
    if a.writes and b.writes:
        return same
    store, load = (a, b) if a.writes else (b, a)
    same = same | np.isnan(low)
    if not same.any():
        return same
    harmless: Bools = same & ~_reads_before_own_store(store, load, cells)
    return harmless


def _straddled(site: Site, cells: Ints) -> Bools:
    """Of these cells, those that accesses with different starts overlap in: whatever is stored differs."""
    low, high = np.full(len(site.lo), NO_LANE, dtype=np.int64), np.full(len(site.lo), -1, dtype=np.int64)
    for touch in site.touches:
        starts = touch.stamped.access.address[touch.lanes]
        np.minimum.at(low, touch.cells, starts)
        np.maximum.at(high, touch.cells, starts)
    return np.not_equal(low[cells], high[cells])


def _reads_before_own_store(store: Site, load: Site, cells: Ints) -> Bools:
    """Of these cells, those that a lane loads without having stored to them itself before, at `store`."""
    foreign = np.zeros(len(cells), dtype=bool)
    for touch in load.touches:
        chosen = np.isin(touch.cells, cells)
        where, lanes = touch.cells[chosen], touch.lanes[chosen]
        mine = np.zeros(len(where), dtype=bool)
        for earlier in store.touches:
            if earlier.stamped.position < touch.stamped.position:
                width = int(max(lanes.max(initial=0), earlier.lanes.max(initial=0))) + 1
                mine |= np.isin(where * width + lanes, earlier.cells * width + earlier.lanes)
        foreign[np.searchsorted(cells, where[~mine])] = True
    return foreign


def _ends(touch: Touch, cells: Ints) -> tuple[Ints, Ints]:
    """The first and last lane of one execution per cell (sorted `cells`); -1 where none touches it."""
    slot = np.searchsorted(cells, touch.cells)
    slot[slot == len(cells)] = 0
    inside = cells[slot] == touch.cells
    lo = np.full(len(cells), np.iinfo(np.int64).max)
    hi = np.full(len(cells), -1, dtype=np.int64)
    np.minimum.at(lo, slot[inside], touch.lanes[inside])
    np.maximum.at(hi, slot[inside], touch.lanes[inside])
    return lo, hi


def _executions(a: Site, b: Site) -> Iterator[tuple[Touch, Touch]]:
    """Pairs of executions of two sites, near ones first, up to a limit."""
    if a is b:
        pairs = [(x, y) for i, x in enumerate(a.touches) for y in a.touches[i:]]
    else:
        pairs = [(x, y) for x in a.touches for y in b.touches]
    pairs.sort(key=lambda p: abs(p[0].stamped.position - p[1].stamped.position))
    yield from pairs[:MAX_WARP_PAIRS]


def _touching(site: Site, lane: int, cell: int) -> list[Touch]:
    """The executions of a site in which a lane touches a cell."""
    return [t for t in site.touches if bool(((t.lanes == lane) & (t.cells == cell)).any())]


def _closest(a: Sequence[Touch], b: Sequence[Touch]) -> tuple[Touch, Touch]:
    return min(
        ((x, y) for x in a for y in b),
        key=lambda p: (abs(p[0].stamped.position - p[1].stamped.position), p[0].stamped.position),
    )


def _race(reach: Reach, group: Group, a: tuple[Touch, int, Site], b: tuple[Touch, int, Site], cell: int) -> Race:
    sides = [Party(t.stamped.access, lane, t.stamped.position) for t, lane, _ in (a, b)]
    first, second = sorted(sides, key=lambda p: (p.position, p.lane))
    certain = not (a[2].maybe or b[2].maybe)
    return Race(reach, first.access.object, first, second, int(group.start[cell]), certain)
