"""The race decision, over traces made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from cudalint.lint.analysis.races import Reach, find_races
from cudalint.lint.analysis.races_locks import Protocol
from cudalint.lint.analysis.trace import Space, SyncKind, Taint
from synctrace import Build


def lines(build):
    return [(r.reach, r.first.access.span.line, r.second.access.span.line) for r in find_races(build.trace())]


def test_neighbour_read_without_a_barrier_races_with_two_threads_on_one_element():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.load(s, (b.t + 1) % 64, 2)
    (race,) = find_races(b.trace())
    assert race.reach is Reach.BLOCK
    first, second = b.t[race.first.lane], b.t[race.second.lane]
    assert race.first.access.span.line == 1
    assert race.second.access.span.line == 2
    assert race.offset == first * 4 == (second + 1) % 64 * 4
    assert first // 32 != second // 32


def test_a_barrier_separates():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.sync(2)
    b.load(s, (b.t + 1) % 64, 3)
    assert lines(b) == []


def test_own_slot_needs_no_barrier():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.load(s, b.t, 2)
    assert lines(b) == []


def test_read_then_overwritten_in_the_next_iteration():
    b = Build()
    s = b.object("s")
    for _ in range(2):
        b.store(s, b.t, 1)
        b.sync(2)
        b.load(s, 63 - b.t, 3)
    assert lines(b) == [(Reach.BLOCK, 3, 1)]


def test_a_barrier_of_one_block_does_not_order_the_other():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.sync(2, mask=b.lanes.block == 0)
    b.load(s, 63 - b.t, 3)
    (race,) = find_races(b.trace())
    assert b.lanes.block[race.first.lane] == b.lanes.block[race.second.lane] == 1


def test_warp_tail_without_syncwarp_is_a_warp_race_and_with_it_none():
    for synced in (False, True):
        b = Build()
        s = b.object("s")
        tail = b.t < 32
        for offset in (16, 8):
            b.load(s, b.t, 1, tail & (b.t < 16))
            b.load(s, b.t + offset, 2, tail & (b.t < 16))
            if synced:
                b.syncwarp(3, tail)
            b.store(s, b.t, 4, tail & (b.t < 16))
            if synced:
                b.syncwarp(5, tail)
        assert lines(b) == ([] if synced else [(Reach.WARP, 2, 4)])


def test_syncwarp_does_not_order_warps():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.syncwarp(2)
    b.load(s, 63 - b.t, 3)
    assert lines(b) == [(Reach.BLOCK, 1, 3)]


def test_syncwarp_of_a_part_of_the_warp_orders_that_part():
    for members, expected in ((0xFFFFFFFF, []), (0x0000FFFF, [(Reach.WARP, 1, 3)])):
        b = Build(block=(32, 1, 1))
        s = b.object("s")
        b.store(s, b.t, 1)
        b.syncwarp(2, members=np.full(b.t.shape, members))
        b.load(s, 31 - b.t, 3)
        assert lines(b) == expected


def test_tile_barrier_orders_its_tile_only():
    b = Build(block=(32, 1, 1))
    s = b.object("s")
    b.store(s, b.t, 1)
    b.sync(2, kind=SyncKind.TILE, width=8)
    b.load(s, b.t ^ 7, 3)
    b.load(s, b.t ^ 8, 4)
    assert lines(b) == [(Reach.WARP, 1, 4)]


def test_one_store_of_different_values_to_one_place_races_and_of_one_value_does_not():
    for value, count in ((None, 1), (7, 0)):
        b = Build(block=(32, 1, 1))
        s = b.object("s", extents=())
        b.store(s, 0, 1, value=value)
        races = find_races(b.trace())
        assert len(races) == count
        assert all(r.one_instruction and r.reach is Reach.BLOCK for r in races)


def test_reading_back_a_value_that_every_thread_stored_is_harmless():
    b = Build()
    s = b.object("s", extents=())
    b.store(s, 0, 1, value=0)
    b.load(s, 0, 2)
    assert lines(b) == []


def test_one_thread_stores_and_all_read():
    b = Build()
    s = b.object("s", extents=())
    b.store(s, 0, 1, mask=b.t == 0, value=3)
    b.load(s, 0, 2)
    assert lines(b) == [(Reach.BLOCK, 1, 2)]


def test_atomics_do_not_race_with_each_other_but_with_a_plain_store():
    b = Build()
    s = b.object("s", extents=())
    b.atomic(s, 0, 1)
    b.atomic(s, 0, 2)
    assert lines(b) == []
    b.store(s, 0, 3, mask=b.t == 0, value=1)
    assert lines(b) == [(Reach.BLOCK, 1, 3), (Reach.BLOCK, 2, 3)]


def test_an_index_from_memory_supports_no_claim():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.load(s, 63 - b.t, 2, address_taint=Taint.LOADED)
    assert lines(b) == []


def test_sides_under_a_data_dependent_condition_are_less_certain():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1, mask_taint=Taint.LOADED)
    b.load(s, 63 - b.t, 2)
    (race,) = find_races(b.trace())
    assert not race.certain
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1, mask_taint=Taint.LOADED)
    b.load(s, 63 - b.t, 2, mask_taint=Taint.LOADED)
    (race,) = find_races(b.trace())
    assert not race.certain


def test_one_store_under_a_data_dependent_condition_may_be_one_threads():
    b = Build()
    s = b.object("s", extents=())
    b.store(s, 0, 1, mask_taint=Taint.LOADED)
    assert lines(b) == []


def test_a_clash_in_one_world_only_is_not_claimed():
    b = Build()
    s = b.object("s", extents=(200,))
    shift = np.where(b.lanes.world == 0, 1, 100)
    b.store(s, b.t, 1)
    b.load(s, b.t + shift, 2)
    assert lines(b) == []


@pytest.mark.parametrize(
    ("truncated", "kind", "partner", "count"),
    [
        (False, SyncKind.BLOCK, 63, 1),
        (True, SyncKind.BLOCK, 63, 0),
        (True, SyncKind.WARP, 63, 1),
        (True, SyncKind.WARP, 1, 0),
        (True, SyncKind.FENCE, 1, 1),
    ],
)
def test_a_loop_cut_short_may_pass_its_barrier_again(truncated, kind, partner, count):
    b = Build()
    s = b.object("s")
    b.sync(1, kind=kind)
    b.store(s, b.t, 2)
    b.loop(1, np.full(b.t.shape, 3), truncated=truncated)
    b.load(s, b.t ^ partner, 4)
    assert len(lines(b)) == count


@pytest.mark.parametrize(
    ("space", "shift", "count"),
    [
        (Space.GLOBAL, (40, 48), 0),
        (Space.GLOBAL, (40, 40), 1),
        (Space.SHARED, (40, 48), 1),
    ],
)
def test_threads_that_meet_in_global_memory_are_the_same_in_every_world(space, shift, count):
    b = Build()
    s = b.object("s", space=space, extents=(200,))
    b.store(s, b.t, 1)
    b.load(s, b.t + np.where(b.lanes.world == 0, *shift), 2)
    assert len([r for r in find_races(b.trace()) if r.reach is Reach.BLOCK]) == count


def test_a_call_that_is_not_understood_may_hide_a_barrier():
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1)
    b.call(2)
    b.load(s, 63 - b.t, 3)
    assert lines(b) == []


@pytest.mark.parametrize(("size", "count"), [(4, 0), (6, 1)])
def test_bytes_decide_not_elements(size, count):
    b = Build()
    s = b.object("s")
    b.store(s, b.t, 1, size=size)
    assert len(find_races(b.trace())) == count


def test_neighbours_written_in_place_race_within_and_between_blocks():
    b = Build()
    a = b.object("a", Space.GLOBAL, ())
    i = b.lanes.block * 64 + b.t
    b.load(a, i + 1, 1)
    b.store(a, i, 2)
    assert lines(b) == [(Reach.BLOCK, 1, 2)]
    b = Build()
    a = b.object("a", Space.GLOBAL, ())
    b.load(a, i + 1, 1)
    b.sync(2)
    b.store(a, i, 3)
    assert lines(b) == [(Reach.GRID, 1, 3)]


def test_a_grid_barrier_orders_blocks():
    b = Build()
    a = b.object("a", Space.GLOBAL, ())
    i = b.lanes.block * 64 + b.t
    b.store(a, i, 1)
    b.sync(2, kind=SyncKind.GRID)
    b.load(a, i + 1, 3)
    assert lines(b) == []


def test_far_addresses_are_renumbered():
    b = Build()
    a = b.object("a", Space.GLOBAL, ())
    i = (b.lanes.block * 64 + b.t) * 1_000_000
    b.store(a, i, 1)
    b.load(a, i + 1_000_000, 2)
    (race,) = find_races(b.trace())
    assert race.offset == 4_000_000 * b.t[race.first.lane] + 256_000_000 * b.lanes.block[race.first.lane]


def locked(*, fence_after_acquire=True, block_scope=False):
    """Two blocks of one thread store under a lock: acquire, fence, store, fence, release."""
    b = Build(block=(1, 1, 1))
    data, lock = b.object("data", Space.GLOBAL, ()), b.object("lock", Space.GLOBAL, ())
    scope = {"scope": "block"} if block_scope else {}
    b.atomic(lock, 0, 2, **scope)
    b.loop(2, b.t + 1, taint=Taint.ATOMIC, truncated=True)
    if fence_after_acquire:
        b.sync(3, kind=SyncKind.FENCE, scope="device")
    b.store(data, 0, 4, value=b.lanes.block)
    b.sync(5, kind=SyncKind.FENCE, scope="device")
    b.atomic(lock, 0, 6, **scope)
    return b


def settled(build):
    trace = build.trace()
    protocol = Protocol(trace)
    data = [r for r in find_races(trace) if r.object.name == "data"]
    return [protocol.settles(r) for r in data]


def test_a_lock_with_its_fences_orders_and_without_one_does_not():
    assert settled(locked()) == [True]
    assert settled(locked(fence_after_acquire=False)) == [False]


def test_a_lock_of_block_scope_does_not_order_blocks():
    assert settled(locked(block_scope=True)) == [False]


def test_atomics_of_block_scope_race_between_blocks():
    b = Build()
    a = b.object("a", Space.GLOBAL, ())
    b.atomic(a, 0, 1, scope="block")
    assert lines(b) == [(Reach.GRID, 1, 1)]


def test_a_block_that_only_reads_between_barriers_of_another_is_no_group():
    b = Build()
    s = b.object("s")
    first = b.lanes.block == 0
    b.sync(1, mask=first)
    b.store(s, b.t, 2, mask=first)
    b.load(s, 63 - b.t, 3, mask=~first)
    assert lines(b) == []


def test_unknown_values_that_overlap_at_different_starts_race_and_at_one_start_are_left():
    for step, count in ((4, 0), (3, 1)):
        b = Build(block=(2, 1, 1))
        s = b.object("s")
        b.store(s, b.t, 1)
        (event,) = b.events
        b.events[0] = replace(event, value=None, size=4, address=b.t * step)
        assert len(find_races(b.trace())) == count


@pytest.mark.parametrize(("sampled", "volatile"), [(True, True), (False, True), (True, False)])
def test_lockstep_code_with_groups_of_unknown_size_is_a_matter_of_the_warp(sampled, volatile):
    b = Build(block=(128, 1, 1))
    s = b.object("s", extents=(128,))
    more = {"mask_taint": Taint.ASSUMED if sampled else Taint.EXACT, "volatile": volatile}
    for half in (64, 32, 16):
        b.load(s, b.t + half, 1, b.t < half, **more)
        b.store(s, b.t, 2, b.t < half, **more)
    reach = Reach.WARP if sampled and volatile else Reach.BLOCK
    assert {r.reach for r in find_races(b.trace())} == {reach}
