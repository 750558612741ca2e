"""Execute small kernels through the front end and compare what they do with plain evaluation."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.trace import (
    AccessKind,
    Branch,
    BranchKind,
    LoopRun,
    Sync,
    Taint,
)
from executed import accesses, elements, numbers, run, stored

NONE = Taint.EXACT


# -- addresses and masks ---------------------------------------------------------------------------------------


def test_linear_index_of_two_blocks() -> None:
    trace = run("__global__ void k(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.f; }")
    assert elements(stored(trace)) == list(range(128))
    assert stored(trace).address_taint == NONE and trace.complete and trace.lanes.worlds == 1
    assert stored(trace).text == "out[blockIdx.x * blockDim.x + threadIdx.x]"


def test_two_dimensions_run_x_fastest() -> None:
    trace = run("__global__ void k(int *out) { out[threadIdx.y * 100 + threadIdx.x] = threadIdx.z; }", (4, 2, 2))
    store = stored(trace)
    assert elements(store)[:16] == [0, 1, 2, 3, 100, 101, 102, 103] * 2
    assert list(store.value[:16]) == [0] * 8 + [1] * 8


def test_one_dimensional_grid_of_one_block_has_one_block() -> None:
    source = "__global__ void k(int *out) { out[threadIdx.x] = 1; }"
    assert run(source, grid=(1, 1, 1)).lanes.count == 64
    assert run(source, grid=(1, 5, 1)).lanes.by.max() == 1
    assert run(source, blocks=1).lanes.count == 64


def test_early_return_masks_the_rest() -> None:
    source = """__global__ void k(float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        out[i] = 1.f;
    }"""
    trace = run(source, args=numbers(None, 100))
    assert elements(stored(trace)) == list(range(100))
    (branch,) = (e for e in trace.events if isinstance(e, Branch))
    assert branch.exits and branch.taken.sum() == 28 and branch.kind is BranchKind.IF
    assert stored(trace).mask_taint == NONE


def test_unknown_bound_is_sampled_in_three_worlds() -> None:
    source = """__global__ void k(float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i * n] = 1.f;
    }"""
    trace = run(source)
    store = stored(trace)
    assert trace.lanes.worlds == 3 and store.mask.all()
    assert trace.samples == (("n", (2048, 2080, 2053)),)
    assert store.address_taint == Taint.ASSUMED and store.mask_taint == Taint.ASSUMED
    strides = {int(store.address[(trace.lanes.world == w) & (trace.lanes.thread == 1)][0]) // 4 for w in range(3)}
    assert len(strides) == 3 and any(s % 32 for s in strides) and any(s % 64 == 32 for s in strides)


def test_else_side_gets_the_other_lanes_and_variables_merge() -> None:
    source = """__global__ void k(int *out) {
        int v = 7;
        if (threadIdx.x < 10) { v = threadIdx.x; } else if (threadIdx.x < 20) { v = 100; }
        out[threadIdx.x] = v;
    }"""
    assert list(stored(run(source)).value[:25]) == [*range(10), *[100] * 10, *[7] * 5]


def test_a_branch_on_an_unknown_mode_is_explored() -> None:
    source = """__global__ void k(int *out, int mode) {
        int v = 1;
        if (mode == 3) { out[threadIdx.x] = 5; v = 2; return; }
        out[threadIdx.x + 100] = v;
    }"""
    first, second = accesses(run(source), "out")
    assert first.mask.all() and first.mask_taint == Taint.ASSUMED
    assert second.mask.all() and set(second.value) == {1}


def test_switch_falls_through_and_breaks() -> None:
    source = """__global__ void k(int *out) {
        int v = 0;
        switch (threadIdx.x) { case 0: v += 1; case 1: v += 10; break; case 2: v = 5; break; default: v = 9; }
        out[threadIdx.x] = v;
    }"""
    assert list(stored(run(source)).value[:5]) == [11, 10, 5, 9, 9]


def test_logical_operators_guard_their_right_side() -> None:
    source = """__global__ void k(const int *in, int *out) {
        if (threadIdx.x < 8 && in[threadIdx.x] > 0) out[threadIdx.x] = 1;
    }"""
    trace = run(source)
    assert accesses(trace, "in")[0].mask.sum() == 16
    store = stored(trace)
    assert store.mask.sum() == 16 and store.mask_taint == Taint.LOADED


def test_conditional_operator_masks_its_sides() -> None:
    source = (
        "__global__ void k(const int *in, int *out) { out[threadIdx.x] = threadIdx.x > 0 ? in[threadIdx.x - 1] : 0; }"
    )
    load = accesses(run(source), "in")[0]
    assert load.mask.sum() == 126 and load.address[load.mask].min() == 0


# -- data-dependent control ------------------------------------------------------------------------------------


def test_data_dependent_branch_runs_both_sides_with_all_lanes() -> None:
    source = """__global__ void k(const int *in, int *out) {
        int v = 0;
        if (in[threadIdx.x]) { v = 1; out[threadIdx.x] = 1; } else { out[threadIdx.x + 64] = 2; }
        out[threadIdx.x + 128] = v;
    }"""
    first, second, last = accesses(run(source), "out")
    assert first.mask.all() and second.mask.all() and first.mask_taint == second.mask_taint == Taint.LOADED
    assert last.mask_taint == NONE and last.value_taint == Taint.LOADED


def test_data_dependent_return_keeps_the_lanes() -> None:
    source = """__global__ void k(const int *in, int *out) {
        if (in[threadIdx.x]) return;
        out[threadIdx.x] = 1;
        __syncthreads();
    }"""
    trace = run(source)
    assert stored(trace).mask.all() and stored(trace).mask_taint == Taint.LOADED
    (sync,) = (e for e in trace.events if isinstance(e, Sync))
    assert sync.mask_taint == Taint.LOADED


def test_value_loaded_at_a_uniform_address_is_block_uniform() -> None:
    source = """__global__ void k(const int *in, int *out) {
        int n = in[blockIdx.x];
        if (n > 3) out[threadIdx.x] = n;
        if (threadIdx.x < n) out[threadIdx.x] = n;
    }"""
    uniform, varying = accesses(run(source), "out")
    assert uniform.mask_taint == Taint.LOADED_UNIFORM and uniform.value_taint == Taint.LOADED_UNIFORM
    assert varying.mask_taint & Taint.LOADED


def test_indirect_index_is_opaque() -> None:
    trace = run("__global__ void k(const int *in, int *out) { out[in[threadIdx.x]] = 1; }")
    assert stored(trace).address_taint == Taint.LOADED


def test_taint_of_a_loop_that_data_controls_stays_inside() -> None:
    source = """__global__ void k(const int *in, int *out) {
        for (int j = in[threadIdx.x]; j < in[threadIdx.x + 1]; ++j) out[j] = 0;
        out[threadIdx.x] = 1;
    }"""
    *inside, after = accesses(run(source), "out")
    assert len(inside) == 2 and all(a.mask_taint & Taint.LOADED for a in inside)
    assert after.mask_taint == NONE


# -- loops -----------------------------------------------------------------------------------------------------


def test_short_loop_runs_fully() -> None:
    source = "__global__ void k(int *out) { for (int j = 0; j < 5; ++j) out[j * 64 + threadIdx.x] = j; }"
    trace = run(source)
    stores = accesses(trace, "out")
    assert [set(s.value) for s in stores] == [{j} for j in range(5)]
    assert [s.frames[0].iteration for s in stores] == list(range(5))
    assert stores[0].frames[0].trip == 5 and not stores[0].frames[0].truncated


def test_long_loop_shows_first_iterations_and_the_last() -> None:
    source = """__global__ void k(float *out, const float *p, int n) {
        float s = 0; int i;
        for (i = threadIdx.x; i < n; i += blockDim.x) { s += p[i]; p += 2; }
        out[i] = s;
    }"""
    trace = run(source, args=numbers(None, None, 64_000))
    loads = accesses(trace, "p")
    assert [ld.frames[0].iteration for ld in loads] == [0, 1, 2, 999]
    assert [elements(ld)[0] for ld in loads] == [0, 66, 132, 999 * 66]
    assert loads[-1].frames[0].truncated and loads[-1].address_taint == NONE
    (loop,) = (e for e in trace.events if isinstance(e, LoopRun))
    assert set(loop.trips) == {1000} and not loop.truncated
    assert elements(stored(trace))[0] == 64_000 and stored(trace).value_taint & Taint.APPROXIMATE


def test_double_buffer_alternates_past_the_jump() -> None:
    source = """__global__ void k(float *out) {
        int buffer = 0;
        for (int t = 0; t < 1001; ++t) { out[buffer * 64 + threadIdx.x] = 1.f; buffer ^= 1; }
    }"""
    assert [elements(s)[0] for s in accesses(run(source), "out")] == [0, 64, 0, 0]


def test_irregular_variable_is_approximate_past_the_jump() -> None:
    source = """__global__ void k(int *out) {
        int v = 1;
        for (int t = 0; t < 1000; ++t) { out[v] = t; v = v * 3 + 1; }
    }"""
    last = accesses(run(source), "out")[-1]
    assert last.address_taint & Taint.APPROXIMATE


@pytest.mark.parametrize(
    "head",
    [
        "for (int s = blockDim.x / 2; s > 0; s >>= 1)",
        "for (int s = blockDim.x / 2; s > 0; s /= 2)",
    ],
)
def test_halving_reduction(head: str) -> None:
    source = (
        "__global__ void k(int *out) { __shared__ int a[64]; int t = threadIdx.x; a[t] = t; __syncthreads(); "
        + head
        + " { if (t < s) a[t] += a[t + s]; __syncthreads(); } if (t == 0) out[0] = a[0]; }"
    )
    trace = run(source)
    assert set(stored(trace).value) == {64 * 63 // 2} and stored(trace).mask.sum() == 2
    assert stored(trace).interval == 7


def test_doubling_reduction_masks() -> None:
    source = """__global__ void k(int *out) {
        __shared__ int a[64];
        int t = threadIdx.x;
        a[t] = t;
        for (int s = 1; s < blockDim.x; s *= 2) {
            __syncthreads();
            if (t % (2 * s) == 0) a[t] += a[t + s];
        }
        if (t == 0) out[0] = a[0];
    }"""
    trace = run(source)
    assert set(stored(trace).value) == {2016}
    assert [int(a.mask.sum()) // 2 for a in accesses(trace, "a", AccessKind.STORE)] == [64, 32, 16, 8, 4, 2, 1]


def test_lanes_may_turn_differently_often() -> None:
    source = """__global__ void k(int *out) {
        int c = 0;
        for (int j = threadIdx.x; j < 8; ++j) c++;
        out[threadIdx.x] = c;
    }"""
    trace = run(source)
    assert list(stored(trace).value[:10]) == [8, 7, 6, 5, 4, 3, 2, 1, 0, 0]
    (loop,) = (e for e in trace.events if isinstance(e, LoopRun))
    assert list(loop.trips[:10]) == [8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


def test_break_and_continue() -> None:
    source = """__global__ void k(int *out) {
        int c = 0;
        for (int j = 0; j < 10; ++j) {
            if (j == threadIdx.x) break;
            if (j % 2) continue;
            c += 1;
        }
        out[threadIdx.x] = c;
    }"""
    assert list(stored(run(source)).value[:6]) == [0, 1, 1, 2, 2, 3]


def test_while_and_do_loops() -> None:
    source = """__global__ void k(int *out) {
        int a = 0, b = 0;
        while (a < threadIdx.x % 4) a++;
        do { b += 2; } while (b < threadIdx.x % 6);
        out[threadIdx.x] = a * 10 + b;
    }"""
    expected = [t % 4 * 10 + max(2, (t % 6 + 1) // 2 * 2) for t in range(64)]
    assert list(stored(run(source)).value[:64]) == expected


def test_grid_stride_loop_shows_its_back_edge() -> None:
    source = """__global__ void k(float *out, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 1.f;
    }"""
    trace = run(source, grid=(None, 1, 1))
    assert [s.frames[0].iteration for s in accesses(trace, "out")] == [0, 1]


def test_endless_loops_end() -> None:
    source = """__global__ void k(volatile int *flag, int *out) {
        while (flag[0] == 0) {}
        while (true) { if (flag[1]) break; }
        for (;;) { out[threadIdx.x] = 1; }
    }"""
    trace = run(source)
    assert accesses(trace, "flag")[0].volatile and accesses(trace, "out")


def test_nested_loops_stay_within_the_budget() -> None:
    source = """__global__ void k(float *out) {
        float s = 0;
        for (int a = 0; a < 60; ++a) for (int b = 0; b < 60; ++b) for (int c = 0; c < 60; ++c)
            for (int d = 0; d < 60; ++d) s += out[a * 64 + b * 32 + c * 16 + d];
        out[threadIdx.x] = s;
    }"""
    trace = run(source)
    assert accesses(trace, "out", AccessKind.STORE) and len(trace.events) < 4000
