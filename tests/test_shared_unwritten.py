"""CUD607: what a block reads of shared memory that none of its threads has written."""

from __future__ import annotations

import numpy as np
import pytest
from cudalint.lint.analysis.exec_memory import Disturbance
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.shared_unwritten import Unwritten, unwritten_reads
from cudalint.lint.analysis.trace import AccessKind, LaunchShape, ShapeSource
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend.parse import parse_file

HEAD = "#include <cuda_runtime.h>\n#include <cuda_pipeline.h>\n"
KERNEL = "__global__ void k(float* out, const float* in, const int* at, int n) {{ int t = threadIdx.x; {} }}\n"
LAUNCH = "void run(float* out, const float* in, const int* at, int n) {{ k<<<4, {}>>>(out, in, at, n); }}\n"


def unwritten(body: str, block: str = "64", launch: str = LAUNCH) -> list[Unwritten]:
    program = parse_file("t.cu", content=(HEAD + KERNEL.format(body) + launch.format(block)).encode())
    assert not program.notes, [n.message for n in program.notes]
    return list(unwritten_reads(Unit(program)))


FILL = "__shared__ float s[128]; s[t] = in[t]; __syncthreads(); "


@pytest.mark.parametrize(
    ("body", "element", "missing"),
    [
        (FILL + "out[t] = s[127 - t];", 127, 64),
        (FILL + "out[t] = s[t] + s[t + 64];", 64, 64),
        (FILL + "float sum = 0; for (int i = 0; i < 128; ++i) sum += s[i]; out[t] = sum;", 127, 1),
        # Whether the tile is read does not depend on how often the loop runs.
        ("__shared__ float s[128]; float sum = 0; for (int i = 0; i < n; ++i) { s[t] = in[i]; __syncthreads();"
         " sum += s[t + 64]; __syncthreads(); } out[t] = sum;", 64, 64),
        ("extern __shared__ float s[]; s[t] = in[t]; __syncthreads(); out[t] = s[t + 1];", 64, 1),
        ("__shared__ float s[128]; __pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit();"
         " __pipeline_wait_prior(0); __syncthreads(); out[t] = s[t + 64];", 64, 64),
        ("__shared__ float s[64]; out[t] = s[t]; s[t] = in[t];", 0, 64),
        ("__shared__ float s[64]; if (t > 0) s[t] = 0; __syncthreads(); atomicAdd(&s[t], in[t]); __syncthreads();"
         " out[t] = s[t];", 0, 1),
    ],
)  # fmt: skip
def test_elements_that_no_thread_writes(body: str, element: int, missing: int) -> None:
    (found,) = unwritten(body)
    assert (found.element, found.missing, found.never) == (element, missing, False)


@pytest.mark.parametrize(
    "body",
    [
        # All elements are written: in a loop that is followed, or cut short, or on a condition that is not known.
        "__shared__ float s[128]; for (int i = t; i < 96; i += 64) s[i] = in[i]; __syncthreads(); out[t] = s[95-t];",
        "__shared__ float s[8192]; for (int i = t; i < 8192; i += 64) s[i] = in[i]; __syncthreads();"
        " out[t] = s[6400 + t];",
        "__shared__ float s[128]; for (int i = t; i < n; i += 64) s[i] = in[i]; __syncthreads(); out[t] = s[t + 64];",
        "__shared__ float s[128]; if (t < n) s[t + 64] = in[t]; s[t] = 0; __syncthreads(); out[t] = s[t + 64];",
        "__shared__ float s[128]; s[t] = 0; if (at[t]) s[t + 64] = 1; __syncthreads(); out[t] = s[t + 64];",
        "__shared__ float s[128]; s[at[t]] = in[t]; __syncthreads(); out[t] = s[t + 64];",
        # What is read is kept from reaching memory, or is not certain to be read.
        FILL + "float other = s[t + 64]; out[t] = t < 64 ? s[t] : other;",
        FILL + "s[t + 64] = 1; __syncthreads(); out[t] = s[t + 64];",
        FILL + "if (t + 1 < n) out[t] = s[t + 1];",
        FILL + "if (t + 1 >= n) return; out[t] = s[t + 1];",
        FILL + "float sum = 0; for (int i = 0; i < n; ++i) sum += s[i]; out[t] = sum;",
        FILL + "if (at[t] < 64) out[t] = s[at[t]];",
        # Writes that are not seen.
        FILL + 'asm volatile("st.shared.f32 [%0], %1;" :: "r"(t), "f"(1.0f)); out[t] = s[t + 64];',
        FILL + "extern __device__ void fill(float*); fill(s); out[t] = s[t + 64];",
        "__shared__ int c; atomicExch(&c, 0); __syncthreads(); atomicAdd(&c, at[t]); __syncthreads(); out[0] = c;",
    ],
)
def test_nothing_is_said_where_a_write_may_have_been_or_the_read_changes_nothing(body: str) -> None:
    assert unwritten(body) == []


COUNTER = "__shared__ int c; if (at[t] > n) atomicAdd(&c, 1); __syncthreads(); if (t == 0) out[0] = c;"


def test_a_counter_that_is_never_set_whatever_the_launch() -> None:
    for launch in (LAUNCH, "\n"):
        (found,) = unwritten(COUNTER, launch=launch)
        assert found.never
        assert found.access.kind is AccessKind.ATOMIC


def test_what_block_is_launched_decides() -> None:
    body = FILL + "out[t] = s[127 - t];"
    assert unwritten(body, "128") == []
    assert unwritten(body, "96")[0].missing == 32
    assert unwritten(body, launch="\n") == []
    assert unwritten(body, "n") == []


def test_each_array_is_reported_once() -> None:
    two = "__shared__ float s[128], r[128]; s[t] = r[t] = in[t]; __syncthreads(); "
    found = unwritten(two + "out[t] = s[t + 64]; out[t + 64] = r[t + 64] * s[127 - t];")
    assert [f.access.object.name for f in found] == ["s", "r"]


def test_disturbed_content_is_read_until_it_is_overwritten() -> None:
    source = HEAD + "__global__ void k(int* out) { __shared__ int s[32]; int a = s[threadIdx.x]; s[threadIdx.x] = 7;"
    program = parse_file("t.cu", content=(source + "out[0] = a; out[1] = s[threadIdx.x]; }").encode())
    (kernel,) = program.kernels()
    shape = LaunchShape((32, 1, 1), (1, 1, 1), ShapeSource.OPTION)

    def values(*disturbed: Disturbance) -> list[int]:
        trace = execute(program, kernel, shape, disturbed=disturbed)
        return [int(a.value[0]) for a in trace.accesses() if a.object.name == "out" and a.value is not None]

    (array,) = [o.id for o in execute(program, kernel, shape).objects if o.name == "s"]
    usual, later = values()
    assert values(Disturbance(array, np.arange(128), lasting=False)) == [0x4A4A4A4A, 7]
    assert values(Disturbance(array, np.arange(4, 128), lasting=False)) == [usual, later]
    assert values(Disturbance(array, np.arange(128), lasting=True)) == [0x4A4A4A4A, 0x4A4A4A4A]
