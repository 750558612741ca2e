"""Split barriers, warp masks and divergence, over traces made by hand."""

import numpy as np
from cudalint.lint.analysis.barriers import Why, split_barriers
from cudalint.lint.analysis.barriers_exits import Exits
from cudalint.lint.analysis.divergence import divergent_branches, unequal_loops
from cudalint.lint.analysis.trace import SyncKind, Taint
from cudalint.lint.analysis.warpsync import absent_lanes
from cudalint.lint.model.program import TranslationUnit
from synctrace import Build

EXITS = Exits(TranslationUnit("k.cu", {}, (), (), (), {}))


def test_a_barrier_that_all_reach_is_whole():
    b = Build()
    b.sync(1)
    assert split_barriers(b.trace(), EXITS) == ()


def test_a_barrier_under_a_condition_of_the_block_is_whole():
    b = Build()
    b.sync(1, mask=b.lanes.block == 0)
    assert split_barriers(b.trace(), EXITS) == ()


def test_a_barrier_under_a_thread_condition_is_split_with_the_condition_as_cause():
    b = Build()
    inside = b.t < 32
    b.branch(1, inside)
    b.sync(2, mask=inside)
    (split,) = split_barriers(b.trace(), EXITS)
    assert split.cause is not None
    assert split.cause.span.line == 1
    assert b.t[split.here] == 31
    assert b.t[split.away] == 32
    assert not split.exited
    assert split.why is Why.SEEN


def test_one_finding_for_all_barriers_that_one_return_splits():
    b = Build()
    gone = b.t >= 50
    b.branch(1, gone)
    b.alive = ~gone
    for line in (2, 3, 4):
        b.sync(line, mask=~gone)
    (split,) = split_barriers(b.trace(), EXITS)
    assert split.exited
    assert [s.line for s in split.more] == [3, 4]


def test_a_mask_that_is_not_understood_is_no_claim():
    b = Build()
    b.sync(2, mask=b.t % 3 == 0, taint=Taint.UNKNOWN)
    assert split_barriers(b.trace(), EXITS) == ()


def test_a_condition_around_a_barrier_that_varies_by_thread_splits_it_though_no_sample_shows_it():
    for taint, varies, expected in (
        (Taint.ASSUMED, True, [Why.BORDER]),
        (Taint.ASSUMED, False, []),
        (Taint.LOADED, True, [Why.DATA]),
        (Taint.LOADED_UNIFORM, False, []),
        (Taint.EXACT, True, []),
    ):
        b = Build()
        b.branch(2, b.all, taint=taint, varies=varies)
        b.sync(2, taint=taint)
        assert [s.why for s in split_barriers(b.trace(), EXITS)] == expected


def test_a_grid_barrier_needs_all_blocks():
    b = Build()
    b.sync(1, mask=b.lanes.block == 0, kind=SyncKind.GRID)
    (split,) = split_barriers(b.trace(), EXITS)
    assert b.lanes.block[split.here] != b.lanes.block[split.away]


def test_a_full_mask_in_part_of_a_warp_names_an_absent_lane():
    full = np.full(256, 0xFFFFFFFF)
    b = Build()
    b.syncwarp(1, mask=b.t < 32, members=full)
    assert list(absent_lanes(b.trace())) == []
    b.syncwarp(2, mask=b.t < 20, members=full)
    (absent,) = absent_lanes(b.trace())
    assert (b.t[absent.lane], b.t[absent.absent]) == (0, 20)


def test_a_mask_of_the_lanes_that_are_there_is_right():
    b = Build()
    b.syncwarp(1, mask=b.t < 20, members=np.full(256, (1 << 20) - 1))
    assert list(absent_lanes(b.trace())) == []


def test_lanes_that_returned_are_not_waited_for():
    b = Build()
    b.alive = b.t < 20
    b.syncwarp(1, mask=b.t < 20, members=np.full(256, 0xFFFFFFFF))
    assert list(absent_lanes(b.trace())) == []


def test_odd_and_even_lanes_part_and_warps_do_not():
    b = Build()
    b.branch(1, b.t % 2 == 0, else_cost=100)
    b.branch(2, b.t // 32 == 0, else_cost=100)
    b.branch(3, b.t % 2 == 0, then_cost=3)
    b.branch(4, b.t % 2 == 0, taint=Taint.LOADED)
    (found,) = divergent_branches(b.trace(), 400)
    assert found.branch.span.line == 1
    assert (found.rate, found.taken, found.active) == (1.0, 16, 32)


def test_a_leader_that_stores_is_fine_and_one_that_loops_long_is_not():
    b = Build()
    b.branch(1, b.t == 0)
    b.branch(2, b.t == 0)
    b.loop(2, np.full(b.t.shape, 64), mask=b.t == 0)
    b.branch(3, b.t == 0)
    b.loop(3, np.full(b.t.shape, 32), mask=b.t == 0)
    b.branch(4, b.t == 0)
    b.loop(4, np.full(b.t.shape, 2048), mask=b.t == 0, taint=Taint.ASSUMED)
    assert [(f.branch.span.line, f.alone) for f in divergent_branches(b.trace(), 400)] == [(2, 64)]


def test_a_branch_that_is_little_of_its_kernel_is_no_matter():
    b = Build()
    b.branch(1, b.t % 2 == 0)
    assert len(list(divergent_branches(b.trace(), 400))) == 1
    assert list(divergent_branches(b.trace(), 4000)) == []


def test_threads_that_form_a_box_are_guarded_and_strided_ones_are_scattered():
    b = Build(block=(32, 8, 1))
    b.branch(1, b.lanes.tx < 16)
    b.branch(2, (b.lanes.tx > 0) & (b.lanes.tx < 15))
    b.branch(3, b.lanes.tx % 2 == 0)
    assert [f.branch.span.line for f in divergent_branches(b.trace(), 400)] == [3]


def test_two_heavy_sides_part_a_warp_unless_one_is_the_border_of_a_tile():
    for border, count in ((8, 1), (1, 0)):
        b = Build(block=(32, 8, 1))
        b.branch(1, b.lanes.tx < border, else_cost=100)
        assert len(list(divergent_branches(b.trace(), 400))) == count


def test_a_reduction_whose_lanes_spread_over_the_warps_is_told_and_a_packed_one_is_not():
    for strided, count in ((True, 1), (False, 0)):
        b = Build(block=(256, 1, 1))
        for step in range(8):
            b.branch(1, b.t % (2 << step) == 0 if strided else b.t < 128 >> step, then_cost=15)
        found = list(divergent_branches(b.trace(), 100))
        assert len(found) == count
        if found:
            assert found[0].rate == 1.0
            assert found[0].spared > 0.7


def test_a_triangular_loop_wastes_lanes_and_a_strided_one_does_not():
    b = Build()
    b.loop(1, b.t + 1)
    b.loop(2, 10 + (b.t < 7))
    b.loop(3, b.t + 1, taint=Taint.LOADED)
    b.loop(4, b.t + 1, taint=Taint.ASSUMED)
    (found,) = unequal_loops(b.trace())
    assert found.loop.span.line == 1
    assert found.most - found.least == 31


def test_a_branch_that_parts_the_first_block_only_is_a_border():
    b = Build()
    b.branch(1, (b.lanes.block == 0) & (b.t % 2 == 0))
    assert list(divergent_branches(b.trace(), 400)) == []
