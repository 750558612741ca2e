"""Which threads touch which memory cells: the bookkeeping under the race decision.

A *cell* is the largest power-of-two piece of an object that no access of a group straddles (1 to 16 bytes). Per
source site and cell only the first and the last lane that touch it are kept: two sites clash on a cell exactly
when their first and last lanes are not all one lane, and lanes are numbered block by block, warp by warp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from cudalint.lint.analysis.races_order import Stamped
from cudalint.lint.analysis.trace import OPAQUE, Access, AccessKind, Bools, Ints, Taint
from cudalint.lint.model.source import Span

Floats = npt.NDArray[np.float64]
SiteKey = tuple[Span, AccessKind, tuple[Span, ...], bool]
MAX_CELLS = 1 << 18
"""Above this many cells a group's touched cells are renumbered before they are tabulated."""
NO_LANE = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """One access with the cells it touches: `cells[i]` by `lanes[i]`, in lane order per byte offset."""

    stamped: Stamped
    lanes: Ints
    cells: Ints


@dataclass(slots=True, eq=False)
class Site:
    """A place in the source that accesses the object, with its executions in one group."""

    key: SiteKey
    touches: list[Touch] = field(default_factory=list)
    lanes: list[Ints] = field(default_factory=list)
    """The lanes of all executions, also on cells where nothing can clash."""
    lo: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    hi: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def kind(self) -> AccessKind:
        """What the site does."""
        return self.key[1]

    @property
    def writes(self) -> bool:
        """Whether the site changes memory."""
        return self.kind is not AccessKind.LOAD

    @property
    def maybe(self) -> bool:
        """Whether loaded data decide which lanes execute it."""
        return self.key[3]

    @property
    def undefined(self) -> bool:
        """Whether what is stored was never set: no two threads can be counted on to store the same."""
        return all(touch.stamped.access.value_taint & Taint.UNDEFINED for touch in self.touches)

    def within(self, part: Ints, parts: int) -> set[int]:
        """The parts (worlds) in which the site executes."""
        seen = np.zeros(parts, dtype=bool)
        for lanes in self.lanes:
            seen[part[lanes]] = True
        return set(np.flatnonzero(seen).tolist())

    @property
    def crowded(self) -> bool:
        """Whether several lanes touch one cell."""
        return bool(((self.lo != self.hi) & (self.hi >= 0)).any())

    def tabulate(self, cells: int) -> None:
        """Fill `lo` and `hi`: the first and last lane per cell (`NO_LANE` and -1 where none)."""
        self.lo = np.full(cells, NO_LANE, dtype=np.int64)
        self.hi = np.full(cells, -1, dtype=np.int64)
        for touch in self.touches:
            np.minimum.at(self.lo, touch.cells, touch.lanes)
            np.maximum.at(self.hi, touch.cells, touch.lanes)

    def values(self, chosen: Ints) -> tuple[Floats, Floats]:
        """The least and greatest value stored per chosen cell; NaN where a value is not known."""
        low, high = np.full(len(self.lo), np.inf), np.full(len(self.lo), -np.inf)
        for touch in self.touches:
            numbers = _numbers(touch.stamped.access)[touch.lanes]
            with np.errstate(invalid="ignore"):
                np.minimum.at(low, touch.cells, numbers)
                np.maximum.at(high, touch.cells, numbers)
        return low[chosen], high[chosen]


def _numbers(access: Access) -> Floats:
    """Stored values as comparable numbers; what is not numeric or not understood becomes NaN."""
    value = access.value
    if value is None or value.dtype.kind not in "biuf" or access.value_taint & Taint.UNKNOWN:
        return np.full(len(access.mask), np.nan)
    return value.astype(np.float64)


@dataclass(slots=True, eq=False)
class Group:
    """The accesses to one object that no barrier orders, by site, on the cells where they can clash.

    Sites tabulate only cells that some site writes and more than one lane touches; `scope` says for each in
    which block (or world) it lies, `start` at which byte of the object.
    """

    sites: list[Site]
    scope: Ints
    start: Ints


def make_group(members: Sequence[tuple[Stamped, Bools]], scope: Ints, scopes: int) -> Group | None:
    """Tabulate a group, or None when nothing in it can clash (no write, or every cell has one thread).

    `members` are accesses with the lanes that count; `scope` numbers per lane what is judged by itself.
    """
    members = [(stamped, mask) for stamped, mask in members if mask.any()]
    writes = [stamped.access.kind is not AccessKind.LOAD for stamped, _ in members]
    if not any(writes):
        return None
    granule = _granule(members)
    raw = [_expand(stamped, mask, granule) for stamped, mask in members]
    base = min(int(touch.cells.min()) for touch in raw)
    space = max(int(touch.cells.max()) for touch in raw) - base + 1
    names: Ints | None = None
    if space * scopes > MAX_CELLS:
        names = np.unique(np.concatenate([touch.cells for touch in raw]))
        space = len(names)
    numbered = [
        (touch.cells - base if names is None else np.searchsorted(names, touch.cells)) + scope[touch.lanes] * space
        for touch in raw
    ]
    hot = _crowded(numbered, raw, writes, space * scopes)
    if not len(hot):
        return None
    slot = np.full(space * scopes, -1, dtype=np.int64)
    slot[hot] = np.arange(len(hot))
    local = hot % space
    start = (names[local] if names is not None else local + base) * granule
    return Group(_sites(raw, [slot[cells] for cells in numbered]), hot // space, start)


def _crowded(numbered: Sequence[Ints], raw: Sequence[Touch], writes: Sequence[bool], cells: int) -> Ints:
    """The cells that some access writes and more than one lane touches."""
    low, high = np.full(cells, NO_LANE, dtype=np.int64), np.full(cells, -1, dtype=np.int64)
    written = np.zeros(cells, dtype=bool)
    for at, touch, write in zip(numbered, raw, writes, strict=True):
        np.minimum.at(low, at, touch.lanes)
        np.maximum.at(high, at, touch.lanes)
        if write:
            written[at] = True
    return np.flatnonzero(written & (low != high))


def _sites(raw: Sequence[Touch], slots: Sequence[Ints]) -> list[Site]:
    """The sites of a group with their executions on the cells that have a slot."""
    sites: dict[SiteKey, Site] = {}
    count = max(int(slot.max(initial=-1)) for slot in slots) + 1
    for touch, slot in zip(raw, slots, strict=True):
        access = touch.stamped.access
        key = (access.span, access.kind, access.calls, bool(access.mask_taint & OPAQUE))
        site = sites.setdefault(key, Site(key))
        site.lanes.append(touch.lanes)
        inside = slot >= 0
        if inside.any():
            site.touches.append(Touch(touch.stamped, touch.lanes[inside], slot[inside]))
    found = [site for site in sites.values() if site.touches]
    for site in found:
        site.tabulate(count)
    return found


def _granule(members: Iterable[tuple[Stamped, Bools]]) -> int:
    """The largest power of two, at most 16, that divides all sizes and addresses."""
    bits = 16
    for stamped, mask in members:
        addresses = stamped.access.address[mask]
        bits |= stamped.access.size | int(np.bitwise_or.reduce(addresses, initial=0))
    return bits & -bits


def _expand(stamped: Stamped, mask: Bools, granule: int) -> Touch:
    """The cells that an access touches, before renumbering."""
    lanes = np.flatnonzero(mask)
    first = stamped.access.address[lanes] // granule
    pieces = max(stamped.access.size // granule, 1)
    if pieces == 1:
        return Touch(stamped, lanes, first)
    cells = (first[None, :] + np.arange(pieces)[:, None]).ravel()
    return Touch(stamped, np.tile(lanes, pieces), cells)


def clash(a: Site, b: Site) -> Ints:
    """The cells that a lane touches at `a` and another lane at `b`."""
    both: Bools = (a.hi >= 0) & (b.hi >= 0)
    one: Bools = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
    return np.flatnonzero(both & ~one)


def apart(a: Site, b: Site, cells: Ints, part: Ints) -> Bools:
    """Of clashing cells, those whose lanes are not all in one part (`part`: warp or block per lane)."""
    low = part[np.minimum(a.lo[cells], b.lo[cells])]
    high = part[np.maximum(a.hi[cells], b.hi[cells])]
    return np.not_equal(low, high)
