"""Races that turn on values nobody states: a parameter of a kernel judged by itself, a local that is never set."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.frontend import parse_file
from cudalint.rules.cud405_global_memory_race import GlobalMemoryRace

GIVEN = Options(block=(128, 1, 1), grid=(1, 1, 1))
INT_KERNEL = "__global__ void k(int* a, const int* b, int d, int n) {\n  int t = threadIdx.x;\n"
NEXT = "  int v = a[t + d];\n  a[t] += v;\n"


def found(body: str, options: Options = GIVEN, head: str = INT_KERNEL, tail: str = "") -> list[Diagnostic]:
    text = f"#include <cassert>\n#include <cuda_runtime.h>\n{head}{body}}}\n{tail}"
    return list(GlobalMemoryRace().check(Unit(parse_file("k.cu", content=text.encode()), options)))


def test_a_distance_is_solved_for_and_said():
    (finding,) = found(NEXT)
    assert finding.message.startswith("if `d` is 1, thread 32 writes `a[32]` and thread 31 reads it")
    assert (finding.severity, finding.confidence) == (Severity.INFO, Confidence.LOW)
    assert finding.evidence["given"] == {"d": 1}


def test_the_one_value_is_found_with_which_two_threads_meet():
    (finding,) = found("  if (t == 7) a[t + d] = 1;\n  if (t == 100) a[t] = 2;\n")
    assert finding.evidence["given"] == {"d": 93}


def test_nothing_is_solved_for_without_a_launch_on_the_command_line():
    assert found(NEXT, Options()) == []


def test_nothing_is_solved_for_where_the_file_launches_the_kernel():
    host = "void run(int* a, int* b, int d, int n) { k<<<1, 128>>>(a, b, d, n); }\n"
    assert found(NEXT, tail=host) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("  if (t < d) a[t] += a[t + d];\n", id="guard"),
        pytest.param("  if (t >= d) return;\n  a[t] += a[t + d];\n", id="early return"),
        pytest.param("  for (int i = t; i < d; i += 128) a[i] += a[i + d];\n", id="loop bound"),
        pytest.param("  assert(d >= 128);\n" + NEXT, id="assert"),
        pytest.param("  __builtin_assume(d == blockDim.x);\n" + NEXT, id="assume"),
        pytest.param("  __needs(d > 127 && d < 4096);\n" + NEXT, id="annotation"),
        pytest.param("  __needs(d >= n);\n" + NEXT, id="annotation that is not told"),
        pytest.param("  a[t] += a[t * d];\n", id="stride"),
        pytest.param("  a[t] += a[t + 2 * d];\n", id="multiple"),
        pytest.param("  for (int i = 0; i < 4; ++i) a[t] += a[t + i * d];\n", id="planes"),
        pytest.param("  a[t] = b[t + d];\n", id="other buffer"),
        pytest.param("  int v = a[t + d];\n  __syncthreads();\n  a[t] += v;\n", id="barrier"),
    ],
)
def test_no_value_makes_threads_meet(body):
    assert found(body) == []


def test_values_that_the_kernel_states_are_taken_from_its_range():
    (finding,) = found("  assert(d > 5);\n" + NEXT)
    assert finding.evidence["given"] == {"d": 6}


RECORD = "struct P { int x, y; };\n__device__ void set(P& p);\n__global__ void k(P* a, int* b) {\n"


@pytest.mark.parametrize(
    "body",
    ["  P p;\n  a[42] = p;\n", "  int v;\n  b[3] = v;\n"],
)
def test_a_local_that_is_never_set_differs_between_threads(body):
    (finding,) = found(body, head=RECORD)
    assert "in the same statement" in finding.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("  P p;\n  set(p);\n  a[42] = p;\n", id="by reference"),
        pytest.param("  P p;\n  p.x = 1;\n  p.y = 2;\n  a[42] = p;\n", id="by field"),
        pytest.param("  P p = a[0];\n  a[42] = p;\n", id="initialised"),
        pytest.param("  int v;\n  auto f = [&] { v = 1; };\n  f();\n  b[3] = v;\n", id="by lambda"),
        pytest.param('  int v;\n  asm("mov.u32 %0, 5;" : "=r"(v));\n  b[3] = v;\n', id="by assembly"),
        pytest.param("  int v;\n  MISSING(v);\n  b[3] = v;\n", id="by what is not declared"),
        pytest.param("  P p;\n  if (threadIdx.x == 0) a[42] = p;\n", id="one thread"),
    ],
)
def test_a_local_that_may_be_set_is_left_alone(body):
    assert found(body, head=RECORD) == []
