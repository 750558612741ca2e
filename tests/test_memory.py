"""Verdicts over accesses: what is wasteful, what is not decided, what changes of layout help."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cudalint.lint.analysis import advice
from cudalint.lint.analysis.banks import better_layout
from cudalint.lint.analysis.memory import Site, Verdict, by_place, of_record, sites
from cudalint.lint.analysis.memory_alignment import misaligned
from cudalint.lint.analysis.memory_requests import requests_of
from cudalint.lint.analysis.memory_reuse import untiled, used_share, vectors
from cudalint.lint.analysis.trace import Access, AccessKind, Frame, LaneGrid, Space, Taint
from cudalint.lint.model.types import DOUBLE, FLOAT, Field, RecordType
from memory_traces import access, array, lane_grid, span, trace

FLOAT4 = RecordType("float4", "float4", 16, 16, tuple(Field(n, FLOAT, 4 * i) for i, n in enumerate("xyzw")))
BODY = RecordType("Body", "Body", 20, 4, tuple(Field(f"f{i}", FLOAT, 4 * i) for i in range(5)))


def one(lanes: LaneGrid, *events: Access, space: Space = Space.GLOBAL) -> Site:
    """The only site of a trace."""
    (site,) = sites(trace(lanes, *events), space)
    return site


def test_contiguous_is_fine_and_strided_is_bad() -> None:
    """Neighbouring elements are fine, a stride of 64 bytes is not."""
    lanes = lane_grid((256, 1, 1))
    assert one(lanes, access(lanes, lanes.tx * 4)).verdict is Verdict.FINE
    bad = one(lanes, access(lanes, lanes.tx * 64))
    assert bad.verdict is Verdict.BAD
    assert bad.stride == 64
    assert (bad.cost.used, bad.cost.ideal, bad.cost.requests) == (256, 32, 8)


@pytest.mark.parametrize("address", [lambda g: g.tx * 4 + 4, lambda g: 0 * g.tx, lambda g: (255 - g.tx) * 4])
def test_offsets_broadcasts_and_reversals_are_fine(address: object) -> None:
    """One sector more, one address for all, a stride of -4: nothing to report."""
    lanes = lane_grid((256, 1, 1))
    assert one(lanes, access(lanes, address(lanes))).verdict is Verdict.FINE  # type: ignore[operator]


def test_masked_lanes_are_no_waste() -> None:
    """Every other lane active costs twice its ideal, but no more than with all lanes."""
    lanes = lane_grid((256, 1, 1))
    assert one(lanes, access(lanes, lanes.tx * 4, mask=lanes.tx % 2 == 0)).verdict is Verdict.FINE


def test_a_verdict_holds_in_all_worlds() -> None:
    """A stride that is 4 bytes in one world and 128 in another is not reported."""
    lanes = lane_grid((64, 1, 1), worlds=2)
    step = np.where(lanes.world == 0, 4, 128)
    mixed = one(lanes, access(lanes, lanes.tx * step, taint=Taint.ASSUMED))
    assert mixed.verdict is Verdict.FINE
    assert mixed.stride is None
    step = np.where(lanes.world == 0, 132, 128)
    assert one(lanes, access(lanes, lanes.tx * step, taint=Taint.ASSUMED)).verdict is Verdict.BAD


def test_gather_is_data_but_a_loaded_row_is_not() -> None:
    """Loaded offsets that differ per lane decide nothing; one per warp moves the warp as a whole."""
    lanes = lane_grid((256, 1, 1))
    noise = np.random.default_rng(1).integers(0, 1000, lanes.count) * 4
    assert one(lanes, access(lanes, noise, taint=Taint.LOADED)).verdict is Verdict.DATA
    rows = noise[lanes.warp]
    assert one(lanes, access(lanes, rows + lanes.lane * 4, taint=Taint.LOADED)).verdict is Verdict.FINE
    assert one(lanes, access(lanes, rows + lanes.lane * 64, taint=Taint.LOADED)).verdict is Verdict.BAD
    assert one(lanes, access(lanes, rows + lanes.lane * 64, taint=Taint.UNKNOWN)).verdict is Verdict.UNDECIDED
    assert one(lanes, access(lanes, rows + lanes.lane * 64, taint=Taint.ATOMIC)).verdict is Verdict.DATA


def test_rigid_runs_decide_whatever_the_rest() -> None:
    """Eight lanes each share a loaded row and are 16 bytes apart: bad wherever the rows lie, fine at 4 bytes."""
    lanes = lane_grid((256, 1, 1))
    row = np.random.default_rng(1).integers(0, 10**6, 64)[lanes.tx // 8] * 32
    wide = access(lanes, row + lanes.lane % 8 * 64, size=4, taint=Taint.LOADED)
    assert one(lanes, wide).verdict is Verdict.BAD
    assert one(lanes, access(lanes, row + lanes.lane % 8 * 4, taint=Taint.LOADED)).verdict is Verdict.FINE


def test_a_world_with_few_lanes_says_nothing() -> None:
    """A stride is judged where the warp is full, not where the samples leave one lane."""
    lanes = lane_grid((64, 1, 1), worlds=2)
    alone = (lanes.world == 0) | (lanes.lane == 0)
    assert one(lanes, access(lanes, lanes.tx * 128, mask=alone, taint=Taint.ASSUMED)).verdict is Verdict.BAD


def test_executions_are_summed() -> None:
    """Several executions of one access are one site, weighted by their requests."""
    lanes = lane_grid((256, 1, 1))
    events = [access(lanes, lanes.tx * 4 * (i + 1)) for i in range(8)]
    site = one(lanes, *events)
    assert site.cost.requests == 64
    assert site.verdict is Verdict.BAD
    assert site.access is events[-1]


def test_a_record_moves_field_by_field() -> None:
    """A record of 20 bytes takes five 4-byte requests, a float4 one of 16 bytes."""
    lanes = lane_grid((32, 1, 1))
    body = one(lanes, access(lanes, lanes.tx * 20, size=20, of=BODY))
    assert body.cost.requests == 5
    assert body.verdict is Verdict.BAD
    assert of_record(body) is BODY
    vector = one(lanes, access(lanes, lanes.tx * 16, size=16, of=FLOAT4))
    assert vector.verdict is Verdict.FINE
    assert of_record(vector) is None
    field = one(lanes, access(lanes, lanes.tx * 16, size=4, field_of=FLOAT4))
    assert of_record(field) is FLOAT4


def test_assumed_blocks_have_to_agree() -> None:
    """What holds under one assumed block only is not reported; under the known block it is."""
    wide, square = lane_grid((32, 8, 1)), lane_grid((16, 16, 1))

    def both(known: bool) -> list[Site]:
        found = []
        for lanes, block in ((wide, (32, 8, 1)), (square, (16, 16, 1))):
            event = access(lanes, lanes.tx * 4 + lanes.ty * 4096, size=1)
            found += sites(trace(lanes, event, block=block, known=known), Space.GLOBAL)
        return found

    def bad(site: Site) -> bool:
        return site.cost.ratio > 4

    assert [s.cost.ratio for s in both(True)] == [4.0, 4.0]
    assert by_place(both(False), bad) == []
    narrow = [s for s in both(True) if s.trace.shape.block == (16, 16, 1)]
    assert by_place(narrow, lambda s: s.cost.ratio >= 4) == narrow


def test_padding_is_found_by_counting() -> None:
    """A column of a 32x32 tile: one element of padding, and the row accesses stay free of conflicts."""
    lanes = lane_grid((32, 8, 1))
    tile = array(Space.SHARED, (32, 32))
    row = access(lanes, (lanes.ty * 32 + lanes.tx) * 4, 1, tile)
    column = access(lanes, (lanes.tx * 32 + lanes.ty) * 4, 2, tile)
    rows, columns = sites(trace(lanes, row, column), Space.SHARED)
    assert rows.verdict is Verdict.FINE
    assert columns.verdict is Verdict.BAD
    assert columns.cost.ratio == 32
    layout = better_layout(columns, [rows, columns])
    assert layout is not None
    assert (layout.pad, layout.row, layout.ways) == (1, None, 1.0)
    assert advice.layout_advice(columns, layout) == "declare array0[32][33]"


def test_vectors_need_padding_that_keeps_them_aligned() -> None:
    """A tile that is also read by float4 cannot be padded by one element: four keep the vectors aligned."""
    lanes = lane_grid((32, 1, 1))
    tile = array(Space.SHARED, (32, 32))
    column = access(lanes, lanes.tx * 32 * 4, 1, tile)
    vector = access(lanes, lanes.tx // 8 * 128 + lanes.tx % 8 * 16, 2, tile, size=16, of=FLOAT4)
    conflicting, fine = sites(trace(lanes, column, vector), Space.SHARED)
    layout = better_layout(conflicting, [conflicting, fine])
    assert layout is not None
    assert layout.pad == 4
    assert layout.ways == 4


def test_flat_array_is_skewed() -> None:
    """A one-dimensional array gets its index skewed."""
    lanes = lane_grid((32, 1, 1))
    site = one(lanes, access(lanes, lanes.tx * 128, obj=array(Space.SHARED, (1024,))), space=Space.SHARED)
    layout = better_layout(site, [site])
    assert layout is not None
    assert (layout.pad, layout.row) == (1, 32)
    assert layout.ways == 1


def test_doubles_are_free_in_their_phases() -> None:
    """Contiguous doubles take two wavefronts, which is their ideal."""
    lanes = lane_grid((32, 1, 1))
    site = one(
        lanes, access(lanes, lanes.tx * 8, size=8, of=DOUBLE, obj=array(Space.SHARED, (32,))), space=Space.SHARED
    )
    assert site.verdict is Verdict.FINE
    assert (site.cost.used, site.cost.ideal) == (2, 2)


def test_lane_map_shows_bytes_and_sectors() -> None:
    """The drawing has one column per sampled lane."""
    lanes = lane_grid((32, 1, 1))
    drawing = advice.lane_map(one(lanes, access(lanes, lanes.tx * 64 + 256))).splitlines()
    assert [row.split() for row in drawing] == [
        ["lane", "0", "1", "2", "3", "8", "16", "24", "31"],
        ["byte", "0", "64", "128", "192", "512", "1024", "1536", "1984"],
        ["sector", "0", "2", "4", "6", "16", "32", "48", "62"],
    ]


@pytest.mark.parametrize("position", [lambda tx: tx, lambda tx: 31 - tx])
def test_a_run_time_stride_is_named(position) -> None:
    """The stride is a multiple of the sampled parameter in every world, whichever way lanes go."""
    lanes = lane_grid((32, 1, 1), worlds=3)
    cols = np.array([64, 96, 77])
    made = trace(lanes, access(lanes, position(lanes.tx) * cols[lanes.world] * 4, taint=Taint.ASSUMED))
    named = type(made)(made.kernel, made.shape, lanes, made.events, made.objects, True, (), (("cols", (64, 96, 77)),))
    (site,) = sites(named, Space.GLOBAL)
    assert advice.spacing(site) == "lanes are cols*4 bytes apart, cols unknown"


def test_misaligned_vector() -> None:
    """One float too far is certain; a run-time offset is reported with doubt; a row length is not."""
    lanes = lane_grid((32, 1, 1), worlds=2)
    certain = list(misaligned(trace(lanes, access(lanes, lanes.tx * 16 + 4, size=16, of=FLOAT4))))
    assert [(m.certain, m.remainder, m.lane) for m in certain] == [(True, 4, 0)]
    offset = np.where(lanes.world == 0, 0, 20)
    event = access(lanes, lanes.tx * 16 + offset, size=16, of=FLOAT4, taint=Taint.ASSUMED)
    assert [m.certain for m in misaligned(trace(lanes, event))] == [False]
    blocks = lane_grid((32, 1, 1), blocks=2, worlds=2)
    row = blocks.bx * np.where(blocks.world == 0, 64, 20)
    event = access(blocks, blocks.tx * 16 + row, size=16, of=FLOAT4, taint=Taint.ASSUMED)
    assert list(misaligned(trace(blocks, event))) == []
    fine = access(lanes, lanes.tx * 16, size=16, of=FLOAT4)
    assert list(misaligned(trace(lanes, fine))) == []


def test_pairs_form_vectors() -> None:
    """a[2i] and a[2i+1] are a float2; a[i] and a[i+1] are not."""
    lanes = lane_grid((256, 1, 1))
    found = list(vectors(trace(lanes, access(lanes, lanes.tx * 8, 1), access(lanes, lanes.tx * 8 + 4, 2))))
    assert [[s.span.line for s in v.sites] for v in found] == [[1, 2]]
    assert not list(vectors(trace(lanes, access(lanes, lanes.tx * 4, 1), access(lanes, lanes.tx * 4 + 4, 2))))


def test_untiled_product() -> None:
    """Both operands of a naive product are read by 16 threads each; with one operand there is nothing to tile."""
    lanes = lane_grid((16, 16, 1))
    first, second = array(number=1), array(number=2)
    left, right = [], []
    for k in range(4):
        frame = (Frame(span(9), k, True),)
        left.append(access(lanes, (lanes.ty * 512 + k) * 4, 1, first, frames=frame))
        right.append(access(lanes, (k * 512 + lanes.tx) * 4, 2, second, frames=frame))
    (found,) = untiled(trace(lanes, *left, *right, block=(16, 16, 1)))
    assert found.reuse == (16.0, 16.0)
    assert not list(untiled(trace(lanes, *left)))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (b"__shared__ float t[32][32];", b"__shared__ float t[32][32 + 1];"),
        (b"__shared__ float s[4], t[TILE] [ TILE * 2 ];", b"__shared__ float s[4], t[TILE] [ TILE * 2  + 1];"),
        (b"__shared__ float t[32][1 << 5];", None),
        (b"__shared__ tile_t t;", None),
    ],
)
def test_where_padding_is_written(text: bytes, want: bytes | None) -> None:
    """The edit goes before the last bracket, unless the extent would be read differently."""
    place = advice.innermost_extent(text, 0, "t", 2)
    assert (None if place is None else text[:place] + b" + 1" + text[place:]) == want


def test_reloads_are_no_requests() -> None:
    """A load of what the thread just loaded is none; after a store that may change it, it is one."""
    lanes = lane_grid((32, 1, 1))
    first, again = access(lanes, lanes.tx * 4, 1), access(lanes, lanes.tx * 4, 3)
    assert [a.span.line for a in requests_of(trace(lanes, first, again))] == [1]
    store = access(lanes, lanes.tx * 4 + 4, 2, kind=AccessKind.STORE)
    assert [a.span.line for a in requests_of(trace(lanes, first, store, again))] == [1, 2, 3]
    more = access(lanes, lanes.tx * 4, 1, mask=lanes.tx < 8)
    assert [a.span.line for a in requests_of(trace(lanes, more, again))] == [1, 3]


def test_neighbours_in_shared_memory_become_a_vector() -> None:
    """s[2i] and s[2i+1] are one 8-byte access; in global memory nothing is known of the alignment."""
    lanes = lane_grid((32, 1, 1))
    for space, want in ((Space.SHARED, [8]), (Space.GLOBAL, [4, 4])):
        buffer = array(space, (64,))
        pair = access(lanes, lanes.tx * 8, 1, buffer), access(lanes, lanes.tx * 8 + 4, 2, buffer)
        assert [a.size for a in requests_of(trace(lanes, *pair))] == want


def test_fields_of_an_aligned_record_become_a_vector() -> None:
    """All four fields of a float4 are one 16-byte access; x alone is not."""
    lanes = lane_grid((32, 1, 1))
    fields = [access(lanes, lanes.tx * 16 + 4 * i, i + 1, field_of=FLOAT4) for i in range(4)]
    assert [a.size for a in requests_of(trace(lanes, *fields))] == [16]
    assert [a.size for a in requests_of(trace(lanes, fields[0]))] == [4]


def test_explored_code_counts_where_nothing_else_ran() -> None:
    """Executions by lanes that only explore a side give way to real ones."""
    lanes = lane_grid((32, 1, 1))
    real = access(lanes, lanes.tx * 4)
    guess = replace(access(lanes, lanes.tx * 128), explored=True, mask_taint=Taint.LOADED)
    assert one(lanes, real, guess).verdict is Verdict.FINE
    assert one(lanes, guess).verdict is Verdict.BAD


def test_share_of_the_sectors_that_is_used() -> None:
    """One of three interleaved streams uses a third of its sectors; all three use them whole."""
    lanes = lane_grid((32, 1, 1))
    streams = [access(lanes, lanes.tx * 12 + 4 * i, i + 1) for i in range(3)]
    assert used_share(one(lanes, streams[0])) == pytest.approx(1 / 3, abs=0.01)
    assert used_share(sites(trace(lanes, *streams), Space.GLOBAL)[0]) == 1
