"""How the threads of a block share what they read: vectors that could be formed, tiles that are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.lanes import SECTOR
from cudalint.lint.analysis.memory import Site, Verdict, sites, worst_warp
from cudalint.lint.analysis.memory_requests import iterations
from cudalint.lint.analysis.trace import Access, AccessKind, Ints, Space, Trace
from cudalint.lint.model.source import Span

VECTORS = (4, 2)
"""Elements of the vector types, widest first."""
REUSE = 8.0
"""How many threads of a block have to read each element before a tile pays."""
TRIPS = 16
"""Iterations from which on a loop counts as long."""


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """Neighbouring scalar accesses of one thread that one vector access could replace."""

    sites: tuple[Site, ...]

    @property
    def first(self) -> Site:
        """The access at the lowest address."""
        return self.sites[0]


def vectors(trace: Trace) -> Iterator[Vector]:
    """Groups of two or four scalar accesses to neighbouring, aligned elements by each thread."""
    groups: dict[tuple[int, AccessKind, int], list[Site]] = defaultdict(list)
    for site in sites(trace, Space.GLOBAL):
        plain = site.access.kind in (AccessKind.LOAD, AccessKind.STORE) and not site.access.volatile
        if plain and site.verdict in (Verdict.FINE, Verdict.BAD):
            groups[site.object.id, site.access.kind, site.access.size].append(site)
    for group in groups.values():
        yield from _vectors(sorted(group, key=lambda s: int(_addresses(s.events[0])[0])))


def _vectors(group: Sequence[Site]) -> Iterator[Vector]:
    """Runs of neighbouring accesses in a group that is sorted by address."""
    at = 0
    while at < len(group):
        for width in VECTORS:
            run = group[at : at + width]
            if len(run) == width and _forms_vector(run):
                yield Vector(tuple(run))
                at += width - 1
                break
        at += 1


def _forms_vector(run: Sequence[Site]) -> bool:
    """Whether the accesses cover an aligned vector in every lane, with neighbouring lanes next to each other."""
    first, size = run[0].events[0], run[0].access.size
    base = _addresses(first)
    whole = size * len(run)
    if whole > 16 or (base % whole != 0).any() or any(s.stride != whole for s in run):
        return False
    masks = all(np.array_equal(s.events[0].mask, first.mask) for s in run)
    return masks and all(np.array_equal(_addresses(s.events[0]), base + i * size) for i, s in enumerate(run))


def _addresses(access: Access) -> Ints:
    return access.address[access.mask]


def used_share(site: Site) -> float:
    """How much of the sectors that a warp touches is used by all accesses of the same iteration, 0 to 1.

    The worst warp of the costliest execution is looked at. What the other fields of a record or the neighbouring
    elements use of a sector soon after, the L1 cache still has; so it does what a loop over no more elements than
    one sector holds uses.
    """
    lanes, access = site.trace.lanes, site.access
    there = worst_warp(site)
    warp, address = lanes.warp[there[0]], access.address[there]
    used: list[Ints] = []
    few = SECTOR // access.size
    here = iterations(access.frames, few)
    for other in site.trace.accesses(Space.GLOBAL):
        if other.object.id == access.object.id and iterations(other.frames, few) == here:
            mine = other.address[other.mask & (lanes.warp == warp)]
            used.append((mine[:, None] + np.arange(other.size)).ravel())
    touched = np.unique(np.concatenate([address // SECTOR, (address + access.size - 1) // SECTOR]))
    bytes_used = np.unique(np.concatenate(used))
    return float(np.isin(bytes_used // SECTOR, touched).sum()) / (len(touched) * SECTOR)


def walks_row(site: Site) -> bool:
    """Whether successive iterations of the innermost loop move every lane by one element."""
    runs: dict[tuple[int, ...], Access] = {}
    steps = 0
    for event in site.events:
        key = tuple(f.iteration for f in event.frames)
        before = runs.get((*key[:-1], key[-1] - 1)) if key else None
        if before is not None:
            both = event.mask & before.mask
            moved = event.address[both] - before.address[both]
            if not both.any() or not (np.abs(moved) == event.size).all():
                return False
            steps += 1
        runs[key] = event
    return steps > 0


@dataclass(frozen=True, slots=True, eq=False)
class Untiled:
    """A loop in which the threads of a block read the same elements again and again.

    `reuse` is how often each element is read by a block in the iterations that were executed, for each site.
    """

    loop: Span
    sites: tuple[Site, ...]
    reuse: tuple[float, ...]


def untiled(trace: Trace, judged: Sequence[Site] | None = None) -> Iterator[Untiled]:
    """Long loops with at least two shared operands that differ between threads, in kernels without tiles.

    `judged` are the trace's global accesses, where they are known.
    """
    if trace.accesses(Space.SHARED):
        return
    written = {a.object.id for a in trace.accesses(Space.GLOBAL) if a.kind is not AccessKind.LOAD}
    loops: dict[Span, list[tuple[Site, float]]] = defaultdict(list)
    for site in sites(trace, Space.GLOBAL) if judged is None else judged:
        frames = site.access.frames
        if not frames or site.object.id in written or site.verdict not in (Verdict.FINE, Verdict.BAD):
            continue
        if frames[-1].trip is None or frames[-1].trip >= TRIPS:
            loops[frames[-1].head].append((site, _reuse(site)))
    for loop, found in loops.items():
        shared = [(s, r) for s, r in found if r >= REUSE]
        if len({s.object.id for s, _ in shared}) >= 2:
            yield Untiled(loop, tuple(s for s, _ in shared), tuple(r for _, r in shared))


def _reuse(site: Site) -> float:
    """Reads of each element by one block; 0 when all threads of the block read the same in an iteration."""
    lanes = site.trace.lanes
    cta = lanes.cta[site.access.mask][0]
    read = [e.address[e.mask & (lanes.cta == cta)] for e in site.events]
    read = [r for r in read if len(r)]
    if not read or all(len(np.unique(r)) == 1 for r in read):
        return 0.0
    every = np.concatenate(read)
    return len(every) / len(np.unique(every))
