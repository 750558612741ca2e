"""What a change of a shared array's layout can gain: how much of a kernel's traffic its conflicts are.

Loops are sampled; each execution of an access counts for as many as its loops have iterations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from cudalint.lint.analysis.lanes import SECTOR, WARP, WORD
from cudalint.lint.analysis.memory import Site, Verdict
from cudalint.lint.analysis.trace import Access, Trace
from cudalint.lint.model.source import Span

LITTLE = 0.1
"""Below this share of a kernel's passes conflicts do not decide how long it takes."""
TWO_WAYS = 2.0
"""Conflicts of up to so many ways have to be most of the traffic: of eight public kernels with two ways none gained
by padding, and one lost, on an H200."""
MOST = 0.5
"""The share of the passes that is most of them."""
_FULL = WARP * WORD // SECTOR
"""Sectors of a full access of one word per lane, which take one pass."""


def conflict_share(site: Site, shared: Sequence[Site], everything: Sequence[Site]) -> float:
    """The passes that conflicts of a site's array cost, as a share of all passes of its kernel, 0 to 1.

    One padding mends all of them; small conflicts are counted by themselves, beside larger ones with another stride.

    `shared` are the sites of the kernel's traces in shared memory, `everything` those in global memory.
    """
    large = site.cost.ratio > TWO_WAYS
    times = _iterations(site.trace)
    mine = [s for s in shared if s.trace is site.trace]
    far = [s for s in everything if s.trace is site.trace]
    conflicts = sum(
        (s.cost.used - s.cost.ideal) * _weight(s, times)
        for s in mine
        if s.verdict is Verdict.BAD and s.object.id == site.object.id and (large or s.stride == site.stride)
    )
    passes = sum(s.cost.used * _weight(s, times) for s in mine)
    passes += sum(s.cost.used / _FULL * _weight(s, times) for s in far)
    return conflicts / passes


def little_gain(site: Site, shared: Sequence[Site], everything: Sequence[Site]) -> str:
    """Why removing a conflict will hardly be noticed; empty where it may well be."""
    share = conflict_share(site, shared, everything)
    part = f"about {share:.0%}" if share >= 0.01 else "under 1%"
    told = f"these conflicts of `{site.object.name}` are {part} of the kernel's memory passes"
    if share < LITTLE:
        return f"{told}: little gain is to be expected"
    if site.cost.ratio <= TWO_WAYS and share <= MOST:
        return f"{told}, and two passes instead of one seldom decide: little gain is to be expected"
    return ""


def _iterations(trace: Trace) -> Mapping[Span, set[int]]:
    """The iterations of each loop that were executed."""
    seen: dict[Span, set[int]] = defaultdict(set)
    for access in trace.accesses():
        for frame in access.frames:
            seen[frame.head].add(frame.iteration)
    return seen


def _weight(site: Site, times: Mapping[Span, set[int]]) -> float:
    """How often an access runs for each time that it was executed."""
    return sum(_times(e, times) for e in site.events) / len(site.events)


def _times(event: Access, times: Mapping[Span, set[int]]) -> float:
    factor = 1.0
    for frame in event.frames:
        seen = times[frame.head]
        whole = frame.trip if frame.trip is not None else max(seen) + 1
        factor *= max(1, whole) / len(seen)
    return factor
