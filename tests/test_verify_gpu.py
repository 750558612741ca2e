"""The worker on a real GPU: equal and different results, faults, hangs, speed both ways, A/A runs."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from cudalint.verify.job import Argument, Build, Job
from cudalint.verify.session import Session
from cudalint.verify.statistics import judge_times, speed_verdict
from cudalint.verify.verdict import Verdict

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no CUDA device: {error}")
    if not count:
        pytest.skip("no CUDA device")
    with Session() as made:
        yield made


def integer(value: int) -> Argument:
    return Argument("scalar", data=struct.pack("<i", value).hex())


def floats(count: int, role: str = "inout") -> Argument:
    return Argument("buffer", nbytes=4 * count, dtype="float32", role=role)


def build(source: str, name: str, grid: tuple[int, int, int], block: tuple[int, int, int]) -> Build:
    return Build(grid, block, 0, name, source=source)


TRANSPOSE = """
#define TILE 32
extern "C" __global__ void naive(const float *in, float *out, int n) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
template <int PAD> __device__ void tiled(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void unpadded(const float *in, float *out, int n) { tiled<0>(in, out, n); }
extern "C" __global__ void padded(const float *in, float *out, int n) { tiled<1>(in, out, n); }
extern "C" __global__ void wrong(const float *in, float *out, int n) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x] + (x == 5 && y == 7);
}
"""


def transpose(before: str, after: str, n: int = 4096) -> Job:
    grid, block = (n // 32, n // 32, 1), (32, 32, 1)
    args = (floats(n * n, "in"), floats(n * n, "out"), integer(n))
    return Job(build(TRANSPOSE, before, grid, block), build(TRANSPOSE, after, grid, block), args)


def test_tiling_a_transpose_is_equal_and_faster(session: Session) -> None:
    outcome = session.run(transpose("naive", "padded"))
    assert outcome.error == ""
    assert outcome.equal == "bitwise"
    timing = judge_times(outcome.before_ms, outcome.after_ms, outcome.again_ms)
    print("naive -> padded", timing, "copy", outcome.copy_gbs)
    assert speed_verdict(timing) is Verdict.FASTER
    assert timing.ratio > 2.0


def test_padding_a_real_conflict_is_faster_and_removing_it_slower(session: Session) -> None:
    for pair, verdict in ((("unpadded", "padded"), Verdict.FASTER), (("padded", "unpadded"), Verdict.SLOWER)):
        outcome = session.run(transpose(*pair))
        timing = judge_times(outcome.before_ms, outcome.after_ms, outcome.again_ms)
        print(pair, timing)
        assert speed_verdict(timing) is verdict


PRODUCT = """
#define TILE 32
template <int PAD> __device__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0.f;
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
extern "C" __global__ void plain(const float *a, const float *b, float *c, int n) { product<0>(a, b, c, n); }
extern "C" __global__ void padded(const float *a, const float *b, float *c, int n) { product<1>(a, b, c, n); }
"""


def test_padding_a_product_without_conflicts_is_slower(session: Session) -> None:
    """Its inner loop reads a broadcast and consecutive words: padding costs vector loads, and gains nothing."""
    n = 1024
    grid, block = (n // 32, n // 32, 1), (32, 32, 1)
    args = (floats(n * n, "in"), floats(n * n, "in"), floats(n * n, "out"), integer(n))
    outcome = session.run(Job(build(PRODUCT, "plain", grid, block), build(PRODUCT, "padded", grid, block), args))
    timing = judge_times(outcome.before_ms, outcome.after_ms, outcome.again_ms)
    print("padded product", timing)
    assert outcome.equal == "bitwise"
    assert speed_verdict(timing) is Verdict.SLOWER


def test_one_wrong_element_is_found(session: Session) -> None:
    outcome = session.run(transpose("naive", "wrong"))
    assert outcome.equal == "different"
    assert "argument 1" in outcome.where


FAULTS = """
extern "C" __global__ void good(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2.f;
}
extern "C" __global__ void hang(volatile float *p, int n) { while (p[n - 1] < 1e30f) { p[0] = 1.f; } }
extern "C" __global__ void fault(float *p, int n) { p[(1ll << 40) + n] = 1.f; }
extern "C" __global__ void beyond(float *p, int n) { p[n + threadIdx.x] = 1.f; }
"""


def fault_job(after: str, count: int = 1024) -> Job:
    grid, block = (4, 1, 1), (256, 1, 1)
    sides = [build(FAULTS, name, grid, block) for name in ("good", after)]
    return Job(sides[0], sides[1], (floats(count), integer(min(count, 1024))), budget_s=0.5)


def test_a_fault_is_reported_and_the_next_job_runs(session: Session) -> None:
    outcome = session.run(fault_job("fault"))
    assert outcome.stage == "run"
    assert "illegal memory access" in outcome.error
    assert session.run(fault_job("good")).equal == "bitwise"


def test_a_write_outside_the_buffer_is_caught(session: Session) -> None:
    assert (
        session.run(fault_job("beyond")).out_of_bounds == "the fixed kernel writes outside the buffer of argument 0"
    )


def test_a_hang_ends_and_the_next_job_runs(session: Session) -> None:
    outcome = session.run(fault_job("hang"), limit_s=10.0)
    assert outcome.stage == "hang"
    assert "the fixed kernel hangs" in outcome.error
    assert session.run(fault_job("good")).equal == "bitwise"


def test_more_memory_than_the_card_has_is_refused(session: Session) -> None:
    outcome = session.run(fault_job("good", count=1 << 42))
    assert outcome.stage == "memory"


def test_a_source_that_does_not_compile_is_reported(session: Session) -> None:
    good = fault_job("good")
    bad = Build((1, 1, 1), (32, 1, 1), 0, "k", source='extern "C" __global__ void k(nothing p) {}')
    outcome = session.run(Job(good.before, bad, good.args))
    assert outcome.stage == "build"
    assert "nothing" in outcome.error


AA = """
extern "C" __global__ void work(float *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = p[i] * 2.f + 1.f;
}
"""


@pytest.mark.parametrize("count", [1 << 16, 1 << 20, 1 << 24, 1 << 28])
def test_the_same_kernel_twice_is_never_faster_or_slower(session: Session, count: int) -> None:
    """25 A/A runs at each size, from about 5 us to 1 ms: 0 of 100 may claim anything."""
    claims = []
    for run in range(25):
        sides = [
            build(f"// {side} {run}\n{AA}", "work", (min(count // 256, 65535), 1, 1), (256, 1, 1)) for side in "ab"
        ]
        outcome = session.run(Job(sides[0], sides[1], (floats(count), integer(count)), seeds=1, budget_s=0.3))
        timing = judge_times(outcome.before_ms, outcome.after_ms, outcome.again_ms)
        if speed_verdict(timing) is not Verdict.NO_GAIN:
            claims.append(timing)
    print(count, "last", timing)
    assert claims == []
