"""What the host interpreter knows: values, memory, loops, branches, statuses."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.host import Interpreter
from cudalint.lint.analysis.hosteffects import ApiCall, Choice, HostAccess, LaunchCall, Loop
from cudalint.lint.analysis.hostflow import HostFlow, items_of
from cudalint.lint.analysis.hostflow_errors import ErrorFlow
from cudalint.lint.analysis.hostflow_launch import ceil_division
from cudalint.lint.analysis.hostflow_loops import loop_allocations
from cudalint.lint.analysis.hostvalues import Atom, AtomKind, Memory, Pointer, Term, Values, scenarios, substituted
from cudalint.lint.frontend.parse import parse_file

HEAD = """#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>
__global__ void k(float* p, int n) { p[n] = 0; }
"""
MACRO = "#define TRY(c) do { cudaError_t e = (c); if (e != cudaSuccess) exit(1); } while (0)\n"


def flow(source: str) -> HostFlow:
    return HostFlow(parse_file("t.cu", content=(HEAD + source).encode()))


def call(found: HostFlow, name: str) -> ApiCall:
    return next(c for _, c in found.calls(name))


def source_of(found: HostFlow) -> Pointer:
    """Where the (only) copy of a program reads from."""
    value = call(found, "cudaMemcpy").args[1]
    assert isinstance(value, Pointer)
    return value


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("float* h = (float*)malloc(n);", Memory.MALLOC),
        ("float* q = new float[n]; float* h = q + 4;", Memory.NEW),
        ("std::vector<float> v(n); float* h = v.data();", Memory.VECTOR),
        ("std::vector<float> v(n); float* h = &v[2];", Memory.VECTOR),
        ("float a[8]; float* h = a;", Memory.STACK),
        ("static float a[8]; float* h = &a[1];", Memory.STATIC),
        ("void* r; cudaHostAlloc(&r, n, 0); float* h = static_cast<float*>(r);", Memory.PINNED),
        ("struct S { float* m; } s; cudaMallocHost(&s.m, n); S* t = &s; float* h = t->m;", Memory.PINNED),
        ("float* h; cudaMallocManaged(&h, n);", Memory.MANAGED),
        ("float* h = other;", Memory.UNKNOWN),
    ],
)
def test_memory_is_followed_to_where_it_comes_from(host: str, kind: Memory) -> None:
    found = flow(
        "void f(float* d, float* other, int n) { " + host + " cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); }"
    )
    assert source_of(found).object.kind is kind


def test_members_that_a_constructor_sets_are_known_in_methods() -> None:
    found = flow("""struct B { float* h; B(int n) { cudaMallocHost(&h, n); }
        void up(float* d, int n) { cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); } };""")
    assert source_of(found).object.kind is Memory.PINNED


def test_registering_pins() -> None:
    found = flow("""void f(float* d, int n) { float* h = (float*)malloc(n); cudaHostRegister(h, n, 0);
        cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); }""")
    assert not source_of(found).object.pageable


def test_do_while_zero_is_no_loop_and_counted_loops_know_their_trips() -> None:
    found = flow(MACRO + "void f(float* d) { for (int i = 0; i < 6; i += 2) TRY(cudaMemset(d, 0, i)); }")
    visit = next(v for v, _ in found.calls("cudaMemset"))
    assert [loop.trip for loop in visit.loops] == [3]


def test_a_pointer_swap_keeps_its_first_iteration() -> None:
    found = flow("""void f(float* a, float* b, int n) {
        for (int i = 0; i < n; ++i) { k<<<1, 32>>>(a, n); float* t = a; a = b; b = t; } }""")
    (launch,) = (item for _, item in found.launches())
    value = launch.args[0]
    assert isinstance(value, Atom)
    assert value.kind is AtomKind.LOOP
    assert isinstance(value.first, Pointer)
    assert value.first.object.name == "a"


def test_host_access_is_recorded_with_what_it_touches() -> None:
    found = flow("float f(int n) { float* d; cudaMalloc(&d, n); d[1] = 2; return d[0]; }")
    touched = [v.item for v in found.visits if isinstance(v.item, HostAccess)]
    assert [(t.write, t.object.kind) for t in touched] == [(True, Memory.DEVICE), (False, Memory.DEVICE)]


def test_an_undecided_branch_has_both_sides_and_a_known_one_only_its_own() -> None:
    found = flow("""void f(float* d, int n) { if (n > 4) cudaMemset(d, 0, 1); else cudaMemset(d, 0, 2);
        if (1 + 1 == 2) cudaMemset(d, 0, 3); else cudaMemset(d, 0, 4); }""")
    sizes = [c.args[2] for _, c in found.calls("cudaMemset")]
    assert sizes == [1, 2, 3]
    assert sum(isinstance(v.item, Choice) for v in found.visits) == 1


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("cudaMemset(d, 0, 1); return cudaSuccess;", False),
        ("(void)cudaMemset(d, 0, 1); return cudaSuccess;", True),
        ("return cudaMemset(d, 0, 1);", True),
        ("cudaError_t e = cudaMemset(d, 0, 1); e = cudaSuccess; return e;", False),
        ("cudaError_t e = cudaMemset(d, 0, 1); if (e) abort(); return cudaSuccess;", True),
        ("TRY(cudaMemset(d, 0, 1)); return cudaSuccess;", True),
        ("auto check = [](cudaError_t e) { if (e) throw e; }; check(cudaMemset(d, 0, 1)); return cudaSuccess;", True),
        ("last = cudaMemset(d, 0, 1); return cudaSuccess;", True),
        (
            "bool ok = true; ok = ok && cudaMemset(d, 0, 1) == cudaSuccess; if (!ok) abort(); return cudaSuccess;",
            True,
        ),
    ],
)
def test_whether_a_status_is_looked_at(body: str, used: bool) -> None:
    found = flow(MACRO + "cudaError_t last; cudaError_t f(float* d) { " + body + " }")
    assert call(found, "cudaMemset").used is used


def test_the_projects_check_macro_is_found() -> None:
    found = flow(MACRO + "void f(float* d) { TRY(cudaMemset(d, 0, 1)); TRY(cudaDeviceSynchronize()); }")
    assert ErrorFlow(found).macro() == "TRY"


def test_helpers_that_read_clocks_are_paired() -> None:
    found = flow("""#include <ctime>
        static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
        double f() { double a = now(); double b = now(); return b - a; }""")
    begin, end = (c.id for _, c in found.calls("clock_gettime"))
    assert found.host.timed == {(begin, end)}


def test_recursion_and_runaway_code_end() -> None:
    body = "".join(f"void f{i}(int n) {{ f{i + 1}(n); f{i + 1}(n + 1); f{i + 1}(n * 2); }}" for i in range(12, 0, -1))
    declared = "".join(f"void f{i}(int n);" for i in range(1, 15))
    source = declared + body + "void f13(int n) { if (n) f13(n - 1); cudaDeviceSynchronize(); }"
    interpreter = Interpreter(parse_file("t.cu", content=(HEAD + source).encode()))
    program = interpreter.interpret()
    assert program.complete
    assert any(c.name == "cudaDeviceSynchronize" for c in program.calls)


def test_launches_in_called_functions_have_the_loops_of_their_callers() -> None:
    found = flow("""static void go(float* d, int n) { k<<<1, 32>>>(d, n); }
        void f(float* d, int n) { while (n-- > 0) go(d, n); }""")
    ((visit, launch),) = found.launches()
    assert isinstance(launch, LaunchCall)
    assert isinstance(visit.loops[0], Loop)
    assert [e.run.function.name for e in visit.enters] == ["go"]
    assert any(i is launch for i in items_of(visit.loops[0].body))


def test_arithmetic_folds_and_scenarios_keep_sides_together() -> None:
    values = Values()
    n = values.fresh(AtomKind.PARAM, "n")
    assert values.op("/", -7, 2) == -3
    assert values.op("%", -7, 2) == -1
    assert values.op("+", values.op("*", n, 1), 0) == n
    wide = values.op(">", n, 4)
    pair = (values.ite(wide, 16, 32), values.ite(wide, 8, 4))
    seen = {tuple(substituted(v, values, known) for v in pair) for known in scenarios(pair, values)}
    assert seen == {(16, 8), (32, 4)}


@pytest.mark.parametrize("divisor", [256, None])
def test_rounded_up_quotients_are_recognised(divisor: int | None) -> None:
    values = Values()
    n = values.fresh(AtomKind.PARAM, "n")
    by = divisor or values.fresh(AtomKind.PARAM, "b")
    up = values.op("/", values.op("-", values.op("+", n, by), 1), by)
    assert ceil_division(up) == (n, by)
    assert ceil_division(values.op("+", values.op("/", n, by), 1)) == (n, by)
    assert ceil_division(values.op("/", n, by)) is None
    assert isinstance(up, Term)


PLANS = """#include <cufft.h>
void run(cufftComplex* x, int n, int steps) {
    for (int s = %s) {
        cufftHandle plan;
        cufftPlan1d(&plan, %s, CUFFT_C2C, 1);
        cufftExecC2C(plan, x, x, CUFFT_FORWARD);
        cufftDestroy(plan);
    }
}
"""


@pytest.mark.parametrize(
    ("loop", "size", "found"),
    [("0; s < steps; ++s", "n", 1), ("64; s < n; s *= 2", "s", 0), ("0; s < 8; ++s", "n", 0)],
)
def test_a_plan_is_made_in_vain_only_where_its_size_stays(loop: str, size: str, found: int) -> None:
    assert len(list(loop_allocations(flow(PLANS % (loop, size))))) == found
