"""Memory, calls and synchronisation of executed kernels, compared with plain evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from cudalint.lint.analysis.trace import (
    OPAQUE,
    AccessKind,
    ArgValue,
    CallEvent,
    Space,
    Sync,
    SyncKind,
    Taint,
)
from executed import accesses, elements, numbers, run, stored

# -- memory ----------------------------------------------------------------------------------------------------


def test_tile_matrix_product_addresses() -> None:
    source = """
    #define T 16
    __global__ void k(const float *A, const float *B, float *C, int n) {
        __shared__ float a[T][T], b[T][T + 1];
        int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
        float s = 0;
        for (int t = 0; t < n / T; ++t) {
            a[threadIdx.y][threadIdx.x] = A[r * n + t * T + threadIdx.x];
            b[threadIdx.y][threadIdx.x] = B[(t * T + threadIdx.y) * n + c];
            __syncthreads();
            for (int j = 0; j < T; ++j) s += a[threadIdx.y][j] * b[j][threadIdx.x];
            __syncthreads();
        }
        C[r * n + c] = s;
    }"""
    trace = run(source, (16, 16, 1), (4, 4, 1), numbers(None, None, None, 64))
    tile = accesses(trace, "b", AccessKind.STORE)[0]
    assert tile.object.extents == (16, 17) and tile.object.space is Space.SHARED
    assert elements(tile)[16] == 17
    load = accesses(trace, "A")[2]
    assert elements(load)[17] == 64 + 32 + 1
    assert accesses(trace, "a", AccessKind.LOAD)[0].interval == 1


def test_dynamic_shared_memory_is_one_object() -> None:
    source = """__global__ void k(float *out, int n) {
        extern __shared__ float raw[];
        float *first = raw; int *second = (int *)&raw[n];
        first[threadIdx.x] = 1.f; second[threadIdx.x] = 2;
        out[threadIdx.x] = second[0];
    }"""
    trace = run(source, args=numbers(None, 64))
    first, second, third = accesses(trace, "raw")
    assert first.object is second.object and first.object.dynamic
    assert elements(second)[0] == 64 and set(stored(trace).value) == {2.0}
    assert third.size == 4


def test_shared_flag_is_known_after_the_barrier() -> None:
    source = """__global__ void k(int *out) {
        __shared__ int flag;
        if (threadIdx.x == 0) flag = blockIdx.x + 5;
        __syncthreads();
        out[flag * 64 + threadIdx.x] = 1;
    }"""
    store = stored(run(source))
    assert elements(store)[0] == 5 * 64 and elements(store)[64] == 6 * 64 and store.address_taint == Taint.EXACT


def test_unwritten_shared_memory_is_not_known() -> None:
    source = "__global__ void k(int *out) { __shared__ int s[64]; out[s[threadIdx.x]] = 1; }"
    assert stored(run(source)).address_taint & Taint.LOADED


def test_vector_load_and_member_of_array_of_records() -> None:
    source = """
    struct Particle { float x, y, z; int id; };
    __global__ void k(Particle *p, float *out) {
        float4 v = reinterpret_cast<float4 *>(out)[threadIdx.x];
        p[threadIdx.x].z = v.w;
        Particle q = p[threadIdx.x];
        out[threadIdx.x] = q.x;
    }"""
    trace = run(source)
    assert accesses(trace, "out", AccessKind.LOAD)[0].size == 16
    member, whole = accesses(trace, "p")
    assert member.size == 4 and list(member.address[:2]) == [8, 24] and member.field_of.name == "Particle"
    assert whole.size == 16 and whole.field_of is None


def test_local_arrays() -> None:
    source = """__global__ void k(int *out) {
        int a[4] = {1, 2, 3};
        for (int j = 0; j < 4; ++j) a[j] += j;
        a[threadIdx.x % 4] *= 10;
        out[threadIdx.x] = a[0] * 1000 + a[1] * 100 + a[threadIdx.x % 2];
    }"""
    trace = run(source)

    def expected(t: int) -> int:
        a = [1, 3, 5, 3]
        a[t % 4] *= 10
        return a[0] * 1000 + a[1] * 100 + a[t % 2]

    assert list(stored(trace).value[:8]) == [expected(t) for t in range(8)]
    local = trace.accesses(Space.LOCAL)
    assert {a.text for a in local} == {"a[threadIdx.x % 4]", "a[threadIdx.x % 2]"}
    assert len({a.object.id for a in local}) == 1 and local[0].object.symbol is not None


def test_xor_swizzle() -> None:
    source = """__global__ void k(int *out) {
        __shared__ int s[32][32];
        int x = threadIdx.x % 32, y = threadIdx.x / 32;
        s[y][x ^ y] = 1;
    }"""
    store = accesses(run(source), "s")[0]
    assert elements(store)[:64] == [y * 32 + (x ^ y) for y in range(2) for x in range(32)]


def test_the_same_buffer_given_twice_is_one_object() -> None:
    source = "__global__ void k(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }"
    args = (ArgValue(object="d", offset_bytes=0), ArgValue(object="d", offset_bytes=256))
    load, store = run(source, args=args).accesses()
    assert load.object is store.object and store.address[0] == 256 and not load.object.may_alias
    load, store = run(source).accesses()
    assert load.object is not store.object and load.object.may_alias


def test_pointers_in_a_record_argument() -> None:
    source = """
    struct View { float *data; int pitch; };
    __global__ void k(View v, View w) { v.data[threadIdx.x * v.pitch] = w.data[threadIdx.x]; }"""
    args = (ArgValue(elements=(("pitch", 3),)), ArgValue())
    load, store = run(source, args=args).accesses()
    assert store.object.name == "v.data" and load.object.name == "w.data"
    assert elements(store)[:3] == [0, 3, 6]


def test_pointers_loaded_from_memory() -> None:
    source = """__global__ void k(float **rows) {
        float *row = rows[blockIdx.x];
        row[threadIdx.x] = 1.f;
        rows[threadIdx.x][0] = 2.f;
    }"""
    uniform, varying = (a for a in run(source).accesses() if a.kind is AccessKind.STORE)
    assert uniform.object is not varying.object
    assert not uniform.address_taint & OPAQUE and varying.address_taint & Taint.LOADED


def test_pointer_chosen_per_lane_is_two_accesses() -> None:
    source = """__global__ void k(float *a, float *b) {
        float *p = threadIdx.x < 16 ? a : b + 4;
        p[threadIdx.x] = 1.f;
    }"""
    first, second = run(source, grid=(1, 1, 1)).accesses()
    assert {first.object.name, second.object.name} == {"a", "b"}
    assert {int(first.mask.sum()), int(second.mask.sum())} == {16, 48}


def test_constants_with_initialisers_are_exact() -> None:
    source = """
    __constant__ int table[4] = {3, 1, 4, 1};
    __constant__ int unknown;
    __global__ void k(int *out) { out[table[threadIdx.x % 4] + 64 * unknown] = table[2]; }"""
    trace = run(source)
    store = stored(trace)
    assert set(store.value) == {4} and store.address_taint == Taint.ASSUMED
    assert accesses(trace, "table")[0].object.space is Space.CONSTANT


def test_compound_assignment_loads_then_stores() -> None:
    source = "__global__ void k(int *out) { out[threadIdx.x] += 2; out[threadIdx.x]++; }"
    assert [a.kind.value for a in run(source).accesses()] == ["load", "store"] * 2


# -- calls -----------------------------------------------------------------------------------------------------


def test_functions_references_functors_and_lambdas() -> None:
    source = """
    struct Scale { int by; __device__ int operator()(int v) const { return v * by; } };
    template <class F> __device__ int apply(F f, int v) { return f(v); }
    __device__ void bump(int &v, int by = 1) { v += by; }
    __device__ int clamp(int v) { if (v > 20) return 20; return v; }
    __global__ void k(int *out) {
        int v = threadIdx.x, two = 2;
        bump(v); bump(v, 3);
        Scale s; s.by = 3;
        out[threadIdx.x] = clamp(apply(s, v) + apply([=](int q) { return q + two; }, v));
    }"""
    store = stored(run(source))
    assert list(store.value[:8]) == [min(20, (t + 4) * 3 + t + 6) for t in range(8)]


def test_members_and_constructors() -> None:
    source = """
    struct Counter {
        int n;
        __device__ Counter(int start) : n(start * 2) {}
        __device__ void add(int d) { n += d; }
        __device__ int get() const { return n; }
    };
    __global__ void k(int *out) { Counter c(threadIdx.x); c.add(5); out[threadIdx.x] = c.get(); }"""
    assert list(stored(run(source)).value[:4]) == [5, 7, 9, 11]


def test_calls_are_told_and_recursion_ends() -> None:
    source = """
    __device__ int f(int n) { return n < 2 ? 1 : f(n - 1) * n; }
    __device__ void put(int *p) { p[threadIdx.x] = 1; }
    __global__ void k(int *out) { put(out + f(threadIdx.x)); }"""
    trace = run(source)
    store = stored(trace)
    assert len(store.calls) == 1 and store.calls[0].line == 4
    assert store.address_taint & Taint.UNKNOWN and any("recursion" in why for _, why in trace.unknown)


def test_unknown_functions_taint_what_they_are_given() -> None:
    source = """
    __device__ int mystery(int *p);
    __global__ void k(int *out) { int v = 1; int r = mystery(&v); out[v] = 1; out[r] = 2; }"""
    trace = run(source)
    first, second = accesses(trace, "out")
    assert first.address_taint & Taint.UNKNOWN and second.address_taint & Taint.UNKNOWN
    assert [(e.name, e.known) for e in trace.events if isinstance(e, CallEvent)] == [("mystery", False)]


def test_integer_intrinsics() -> None:
    source = """__global__ void k(int *out) {
        int t = threadIdx.x;
        out[t] = __popc(t) + 10 * __ffs(t) + 1000 * __clz(t) + 100000 * min(t, 3) + max(t, 5);
    }"""

    def expected(t: int) -> int:
        first = (t & -t).bit_length()
        return t.bit_count() + 10 * first + 1000 * (32 - t.bit_length()) + 100000 * min(t, 3) + max(t, 5)

    assert list(stored(run(source)).value[:64]) == [expected(t) for t in range(64)]


def test_shuffles_permute_lanes() -> None:
    source = """__global__ void k(int *out) {
        int v = threadIdx.x;
        out[threadIdx.x] = __shfl_sync(~0u, v, 3);
        out[threadIdx.x] = __shfl_xor_sync(~0u, v, 1);
        out[threadIdx.x] = __shfl_down_sync(~0u, v, 4, 8);
        out[threadIdx.x] = __shfl_up_sync(0xffffu, v, 2);
    }"""
    trace = run(source)
    broadcast, xor, down, up = (list(s.value[32:42]) for s in accesses(trace, "out"))
    assert broadcast == [35] * 10
    assert xor == [33, 32, 35, 34, 37, 36, 39, 38, 41, 40]
    assert down == [36, 37, 38, 39, 36, 37, 38, 39, 44, 45]
    assert up == [32, 33, 32, 33, 34, 35, 36, 37, 38, 39]
    syncs = [e for e in trace.events if isinstance(e, Sync)]
    assert [s.members is None for s in syncs] == [True, True, True, False]
    assert set(syncs[3].members) == {0xFFFF} and syncs[2].width == 8


def test_votes_and_counting_barrier() -> None:
    source = """__global__ void k(int *out) {
        int t = threadIdx.x;
        int any = __any_sync(~0u, t == 40);
        unsigned ballot = __ballot_sync(~0u, t % 2);
        out[t] = any + (ballot == 0xaaaaaaaau ? 10 : 0) + 100 * __syncthreads_count(t < 7);
    }"""
    values = stored(run(source)).value
    assert values[0] == 710 and values[63] == 711


def test_atomics_return_distinct_values() -> None:
    source = """__global__ void k(int *count, int *out) {
        int slot = atomicAdd(count, 1);
        out[slot] = 1;
        atomicMax_block(&count[threadIdx.x], slot);
    }"""
    trace = run(source)
    first, second = (a for a in trace.accesses() if a.kind is AccessKind.ATOMIC)
    assert first.scope == "device" and second.scope == "block" and second.text == "count[threadIdx.x]"
    store = stored(trace)
    assert store.address_taint == Taint.ATOMIC and len(set(store.address)) == 128


def test_barriers_fences_and_groups() -> None:
    source = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int *out) {
        cg::thread_block block = cg::this_thread_block();
        auto tile = cg::tiled_partition<8>(block);
        __syncwarp(); tile.sync(); block.sync(); __threadfence(); cg::sync(block);
        out[block.thread_rank()] = tile.thread_rank() + 100 * tile.meta_group_rank();
        asm volatile("bar.sync 0;");
        cg::this_grid().sync();
    }"""
    trace = run(source)
    kinds = [e.kind for e in trace.events if isinstance(e, Sync)]
    assert kinds == [
        SyncKind.WARP,
        SyncKind.TILE,
        SyncKind.BLOCK,
        SyncKind.FENCE,
        SyncKind.BLOCK,
        SyncKind.BLOCK,
        SyncKind.GRID,
    ]
    store = stored(trace)
    assert list(store.value[:10]) == [0, 1, 2, 3, 4, 5, 6, 7, 100, 101]
    assert (store.interval, store.warp_interval) == (2, 4)


def test_barrier_in_divergent_code_tells_who_is_alive() -> None:
    source = """__global__ void k(int *out) {
        if (threadIdx.x >= 60) return;
        if (threadIdx.x < 32) __syncthreads();
    }"""
    (sync,) = (e for e in run(source).events if isinstance(e, Sync))
    assert sync.mask.sum() == 64 and sync.alive.sum() == 120


def test_loads_and_stores_by_intrinsic() -> None:
    source = (
        "__global__ void k(const float *in, float *out) { __stcs(out + threadIdx.x, __ldg(&in[threadIdx.x * 2])); }"
    )
    load, store = run(source).accesses()
    assert load.text == "in[threadIdx.x * 2]" and elements(load)[:3] == [0, 2, 4]
    assert elements(store)[:3] == [0, 1, 2]


def test_nothing_raises_on_what_is_not_understood() -> None:
    source = """__global__ void k(int *out) {
        int *p = new int[4];
        p[threadIdx.x] = 1;
        out[threadIdx.x] = *(int *)nullptr;
        int z = 0;
        out[5 / z] = threadIdx.x % z;
        out[1] = (int)__frcp_rn((float)z) + (int)rsqrtf(-1.f);
    }"""
    trace = run(source)
    assert trace.complete and trace.unknown


def test_lane_grid_describes_the_lanes() -> None:
    lanes = run("__global__ void k(int n, int *out) { out[0] = n; }", (48, 1, 1)).lanes
    assert lanes.count == 3 * 2 * 48 and lanes.worlds == 3
    assert len(set(lanes.warp)) == 12 and set(lanes.cta) == set(range(6))
    assert list(np.unique(lanes.world)) == [0, 1, 2] and lanes.lane.max() == 31


def test_array_parameters_are_pointers() -> None:
    source = "__global__ void k(float out[4][5], float in[]) { out[threadIdx.x][1] = in[threadIdx.x]; }"
    load, store = run(source).accesses(Space.GLOBAL)
    assert elements(load)[:3] == [0, 1, 2] and elements(store)[:3] == [1, 6, 11]


def test_block_collectives_synchronise_and_give_unknown_values() -> None:
    source = """
    #include <cub/cub.cuh>
    __global__ void k(float *out, const float *in) {
        typedef cub::BlockReduce<float, 64> Reduce;
        __shared__ typename Reduce::TempStorage storage;
        float sum = Reduce(storage).Sum(in[threadIdx.x]);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }"""
    trace = run(source)
    assert [e.kind for e in trace.events if isinstance(e, Sync)] == [SyncKind.NAMED]
    assert stored(trace).value_taint & Taint.UNKNOWN and not trace.unknown


@pytest.mark.parametrize(
    "body",
    [
        "int *p = in + threadIdx.x; int &r = *p; out[r] = 1;",
        "out[taken(*(in + threadIdx.x))] = 1;",
        "int *p = in + threadIdx.x; out[taken(*p)] = 1;",
        "out[given(in + threadIdx.x)] = 1;",
        "Sub s{in + threadIdx.x}; int i = s; out[i] = 1;",
    ],
)
def test_a_reference_to_what_a_pointer_points_to_leads_there(body: str) -> None:
    trace = run(
        "__device__ int taken(int &r) { return r; }\n"
        "__device__ int &given(int *p) { return *p; }\n"
        "struct Sub { int *data; __device__ operator int &() { return *data; } };\n"
        f"__global__ void k(int *in, int *out) {{ {body} }}\n"
    )
    (load,) = accesses(trace, "in", AccessKind.LOAD)
    assert elements(load)[:3] == [0, 1, 2]
    assert stored(trace).address_taint & Taint.LOADED


def test_a_reference_to_a_pointer_is_bound_to_the_pointer() -> None:
    trace = run("__global__ void k(int *p, int *out) { int *&q = p; q = q + 5; out[threadIdx.x] = *p; }\n")
    assert set(elements(accesses(trace, "p", AccessKind.LOAD)[0])) == {5}


def test_a_converted_number_is_bound_as_a_new_value() -> None:
    trace = run(
        "template <class T> __device__ T half_of(const T &a) { return a / 2; }\n"
        "__global__ void k(const short *in, float *out) { out[threadIdx.x] = half_of<float>(in[threadIdx.x * 3]); }\n"
    )
    (load,) = accesses(trace, "in", AccessKind.LOAD)
    assert load.size == 2
    assert elements(load, 2)[:3] == [0, 3, 6]


def test_loaded_floats_that_become_indices_differ_between_lanes() -> None:
    trace = run("__global__ void k(const float *x, float *out) { out[(int)x[threadIdx.x]] = 1; }")
    access = stored(trace)
    assert access.address_taint & Taint.LOADED
    assert len(set(elements(access)[:32])) > 16
