"""Accesses whose address is not a multiple of what the accessed type demands: a fault on the device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.lanes import WIDEST
from cudalint.lint.analysis.memory import alignment
from cudalint.lint.analysis.trace import OPAQUE, Access, Space, Taint, Trace
from cudalint.lint.model.source import Span


@dataclass(frozen=True, slots=True, eq=False)
class Misaligned:
    """An access with a misaligned lane.

    `lane` indexes the trace's lanes, `remainder` is its address modulo `demands`. Not `certain` when it rests on
    a run-time offset that is nowhere said to be a multiple.
    """

    trace: Trace
    access: Access
    demands: int
    lane: int
    remainder: int
    certain: bool


def misaligned(trace: Trace) -> Iterator[Misaligned]:
    """The misaligned accesses to global and shared memory, one for each place in the source."""
    places: dict[Span, list[Access]] = defaultdict(list)
    for access in trace.accesses(Space.GLOBAL, Space.SHARED):
        rests = access.address_taint | access.mask_taint
        if not rests & (OPAQUE | Taint.LOADED_UNIFORM) and access.object.symbol is not None and access.mask.any():
            places[access.span].append(access)
    for events in places.values():
        found = _judge(trace, events)
        if found is not None:
            yield found


def _judge(trace: Trace, events: list[Access]) -> Misaligned | None:
    """Misaligned in every world in which it runs, or shifted as a whole by a run-time offset in some."""
    demands = min(alignment(events[0]), WIDEST)
    if demands < 2 or demands & (demands - 1):
        return None
    rest = np.concatenate([e.address[e.mask] % demands for e in events])
    if not rest.any():
        return None
    world = np.concatenate([trace.lanes.world[e.mask] for e in events])
    run = np.flatnonzero(np.bincount(world))
    wrong = [w for w in run if rest[world == w].any()]
    worlds = len(run)
    sampled = worlds < trace.lanes.worlds and any((e.address_taint | e.mask_taint) & Taint.ASSUMED for e in events)
    certain = len(wrong) == worlds and not sampled  # a sample that alone leads there proves nothing
    shifted = all(len(np.unique(rest[world == w])) == 1 for w in wrong)
    if not certain and not (shifted and demands >= 8):
        return None
    bad = next(e for e in events if (e.address % demands != 0)[e.mask].any())
    lane = int(np.flatnonzero(bad.mask & (bad.address % demands != 0))[0])
    return Misaligned(trace, bad, demands, lane, int(bad.address[lane] % demands), certain)
