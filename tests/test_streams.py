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


FREE = "cudaStream_t f; cudaStreamCreateWithFlags(&f, cudaStreamNonBlocking); "


@pytest.mark.parametrize(
    ("body", "races"),
    [
        # The default stream, and blocking copies, wait for blocking streams only.
        (FREE + "k<<<n, 256, 0, f>>>(d, n); cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);", 1),
        ("k<<<n, 256, 0, a>>>(d, n); cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);", 0),
        (FREE + "k<<<n, 256, 0, f>>>(d, n); cudaStreamSynchronize(0);" + LAUNCH, 1),
        (FREE + "k<<<n, 256, 0, f>>>(d, n); cudaDeviceSynchronize();" + LAUNCH, 0),
        (FREE + "k<<<n, 256, 0, f>>>(d, n); cudaMemPrefetchAsync(m, 4, 0, 0);" + LAUNCH, 0),
        # A copy to pageable memory waits for its own stream, but is a race before that.
        (LAUNCH + "float p[4]; cudaMemcpyAsync(p, d, 16, cudaMemcpyDeviceToHost, a);", 1),
        (LAUNCH + "float p[4]; cudaMemcpyAsync(p, e, 16, cudaMemcpyDeviceToHost, a);" + COPY, 1),
        (LAUNCH + "float p[4]; cudaMemcpyAsync(p, e, 16, cudaMemcpyDeviceToHost, b);" + COPY, 0),
        # Work behind work on the default stream is behind what that waited for.
        (LAUNCH + "k<<<n, 256>>>(e, n);" + COPY, 0),
        (LAUNCH + "k<<<n, 256>>>(e, n);" + FREE + "k<<<n, 256, 0, f>>>(d, n);", 1),
        # Rows.
        (LAUNCH + "cudaMemset2DAsync(d, 64, 0, 16, 4, a);", 1),
        (LAUNCH + "cudaMemcpy2DAsync(h, 64, d, 64, 16, 4, cudaMemcpyDeviceToHost, a);", 1),
        (LAUNCH + "cudaMemcpy2DAsync(e, 64, h, 64, 16, 4, cudaMemcpyHostToDevice, a);", 0),
    ],
)
def test_what_the_default_stream_and_copies_wait_for(body: str, races: int) -> None:
    assert len(found(body).races) == races


@pytest.mark.parametrize(
    ("body", "early"),
    [
        ("k<<<n, 256, 0, a>>>(m, n); cudaStreamSynchronize(b); use(m[0]);", 1),
        ("k<<<n, 256, 0, a>>>(m, n); k<<<n, 256>>>(e, n); use(m[0]);", 1),
        ("k<<<n, 256, 0, a>>>(m, n); k<<<n, 256>>>(e, n); cudaStreamSynchronize(0); use(m[0]);", 0),
        ("k<<<n, 256, 0, a>>>(m, n); k<<<n, 256>>>(e, n); cudaStreamSynchronize(b); use(m[0]);", 0),
        ("k<<<n, 256>>>(m, n); cudaMemcpy(d, e, 4, cudaMemcpyDeviceToDevice); use(m[0]);", 1),
        ("k<<<n, 256>>>(m, n); cudaMemcpy(h, e, 4, cudaMemcpyDeviceToHost); use(m[0]);", 0),
        ("k<<<n, 256, 0, a>>>(m, n); cudaMemset(m, 0, 4); use(m[0]);", 0),
        (FREE + "k<<<n, 256>>>(m, n); k<<<n, 256, 0, f>>>(e, n); cudaStreamSynchronize(f); use(m[0]);", 1),
        # A kernel that is given a part of a buffer may leave the rest alone.
        ("k<<<n, 256>>>(m + 256, n); use(m[0]);", 0),
    ],
)
def test_what_a_wait_of_the_host_is_for(body: str, early: int) -> None:
    assert len(found(body).early) == early


@pytest.mark.parametrize(
    ("body", "early"),
    [
        ("k<<<n, 256>>>(d, n); MPI_Send(d, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);", 1),
        ("k<<<n, 256, 0, a>>>(d, n); MPI_Request r; MPI_Isend(d, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &r);", 1),
        ("k<<<n, 256>>>(d, n); cudaDeviceSynchronize(); MPI_Send(d, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);", 0),
        ("k<<<n, 256>>>(d, n); MPI_Send(e, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);", 0),
        ("k<<<n, 256>>>(d + 256, n); MPI_Send(d, 256, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);", 0),
        ("k<<<n, 256>>>(d, n); MPI_Allreduce(e, d, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);", 1),
    ],
)
def test_messages_are_exchanged_without_regard_to_streams(body: str, early: int) -> None:
    assert len(found(body, before="#include <mpi.h>\n").early) == early


@pytest.mark.parametrize(
    ("kernel", "early"),
    [
        ("s.out[i] = 1;", 1),
        ("s.in[i] += s.out[i];", 0),
        ("put(s.out, i);", 1),
        ("put(s.in, i);", 0),
        ("*(s.out + i) = 1;", 1),
        ("for (int j = 0; j < i; ++j) __nanosleep(100); s.out[i] = 1;", 1),
        ("while (s.in[0] == 0) __nanosleep(100); s.out[i] = 1;", 0),
        ("s.out[i] = 1; __threadfence_system();", 0),
    ],
)
def test_kernels_write_through_members_and_callees(kernel: str, early: int) -> None:
    before = (
        "struct S { float* in; float* out; }; __device__ void put(float* p, int i) { p[i] = 1; }"
        f"__global__ void w(S s) {{ int i = threadIdx.x; {kernel} }}\n"
    )
    assert len(found("S t; t.in = d; t.out = m; w<<<1, 32>>>(t); use(m[0]);", before=before).early) == early


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
