"""Accesses of one pattern are weighed once: the shortcuts give what weighing each of them would."""

from __future__ import annotations

import numpy as np
import pytest
from cudalint.lint.analysis import memory, rewrite
from cudalint.lint.analysis.memory import Site, global_sites, judged, sites
from cudalint.lint.analysis.memory_requests import requests_of
from cudalint.lint.analysis.memory_reuse import untiled
from cudalint.lint.analysis.rewrite import exchange_axes
from cudalint.lint.analysis.trace import Access, LaneGrid, Space
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend import parse_file
from memory_traces import access, lane_grid, trace


def costs(lanes: LaneGrid, *events: Access) -> list[int]:
    """The sectors of each site of a trace."""
    return [site.cost.used for site in sites(trace(lanes, *events), Space.GLOBAL)]


def test_a_shift_within_a_line_is_another_pattern() -> None:
    """128 bytes further on costs the same; 16 bytes further on costs a sector more per warp."""
    lanes = lane_grid((64, 1, 1))
    moved = [access(lanes, lanes.tx * 4 + shift, line) for line, shift in enumerate((0, 128, 16, 128 * 7 + 16))]
    assert costs(lanes, *moved) == [8, 8, 10, 10]


def test_other_lanes_are_another_pattern() -> None:
    """The same addresses in the same order, by the lanes of one warp and by those of two."""
    lanes = lane_grid((64, 1, 1))
    spread = access(lanes, lanes.tx // 2 * 4, 1, mask=lanes.tx % 2 == 0)
    packed = access(lanes, lanes.tx * 4, 2, mask=lanes.tx < 32)
    assert np.array_equal(spread.address[spread.mask], packed.address[packed.mask])
    assert costs(lanes, spread, packed) == [4, 4]
    requests = [site.cost.requests for site in sites(trace(lanes, spread, packed), Space.GLOBAL)]
    assert requests == [2, 1]


def test_equal_patterns_are_weighed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = lane_grid((64, 1, 1))
    weighed = []
    weigh = memory._weigh
    monkeypatch.setattr(memory, "_weigh", lambda *args: weighed.append(args) or weigh(*args))
    assert costs(lanes, *(access(lanes, lanes.tx * 64 + 256 * n, n) for n in range(5))) == [64] * 5
    assert len(weighed) == 1


def test_a_load_from_elsewhere_is_no_reload() -> None:
    """The first lane's address alone does not make a load one of what is in a register."""
    lanes = lane_grid((64, 1, 1))
    first = access(lanes, lanes.tx * 4, 1)
    assert len(requests_of(trace(lanes, first, access(lanes, lanes.tx * 4, 2)))) == 1
    assert len(requests_of(trace(lanes, first, access(lanes, lanes.tx * 8, 2)))) == 2
    assert len(requests_of(trace(lanes, first, access(lanes, lanes.tx * 4 + 4, 2)))) == 2


SOURCE = b"""\
__global__ void k(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  b[x * n + y] = a[x * n + y];
  b[x * n + y] += a[x * n + y + 1];
}
void run(float *a, float *b, int n) { k<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n); }
"""


def test_each_kernel_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether axes are to be exchanged is one question for all accesses of a kernel."""
    unit = Unit(parse_file("k.cu", content=SOURCE))
    asked: list[list[Site]] = []
    shrinks = rewrite._shrinks
    monkeypatch.setattr(rewrite, "_shrinks", lambda own: asked.append(own) or shrinks(own))
    found = unit.once(global_sites)
    answers = {exchange_axes(unit, unit.kernels[0], found) for _ in found}
    assert len(asked) == 1
    assert len(answers) == 1
    assert answers != {None}


def test_judged_accesses_give_the_same_loops() -> None:
    unit = Unit(parse_file("k.cu", content=SOURCE))
    for made, known in unit.once(judged).items():
        assert [s.span for s in known] == [s.span for s in sites(made, Space.GLOBAL)]
        assert list(untiled(made, known)) == list(untiled(made)) == []
