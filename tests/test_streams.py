"""Work on streams: what is ordered, what meets, and what the host may touch."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.hostflow_streams import Findings, stream_findings
from cudalint.lint.analysis.kernel_touch import ParameterTouch, parameter_touches
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend.parse import parse_file

HEAD = """#include <cuda_runtime.h>
__global__ void k(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
void use(float);
void run(int n, int steps, bool some) {
    float *d, *e, *h, *m;
    cudaStream_t a, b, s[4];
    cudaEvent_t done;
    cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4); cudaMallocHost(&h, n * 4); cudaMallocManaged(&m, n * 4);
    cudaStreamCreate(&a); cudaStreamCreate(&b); cudaEventCreate(&done);
    for (int i = 0; i < 4; ++i) cudaStreamCreate(&s[i]);
"""
COPY = "cudaMemcpyAsync(d, h, n * 4, cudaMemcpyHostToDevice, a);"
BACK = "cudaMemcpyAsync(h, d, n * 4, cudaMemcpyDeviceToHost, a);"
LAUNCH = "k<<<n, 256, 0, b>>>(d, n);"


def found(body: str, before: str = "", flags: tuple[str, ...] = ()) -> Findings:
    return stream_findings(Unit(parse_file("t.cu", content=(before + HEAD + body + "}").encode(), flags=flags)))


@pytest.mark.parametrize(
    ("body", "races"),
    [
        (COPY + LAUNCH, 1),
        (LAUNCH + COPY, 1),
        ("k<<<n, 256, 0, a>>>(d, n);" + LAUNCH, 1),
        (COPY + "cudaStreamSynchronize(a);" + LAUNCH, 0),
        (COPY + "cudaStreamSynchronize(b);" + LAUNCH, 1),
        (COPY + "cudaEventRecord(done, a); cudaStreamWaitEvent(b, done, 0);" + LAUNCH, 0),
        (COPY + "k<<<n, 256>>>(e, n);" + LAUNCH, 0),
        (COPY + "cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);" + LAUNCH, 0),
        (COPY + "extern void wait_for(cudaStream_t); wait_for(a);" + LAUNCH, 0),
        ("if (some) {" + COPY + "} else {" + LAUNCH + "}", 0),
        ("if (some) {" + COPY + "}" + LAUNCH, 1),
        (COPY + "if (some) cudaDeviceSynchronize();" + LAUNCH, 0),
        (COPY + "k<<<n, 256, 0, b>>>(e, n);", 0),
        (BACK + "cudaMemcpyAsync(e, d, n * 4, cudaMemcpyDeviceToDevice, b);", 0),
        ("for (int i = 0; i < steps; ++i) {" + LAUNCH + COPY + "cudaStreamSynchronize(a); }", 1),
        ("for (int i = 0; i < steps; ++i) k<<<n, 256, 0, s[i % 4]>>>(d, n);", 1),
        ("for (int i = 0; i < steps; ++i) { k<<<n, 256, 0, s[i % 4]>>>(d, n); cudaDeviceSynchronize(); }", 0),
        ("for (int i = 0; i < steps; ++i) k<<<n, 256, 0, s[i % 4]>>>(d + i * 256, 256);", 0),
        ("for (int i = 0; i < steps; ++i) k<<<n, 256, 0, s[2]>>>(d, n);", 0),
        ("k<<<n, 256, 0, s[0]>>>(d, n); k<<<n, 256, 0, s[1]>>>(d, n);", 1),
        ("cudaMemsetAsync(d, 0, 64, a); cudaMemsetAsync(d + 16, 0, 64, b);", 0),
        ("cudaMemsetAsync(d, 0, 64, a); cudaMemsetAsync(d + 15, 0, 64, b);", 1),
    ],
)
def test_a_race_needs_one_buffer_and_no_order(body: str, races: int) -> None:
    assert len(found(body).races) == races


@pytest.mark.parametrize(
    ("body", "early"),
    [
        (BACK + "use(h[0]);", 1),
        (BACK + "h[0] = 1;", 1),
        (COPY + "use(h[0]);", 0),
        (COPY + "h[0] = 1;", 1),
        (COPY + "cudaFreeHost(h);", 1),
        (BACK + "cudaStreamSynchronize(a); use(h[0]);", 0),
        (BACK + "cudaStreamSynchronize(b); use(h[0]);", 1),
        (BACK + "cudaEventRecord(done, a); cudaEventSynchronize(done); use(h[0]);", 0),
        (BACK + "use(1); use(h[0]);", 0),
        ("cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, a); h[16] = 1;", 0),
        ("cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, a); h[15] = 1;", 1),
        ("k<<<n, 256>>>(m, n); m[0] = 1;", 1),
        ("k<<<n, 256>>>(m, n); cudaDeviceSynchronize(); m[0] = 1;", 0),
        ("for (int i = 0; i < steps; ++i) { h[i] = i; " + COPY + "}", 1),
        ("for (int i = 0; i < steps; ++i) { h[i] = i; " + COPY + "cudaStreamSynchronize(a); }", 0),
    ],
)
def test_the_host_waits_before_it_touches_memory_in_use(body: str, early: int) -> None:
    assert len(found(body).early) == early


PIPELINE = "for (int i = 0; i < steps; ++i) { cudaMemsetAsync(d + i, 0, 4, s[i % 4]); k<<<1, 32>>>(d + i, 1); }"


def test_the_default_stream_serialises_unless_it_is_one_per_thread() -> None:
    assert len(found(PIPELINE).serialised) == 1
    assert not found(PIPELINE, flags=("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",)).serialised
    assert not found(PIPELINE, before="#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n").serialised
    assert not found(PIPELINE.replace("<<<1, 32>>>", "<<<1, 32, 0, s[i % 4]>>>")).serialised


@pytest.mark.parametrize(
    ("kernel", "touch"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; p[i] = 1;", ParameterTouch(True, True)),
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 64) p[i] = 1;",
            ParameterTouch(True, True),
        ),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0) p[i] = 1;",
            ParameterTouch(True, False),
        ),
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; p[i + n] = 1;", ParameterTouch(True, False)),
        ("atomicAdd(&p[n], 1.0f);", ParameterTouch(True, False, True)),
    ],
)
def test_what_the_first_thread_surely_touches(kernel: str, touch: ParameterTouch) -> None:
    unit = parse_file("t.cu", content=f"__global__ void k(float* p, int n) {{ {kernel} }}".encode())
    touches = parameter_touches(unit, unit.kernels()[0])
    assert [t for found in touches.values() for t in found] == [touch]
