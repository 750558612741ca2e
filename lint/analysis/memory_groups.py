"""Which of several findings say the same: one stands for all that one change would mend, the others refer to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from cudalint.lint.analysis.memory import CONFLICT, Site, longest_runs, recost
from cudalint.lint.analysis.trace import Access, LaneGrid, Taint
from cudalint.lint.diagnostics import Label
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import RecordType

FEW_LANES = 2
"""Lanes of a warp that lie apart from all others, as at an end that wraps around, and that no layout can bring in."""
LITTLE = 5
"""Sectors per request of a full, contiguous access of four bytes per lane that starts inside a sector."""
OFTEN = 0.25
"""Share of the addresses with a neighbour from which on that is no chance of the sampled values."""
SHOWN = 4
"""Other places that a finding points to."""


@dataclass(frozen=True, slots=True)
class Told:
    """How a site is to be told: as a warning or for information, with notes why not, and other places."""

    hot: bool
    notes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()


def told(
    sites: Iterable[Site], cause: Callable[[Site], Hashable], weigh: Callable[[Site], tuple[bool, str]]
) -> Mapping[Site, Told]:
    """How to tell each site. Of those in one kernel with the same cause, the costliest is the one to look at."""
    groups: dict[Hashable, list[tuple[Site, bool, str]]] = defaultdict(list)
    for site in sites:
        groups[site.trace.kernel.pattern, cause(site)].append((site, *weigh(site)))
    found: dict[Site, Told] = {}
    for group in groups.values():
        first, hot, why_not = max(group, key=lambda item: (item[1], _excess(item[0])))
        others = [site for site, _, _ in group if site is not first]
        found[first] = Told(hot, _notes(why_not), tuple(_label(site) for site in others[:SHOWN]) if hot else ())
        for site, own, why in group:
            if site is not first:
                repeated = f"line {first.span.line} has the same cause and costs more" if own else why
                found[site] = Told(False, _notes(repeated))
    return found


def _excess(site: Site) -> int:
    """What a site costs above its ideal, over all its executions."""
    return site.cost.used - site.cost.ideal


def _notes(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _label(site: Site) -> Label:
    return Label(site.span, "the same here")


def buffer_and_stride(site: Site) -> Hashable:
    """The cause of a badly placed access: where its buffer is declared, and how far apart neighbouring lanes are."""
    symbol = site.object.symbol
    return (symbol.span.start if symbol is not None else site.object.name), site.stride


def minor(site: Site) -> str:
    """Why a wasteful global access is not worth a warning all the same; empty when it is."""
    if site.cost.used <= LITTLE * site.cost.requests:
        return "it touches no more sectors than a full access of one word per lane"
    if site.stride is None and site.access.address_taint & Taint.ASSUMED and not _has_neighbours(site):
        return "the distance is a run-time value, and nothing here tells that it is not that of one element"
    return ""


def _has_neighbours(site: Site) -> bool:
    """Whether anything moves the access by one element or record: a loop, a block, a thread along another axis."""
    world = site.trace.lanes.world
    record = site.access.field_of
    steps = [site.access.size, *([record.size] if isinstance(record, RecordType) else [])]
    for w in np.unique(world):
        moved = np.concatenate([e.address[e.mask & (world == w)] for e in site.events])
        if len(moved) and np.isin(np.diff(np.unique(moved)), steps).sum() >= OFTEN * len(np.unique(moved)):
            return True
    return False


def met_by_few(site: Site) -> bool:
    """Whether lanes meet in a bank only because one or two of a warp lie apart from all others."""
    lanes = site.trace.lanes
    kept = []
    for event in site.events:
        line = _on_one_line(event, lanes)
        if line is None or np.bincount(lanes.warp[event.mask & ~line.mask], minlength=1).max() > FEW_LANES:
            return False
        kept.append(line)
    return recost(site, kept).ratio < CONFLICT


def _on_one_line(event: Access, lanes: LaneGrid) -> Access | None:
    """The execution cut down to the lanes that lie where the longest run of their warp leads; None without one."""
    run = longest_runs(event, lanes)
    if run is None:
        return None
    there = np.flatnonzero(run.mask)
    _, first, count = np.unique(lanes.warp[there], return_index=True, return_counts=True)
    start = there[first]
    step = event.address[np.minimum(start + 1, len(event.address) - 1)] - event.address[start]
    step = np.where(count > 1, step, 0)
    number = np.searchsorted(lanes.warp[start], lanes.warp).clip(max=len(start) - 1)
    expected = event.address[start][number] + step[number] * (lanes.lane - lanes.lane[start][number])
    return replace(event, mask=event.mask & (event.address == expected))


def shown_at(program: TranslationUnit, site: Site) -> tuple[Span, tuple[Label, ...]]:
    """Where to show a site, and what else to point to.

    An access in an operator of another file is shown where the kernel uses the operator: that is the code to change.
    """
    file = site.trace.kernel.span.file
    calls = [call for call in site.access.calls if call.file == file]
    if site.span.file == file or not calls or not _in_operator(program, site.span):
        return site.span, ()
    return calls[-1], (Label(site.span, "the access in the operator"),)


def _in_operator(program: TranslationUnit, span: Span) -> bool:
    around = [
        f
        for f in program.functions.values()
        if f.span.file == span.file and f.span.offset <= span.offset < f.span.end_offset
    ]
    return bool(around) and max(around, key=lambda f: f.span.offset).name.startswith("operator")
