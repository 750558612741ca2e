"""Races that turn on values nobody states: a parameter of a kernel judged by itself, a local that is never set."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.frontend import parse_file
from cudalint.rules.cud401_missing_syncthreads import MissingSyncthreads
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


def test_an_enumeration_is_no_distance():
    head = INT_KERNEL.replace("__global__", "enum Mode { NONE, ONE };\n__global__").replace("int d", "Mode d")
    assert found(NEXT, head=head) == []


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


def test_an_atomic_given_arguments_that_none_takes_is_still_one():
    (finding,) = found("  a[t] = 1;\n  atomicInc(&a[t + 1], 1);\n")
    assert "updates `a[32]` and thread 32 writes it" in finding.message


SCATTER = "  int at = b[t];\n  a[t + at] += 1;\n"


def test_an_index_that_is_loaded_in_part_is_told_of_a_kernel_by_itself():
    (finding,) = found(SCATTER)
    assert "loads in part" in finding.message
    assert finding.severity is Severity.INFO
    assert found(SCATTER, Options()) == []


@pytest.mark.parametrize("index", ["t * 64 + at", "t + at * 128", "t + at + b[d]"])
def test_an_index_that_keeps_threads_apart_or_may_is_not_told(index):
    assert found(f"  int at = b[t];\n  a[{index}] += 1;\n") == []


SHARED_KERNEL = (
    "__global__ void k(float* a, const float* b, int n) {\n  __shared__ float s[64];\n  int t = threadIdx.x;\n"
)


def test_an_array_that_each_thread_copies_is_told_as_information():
    body = "  for (int i = 0; i < 10; ++i) s[i] = b[i];\n  __syncthreads();\n  a[t] = s[t % 10];\n"
    (finding,) = missing(body)
    assert finding.message.startswith("all 128 threads of the block store the same values to `s[0]`")
    assert finding.severity is Severity.INFO


@pytest.mark.parametrize(
    "store",
    [
        pytest.param("s[3] = b[0];", id="one element"),
        pytest.param("for (int i = 0; i < 10; ++i) s[i] = 0;", id="a constant"),
        pytest.param("if (t == 0) for (int i = 0; i < 10; ++i) s[i] = b[i];", id="one thread"),
        pytest.param("if (t < 10) s[t] = b[t];", id="own elements"),
    ],
)
def test_stores_of_one_value_that_are_meant_are_left_alone(store):
    assert missing(f"  {store}\n  __syncthreads();\n  a[t] = s[t % 10];\n") == []


def missing(body: str) -> list[Diagnostic]:
    text = f"#include <cuda_runtime.h>\n{SHARED_KERNEL}{body}}}\n"
    return list(MissingSyncthreads().check(Unit(parse_file("k.cu", content=text.encode()), GIVEN)))
