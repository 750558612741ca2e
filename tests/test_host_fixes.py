"""The fixes of the host rules: what they write, that the finding is then gone, and where they stay away."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic
from cudalint.lint.fixes import Seen, fix_files
from cudalint.lint.frontend.parse import parse_file
from cudalint.rules.base import SourceRule
from cudalint.rules.cud502_unchecked_kernel_launch import UncheckedKernelLaunch
from cudalint.rules.cud503_allocation_in_loop import AllocationInLoop
from cudalint.rules.cud603_grid_truncating_division import GridTruncatingDivision
from cudalint.rules.cud604_grid_counted_in_threads import GridCountedInThreads

HEAD = """#include <cuda_runtime.h>
#include <cstdlib>
#include <ctime>
#define TRY(c) do { cudaError_t e = (c); if (e != cudaSuccess) exit(1); } while (0)
#define B 256
#define TORN 128 + 128
__global__ void k(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 0; }
__global__ void late(float* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i] = 0;
}
__global__ void sums(float* p, float* s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[blockIdx.x], p[i]);
}
__global__ void loose(float* p, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 0;
    atomicAdd(count, 1);
}
"""


def lint(content: bytes, rule: SourceRule) -> list[Diagnostic]:
    return list(rule.check(Unit(parse_file("t.cu", content=content))))


def fixed(rule: SourceRule, host: str) -> str | None:
    """The host code after the fix, with no finding left; None where there is a finding and no edit for it."""
    content = (HEAD + host).encode()
    assert lint(content, rule), "there is nothing to fix"

    def seen(contents: Mapping[str, bytes]) -> Seen:
        return Seen(tuple(lint(contents.get("t.cu", content), rule)))

    made = fix_files(lambda _: content, seen({}), seen, lambda finding: bool(finding.fix and finding.fix.edits))
    if not made.files:
        assert not made.refused, "an edit was offered that does not help"
        return None
    assert not made.seen.findings
    return made.files["t.cu"].after.decode().removeprefix(HEAD)


# -- grids -------------------------------------------------------------------------------------------


def launched(host: str) -> str:
    return "void f(float* d, float* s, int* c, int n, int b, bool odd) { " + host + " }\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k<<<n, 256>>>(d, n);", "k<<<(n + 255) / 256, 256>>>(d, n);"),
        ("k<<<n, B>>>(d, n);", "k<<<(n + B - 1) / B, B>>>(d, n);"),
        ("k<<<n, TORN>>>(d, n);", "k<<<(n + (TORN) - 1) / (TORN), TORN>>>(d, n);"),
        ("int t = 64; k<<<n, 2 * t>>>(d, n);", "int t = 64; k<<<(n + (2 * t) - 1) / (2 * t), 2 * t>>>(d, n);"),
        ("late<<<dim3(n, 1), dim3(32)>>>(d, n);", "late<<<dim3((n + 31) / 32, 1), dim3(32)>>>(d, n);"),
        (
            "dim3 block(B); dim3 grid(n); k<<<grid, block>>>(d, n);",
            "dim3 block(B); dim3 grid((n + B - 1) / B); k<<<grid, block>>>(d, n);",
        ),
        (
            "dim3 grid(n); k<<<grid, 64>>>(d, n); k<<<grid, 64>>>(s, n);",
            "dim3 grid((n + 63) / 64); k<<<grid, 64>>>(d, n); k<<<grid, 64>>>(s, n);",
        ),
        ("k<<<(n + b - 1) / b * b, b>>>(d, n);", "k<<<(n + b - 1) / b, b>>>(d, n);"),
        ("k<<<b * ((n + b - 1) / b), b>>>(d, n);", "k<<<(n + b - 1) / b, b>>>(d, n);"),
        (
            "dim3 t(b); dim3 grid((n + t.x - 1) / t.x * t.x); k<<<grid, t>>>(d, n);",
            "dim3 t(b); dim3 grid((n + t.x - 1) / t.x); k<<<grid, t>>>(d, n);",
        ),
    ],
)
def test_a_grid_in_threads_is_divided_or_not_multiplied(before: str, after: str) -> None:
    assert fixed(GridCountedInThreads(), launched(before)) == launched(after)


@pytest.mark.parametrize(
    "host",
    [
        "int g = n; if (odd) g++; dim3 grid(n); k<<<grid, 256>>>(d, n); c[0] = grid.x;",  # used elsewhere
        "dim3 grid(n); auto again = [&] { return grid.x; }; k<<<grid, 256>>>(d, n); c[0] = again();",
        "dim3 grid(n); int t = 64; k<<<grid, 2 * t>>>(d, n); t = 3;",  # t is not there where grid is made
        "sums<<<(n + b - 1) / b * b, b>>>(d, s, n);",  # writes one sum per block
        "loose<<<n, 256>>>(d, c, n);",  # counts threads, not elements
        "\n#define GO k<<<n, 256>>>(d, n)\n GO;",
    ],
)
def test_a_grid_that_something_else_rests_on_is_left_alone(host: str) -> None:
    assert fixed(GridCountedInThreads(), launched(host)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k<<<n / 256, 256>>>(d, n);", "k<<<(n + 255) / 256, 256>>>(d, n);"),
        ("k<<<n / B, B>>>(d, n);", "k<<<(n + B - 1) / B, B>>>(d, n);"),
        ("late<<<1000 / 128, 128>>>(d, 1000);", "late<<<(1000 + 127) / 128, 128>>>(d, 1000);"),
        ("int g = n / b; k<<<g, b>>>(d, n);", "int g = (n + b - 1) / b; k<<<g, b>>>(d, n);"),
        ("k<<<(odd ? n : n) / 64, 64>>>(d, odd ? n : n);", "k<<<((odd ? n : n) + 63) / 64, 64>>>(d, odd ? n : n);"),
        (
            "dim3 g = dim3((unsigned)(n / b), 1, 1); k<<<g, b>>>(d, n);",
            "dim3 g = dim3((unsigned)((n + b - 1) / b), 1, 1); k<<<g, b>>>(d, n);",
        ),
    ],
)
def test_a_quotient_is_rounded_up(before: str, after: str) -> None:
    assert fixed(GridTruncatingDivision(), launched(before)) == launched(after)


@pytest.mark.parametrize(
    "host",
    [
        "sums<<<n / 256, 256>>>(d, s, n);",  # one more block writes one more sum than there is room for
        "loose<<<n / 256, 256>>>(d, c, n);",
        "int g = n / b; cudaMalloc(&s, g * 4); k<<<g, b>>>(d, n);",
        "int g = n / b; cudaMemset(&g, 0, 4); g = n / b; k<<<g, b>>>(d, n);",
    ],
)
def test_a_quotient_that_something_else_rests_on_stays(host: str) -> None:
    assert fixed(GridTruncatingDivision(), launched(host)) is None


# -- launches ----------------------------------------------------------------------------------------


def checked(host: str) -> str:
    return "void f(float* d, int n, bool odd) {\n    TRY(cudaSetDevice(0));\n" + host + "}\n"


QUERY = "TRY(cudaGetLastError());"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    k<<<1, 32>>>(d, n);\n", f"    k<<<1, 32>>>(d, n);\n    {QUERY}\n"),
        ("    k<<<1, 32>>>(d, n);  // zero\n", f"    k<<<1, 32>>>(d, n);  // zero\n    {QUERY}\n"),
        ("    k<<<1, 32>>>(d, n);  \r\n", f"    k<<<1, 32>>>(d, n);  \n    {QUERY}\r\n"),
        ("    if (odd) { k<<<1, 32>>>(d, n); }\n", f"    if (odd) {{ k<<<1, 32>>>(d, n); {QUERY} }}\n"),
        (
            "    switch (n) {\n    case 1:\n        k<<<1, 32>>>(d, n);\n        break;\n    }\n",
            f"    switch (n) {{\n    case 1:\n        k<<<1, 32>>>(d, n);\n        {QUERY}\n        break;\n    }}\n",
        ),
        ("    k<<<1, 32>>>(\n        d, n);\n", f"    k<<<1, 32>>>(\n        d, n);\n    {QUERY}\n"),
    ],
)
def test_a_launch_is_asked_after(before: str, after: str) -> None:
    assert fixed(UncheckedKernelLaunch(), checked(before)) == checked(after)


def test_launches_that_are_reported_together_are_asked_after_together() -> None:
    after = fixed(UncheckedKernelLaunch(), checked("    k<<<1, 32>>>(d, n);\n" * 6))
    assert after == checked(f"    k<<<1, 32>>>(d, n);\n    {QUERY}\n" * 6)


@pytest.mark.parametrize(
    "host",
    [
        checked("    if (odd) k<<<1, 32>>>(d, n);\n    else d = nullptr;\n"),
        checked("    for (int i = 0; i < n; i++)\n        k<<<1, 32>>>(d, n);\n"),
        checked("    odd ? k<<<1, 32>>>(d, n) : late<<<1, 32>>>(d, n);\n"),
        checked("\n#define GO k<<<1, 32>>>(d, n);\n    GO\n"),
        "void f(float* d, int n) { k<<<1, 32>>>(d, n); cudaDeviceSynchronize(); }\n",  # no macro is in use
        "#define GIVE(c) do { if ((c) != cudaSuccess) return 1; } while (0)\n"
        "int g() { GIVE(cudaSetDevice(0)); return 0; }\n"
        "void f(float* d, int n) { k<<<1, 32>>>(d, n); cudaDeviceSynchronize(); }\n",
        "#define SAY(c, what) do { if ((c) != cudaSuccess) exit(what); } while (0)\n"
        "void f(float* d, int n) { SAY(cudaSetDevice(0), 1); k<<<1, 32>>>(d, n); }\n",  # wants more than a call
        "void f(float* d, int n) { k<<<1, 32>>>(d, n); cudaDeviceSynchronize(); }\n#define LATER(c) TRY(c)\n"
        "void g(float* d) { LATER(cudaSetDevice(0)); LATER(cudaSetDevice(0)); }\n",
    ],
)
def test_a_launch_without_a_place_for_the_query_is_left_alone(host: str) -> None:
    found = lint((HEAD + host).encode(), UncheckedKernelLaunch())
    assert {f.fix.applicability for f in found if f.fix} == {Applicability.DISPLAY}


# -- allocations -------------------------------------------------------------------------------------


def looped(body: str, head: str = "for (int s = 0; s < steps; ++s)", before: str = "", after: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    first, last = ("".join(f"    {line}\n" for line in text.split("\n") if line) for text in (before, after))
    return f"void f(float* u, int n, int steps, bool odd) {{\n{first}    {head} {{\n{lines}    }}\n{last}}}\n"


WORK = "k<<<(n + 255) / 256, 256>>>(t, n);"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            looped(f"float* t;\nTRY(cudaMalloc(&t, n * sizeof(float)));\n{WORK}\nTRY(cudaFree(t));"),
            looped(WORK, before="float* t;\nTRY(cudaMalloc(&t, n * sizeof(float)));", after="TRY(cudaFree(t));"),
        ),
        (
            looped(
                f"cudaMalloc((void**)&t, 4 * n);\ncudaMemset(t, 0, 4 * n);\n{WORK}\ncudaFree(t);", before="float* t;"
            ),
            looped(
                f"cudaMemset(t, 0, 4 * n);\n{WORK}",
                before="float* t;\ncudaMalloc((void**)&t, 4 * n);",
                after="cudaFree(t);",
            ),
        ),
        (
            looped(f"float *t, *r;\ncudaMalloc(&t, 4 * n);\ncudaMalloc(&r, n);\n{WORK}\ncudaFree(t);\ncudaFree(r);"),
            looped(
                WORK,
                before="float *t, *r;\ncudaMalloc(&t, 4 * n);\ncudaMalloc(&r, n);",
                after="cudaFree(t);\ncudaFree(r);",
            ),
        ),
        (
            looped(
                f"float* t = nullptr;\ncudaMalloc(&t, 4 * n);\nfor (;;) {{ if (odd) break; {WORK} }}\ncudaFree(t);"
            ),
            looped(
                f"for (;;) {{ if (odd) break; {WORK} }}",
                before="float* t = nullptr;\ncudaMalloc(&t, 4 * n);",
                after="cudaFree(t);",
            ),
        ),
    ],
)
def test_an_allocation_is_taken_out_of_its_loop(before: str, after: str) -> None:
    assert fixed(AllocationInLoop(), before) == after


MALLOC = "float* t;\ncudaMalloc(&t, 4 * n);\n"


@pytest.mark.parametrize(
    "host",
    [
        looped(f"int m = n;\nfloat* t;\ncudaMalloc(&t, 4 * m);\n{WORK}\ncudaFree(t);"),  # m is made inside
        looped(f"{MALLOC}{WORK}\nif (odd) break;\ncudaFree(t);"),
        looped(f"{MALLOC}{WORK}\nif (odd) continue;\ncudaFree(t);"),
        looped(f"{MALLOC}{WORK}\nif (odd) return;\ncudaFree(t);"),
        looped(f"{MALLOC}{WORK}\nif (odd) cudaFree(t);"),
        looped(f"{MALLOC}{WORK}\ncudaFree(t);\nu += clock();"),
        looped(f"{MALLOC}{WORK}\nfloat** q = &t;\nif (!*q) return;\ncudaFree(t);"),
        looped(f"{MALLOC}{WORK}\ncudaFree(t);", head="#pragma omp parallel for\n    for (int s = 0; s < steps; ++s)"),
        looped(f"{MALLOC}{WORK}\ncudaFree(t);", after="float* t = u;\nk<<<1, 32>>>(t, n);"),  # the name is taken
        looped(f"float *t, *r = u;\ncudaMalloc(&t, 4 * n);\n{WORK}\ncudaFree(t);"),  # r stays
        looped(f"{MALLOC}cudaStream_t q;\ncudaStreamCreate(&q);\nk<<<1, 32, 0, q>>>(t, n);\ncudaFree(t);"),
        looped(f"cudaMalloc(&t, 4 * n);\n{WORK}\ncudaFree(t);", before="float* t;", head="if (odd) while (steps--)"),
    ],
)
def test_an_allocation_that_iterations_cannot_share_stays(host: str) -> None:
    found = lint((HEAD + host).encode(), AllocationInLoop())
    assert found
    assert all(f.fix is not None and not f.fix.edits for f in found)
