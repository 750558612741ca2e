"""Library calls, atomics and calls of what is not declared, as the executor understands them."""

from __future__ import annotations

import numpy as np
import pytest
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.trace import (
    OPAQUE,
    Access,
    AccessKind,
    CallEvent,
    LaunchShape,
    ShapeSource,
    Sync,
    SyncKind,
    Taint,
    Trace,
)
from cudalint.lint.frontend import parse_file


def run(source: str, threads: int = 64, blocks: int = 1) -> Trace:
    program = parse_file("test.cu", content=source.encode())
    (kernel,) = program.kernels()
    return execute(program, kernel, LaunchShape((threads, 1, 1), (blocks, 1, 1), ShapeSource.OPTION))


def stores(trace: Trace, name: str) -> list[Access]:
    return [a for a in trace.accesses() if a.object.name == name and a.kind is AccessKind.STORE]


def addresses(access: Access, size: int = 4) -> list[int]:
    return (access.address[access.mask] // size).tolist()


# -- the library -----------------------------------------------------------------------------------------------


def test_a_group_synchronizes_by_either_name() -> None:
    trace = run("""#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int *a) { cg::thread_block b = cg::this_thread_block(); a[b.thread_rank()] = 1;
        cg::synchronize(b); cg::sync(b); a[0] = 2; }""")
    assert [s.kind for s in trace.events if isinstance(s, Sync)] == [SyncKind.BLOCK] * 2
    assert [a.interval for a in stores(trace, "a")] == [0, 2]


@pytest.mark.parametrize("prefix", ["", "__builtin_"])
@pytest.mark.parametrize("size", [5, 6, 12])
def test_copied_bytes_are_one_access(prefix: str, size: int) -> None:
    trace = run(f"""struct S {{ short x, y; }};
    __global__ void k(const S *in, S *out) {{
        {prefix}memcpy(&out[threadIdx.x], &in[threadIdx.x], {size});
        {prefix}memmove((char *)&out[threadIdx.x] + 1, &in[threadIdx.x], {size});
        {prefix}memset(&out[threadIdx.x], 0, {size}); }}""")
    assert not trace.unknown
    assert [(a.kind.value, a.object.name, a.size, int(a.address[3])) for a in trace.accesses()] == [
        ("load", "in", size, 12),
        ("store", "out", size, 12),
        ("load", "in", size, 12),
        ("store", "out", size, 13),
        ("store", "out", size, 12),
    ]


def test_random_numbers_change_a_state_that_threads_share() -> None:
    trace = run("""#include <curand_kernel.h>
    __global__ void k(curandState *shared, curandState *own, float *out) {
        curand_init(1, 0, 0, shared);
        out[threadIdx.x] = curand_uniform(shared) + curand_uniform(&own[threadIdx.x]); }""")
    init, draw = stores(trace, "shared")
    assert not addresses(init, 1)[5] and init.size > 4
    assert len(set(init.value.tolist())) == len(set(draw.value.tolist())) == 64
    assert not stores(trace, "own")


@pytest.mark.parametrize(("threads", "values"), [(256, 1), (512, 512)])
def test_a_twister_serves_256_threads_of_one_block(threads: int, values: int) -> None:
    trace = run(
        """#include <curand_kernel.h>
    __global__ void k(curandStateMtgp32 *state, unsigned *out) { out[threadIdx.x] = curand(state); }""",
        threads,
    )
    (draw,) = stores(trace, "state")
    assert len(set(draw.value.tolist())) == values


# -- atomics ---------------------------------------------------------------------------------------------------


def slots(operand: str, blocks: int = 1, call: str = "atomicAdd(count, {})") -> Access:
    body = f"int slot = {call.format(operand)}; out[slot] = threadIdx.x;"
    (store,) = stores(run(f"__global__ void k(int *count, int *out) {{ {body} }}", 64, blocks), "out")
    return store


def test_threads_that_add_something_get_results_of_their_own() -> None:
    store = slots("1", blocks=2)
    assert store.address_taint == Taint.ATOMIC and len(set(addresses(store))) == 128


def test_threads_that_add_nothing_get_one_result() -> None:
    store = slots("0")
    assert not store.address_taint & OPAQUE and len(set(addresses(store))) == 1


@pytest.mark.parametrize(("call", "step"), [("atomicAdd(count, {})", 1), ("atomicSub(count, {})", -1)])
def test_sums_run_over_the_threads(call: str, step: int) -> None:
    found = np.array(addresses(slots("threadIdx.x", 2, call)))
    total = 63 * 64 // 2
    expected = [block * total + t * (t - 1) // 2 if t else block * total for block in range(2) for t in range(64)]
    assert ((found - found[0]) * step).tolist() == expected
    assert found[0] == found[1] and found[1] != found[2]


def test_a_counter_goes_on_in_the_next_round() -> None:
    trace = run("""__global__ void k(int *count, int *out) {
        for (int r = 0; r < 3; ++r) {
            int n = threadIdx.x % 2, at = atomicAdd(count, n);
            if (n) out[at] = r; } }""")
    used = [slot for store in stores(trace, "out") for slot in addresses(store)]
    assert len(used) == len(set(used)) == 96


@pytest.mark.parametrize("operand", ["count[1]", "out[threadIdx.x]"])
def test_sums_of_what_memory_holds_are_not_known(operand: str) -> None:
    assert slots(operand).address_taint & Taint.ATOMIC


# -- records ---------------------------------------------------------------------------------------------------


def made(expression: str) -> Access:
    (store,) = stores(run(f"__global__ void k(float2 *out, float2 *in) {{ out[0] = {expression}; }}"), "out")
    return store


def test_records_made_of_different_numbers_differ() -> None:
    value = made("make_float2(1.f, threadIdx.x)").value
    assert value is not None and len(set(value.tolist())) == 64


def test_records_made_of_the_same_numbers_are_the_same() -> None:
    value = made("make_float2(1.f, 2.f)").value
    assert value is not None and len(set(value.tolist())) == 1
    assert made("make_float2(2.f, 1.f)").value[0] != value[0]


def test_records_from_memory_have_no_number() -> None:
    assert made("in[threadIdx.x]").value is None


# -- what is not declared --------------------------------------------------------------------------------------


def test_an_undeclared_call_may_be_a_barrier() -> None:
    trace = run("__global__ void k(int *a) { a[threadIdx.x] = 1; BLOCK_BARRIER(); a[0] = 2; }")
    (call,) = (e for e in trace.events if isinstance(e, CallEvent))
    first, second = stores(trace, "a")
    assert (call.name, call.known) == ("BLOCK_BARRIER", False) and first.order < call.order < second.order


def test_an_undeclared_call_may_change_what_it_is_given() -> None:
    trace = run("__global__ void k(int *a) { int x = 0, y = 0; INPUT(x, y + 1); a[x] = 1; a[y] = 2; }")
    first, second = stores(trace, "a")
    assert first.address_taint & Taint.UNKNOWN and not second.address_taint


def test_annotations_of_verifiers_hide_nothing() -> None:
    trace = run("""__global__ void k(int *a) {
        __requires(blockDim.x > 0); int x = threadIdx.x; __assert(__implies(__enabled(), __distinct_int(x)));
        for (int i = 0; __invariant(i >= 0), i < 2; ++i) a[x] = i; __assert(a[x] == 1); }""")
    assert trace.complete
    assert [(len(addresses(s)), s.address_taint) for s in stores(trace, "a")] == [(64, Taint.EXACT)] * 2
