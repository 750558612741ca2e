"""Made-up sizes that fit each other, and what in a launch lets results vary."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.frontend import parse_file
from cudalint.lint.registry import load_registry
from cudalint.verify.assume import Choice, assumed_spec
from cudalint.verify.plan import Plan, launch_misfits, plan_doubts, plan_launch
from cudalint.verify.sides import Pair, Sides
from cudalint.verify.values import NotVerifiableError
from cudalint.verify.verifier import fixed_contents


def unit(tmp_path: Path, text: str) -> Unit:
    path = tmp_path / "k.cu"
    path.write_text(text)
    return Unit(parse_file(str(path)))


def pair(made: Unit, code: str) -> Pair:
    finding: Diagnostic = next(f for f in load_registry().source_rules((code,))[0].check(made) if f.fix)
    path = made.program.path
    other = Unit(parse_file(path, content=fixed_contents(finding, made)[path]))
    return Pair(finding, made, other, made.kernels[0])


def numbers(sides: Sides) -> Mapping[str, int]:
    plan = sides[0].plan
    integers = zip(plan.kernel.params, plan.args, strict=False)
    return {p.name: struct.unpack("<i", bytes.fromhex(a.data))[0] for p, a in integers if a.kind == "scalar"}


def misfits(made: Unit, choice: Choice) -> tuple[str, ...]:
    assumed = assumed_spec(made, made.kernels[0], choice)
    assert assumed is not None
    return launch_misfits(made, made.kernels[0], assumed.spec, assumed.records)


ROWS = """
__global__ void paint(float *pixels, int width, int height, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float *pixel = pixels + y * pitch + 4 * x;
    pixel[0] = pixel[0] * pow((double)x, 2.0);
    pixel[3] = 1.0f * x;
}
void run(float *p, int w, int h, int pitch) {
    paint<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(p, w, h, pitch);
}
"""


def test_rows_are_made_long_enough_for_what_is_stored_in_them(tmp_path: Path) -> None:
    made = unit(tmp_path, ROWS)
    assert misfits(made, Choice(4096)) == ("different blocks store to the same elements of pixels",)
    assert misfits(made, Choice(6720)) == ("different blocks store to the same elements of pixels",)
    assert misfits(made, replace(Choice(4096), wide="pitch")) == ()
    planned = numbers(pair(made, "CUD803").planned(None, assume=True))
    assert planned == {"width": 4096, "height": 4096, "pitch": 65536}


GROUPS = """
__global__ void mix(const int *in, int *out, int n) {
    extern __shared__ int part[];
    int used = blockDim.x / 5 * 5;
    int i = used * blockIdx.x + threadIdx.x;
    if (threadIdx.x >= used) return;
    if (i >= n) return;
    part[threadIdx.x] = in[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 5; k++) sum += part[threadIdx.x / 5 * 5 + k];
    out[i] = sum;
}
void run(const int *in, int *out, int n, int blocks, int threads) {
    mix<<<blocks, threads, threads * sizeof(int)>>>(in, out, n);
}
"""


def test_groups_of_threads_are_not_cut_short(tmp_path: Path) -> None:
    """4096 is no multiple of 5: the last group would read shared memory that its missing threads should write."""
    made = unit(tmp_path, GROUPS)
    assert misfits(made, Choice(4096)) == (
        "some blocks read elements of the shared array part that none has written",
    )
    assert numbers(pair(made, "CUD402").planned(None, assume=True))["n"] % 5 == 0


TILE = """
__global__ void turn(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 16) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 16) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
void run(const float *in, float *out, int n, dim3 grid, dim3 block) { turn<<<grid, block>>>(in, out, n); }
"""


def test_a_block_that_is_not_known_is_one_that_the_shared_array_has_room_for(tmp_path: Path) -> None:
    made = unit(tmp_path, TILE)
    plan = pair(made, "CUD201").planned(None, assume=True)[0].plan
    assert (plan.block, plan.grid) == ((32, 16, 1), (128, 128, 1))


SAME = """
__global__ void flag(const int *in, int *any, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 3) { *any = 1; out[in[i]] = i; }
}
void run(const int *in, int *any, int *out) { flag<<<16, 256>>>(in, any, out, 4096); }
"""


def test_one_value_stored_by_many_is_no_misfit(tmp_path: Path) -> None:
    made = unit(tmp_path, SAME)
    plan = plan_launch(made, made.kernels[0], None, assumed=("sizes",))
    assert plan_doubts(made, plan) == ("where it stores to out rests on made-up content of buffers",)
    assert launch_misfits(made, made.kernels[0], None) == ()


RECORDS = """
struct Shape { int rows, columns, layers, steps; };
__global__ void fill(Shape s, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[((i * s.rows + 1) * s.columns + 1) * s.layers * s.steps + 1] = i;
}
void run(Shape s, float *out, int n) { fill<<<(n + 255) / 256, 256>>>(s, out, n); }
"""


@pytest.mark.parametrize(("records", "fits"), [(64, False), (4, True)])
def test_buffers_are_as_large_as_the_made_up_members_of_records_ask_for(
    tmp_path: Path, records: int, fits: bool
) -> None:
    made = unit(tmp_path, RECORDS)
    assumed = assumed_spec(made, made.kernels[0], Choice(4096, records))
    assert assumed is not None
    assert f"integers in s = {records}" in assumed.words

    def plan() -> Plan:
        return plan_launch(made, made.kernels[0], assumed.spec, assumed=assumed.words, records=assumed.records)

    if fits:
        assert plan().args[1].nbytes > 4096 * 4**4 * 4
    else:
        with pytest.raises(NotVerifiableError, match=r"buffer out has \d+\.\d GiB"):
            plan()


PLACED = """
struct Pair { unsigned key, value; };
__global__ void keep(const Pair *table, Pair *found, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (table[i].key != 0u) {
        unsigned at = atomicAdd(count, 1u);
        found[at] = table[i];
    }
}
void run(const Pair *table, unsigned *count) {
    Pair *found;
    cudaMalloc(&found, 64 * sizeof(Pair));
    keep<<<16, 256>>>(table, found, count);
}
"""


def test_what_atomics_place_has_no_order_and_gets_room_when_careful(tmp_path: Path) -> None:
    made = unit(tmp_path, PLACED)
    for careful, nbytes in ((False, 512), (True, 16 * 256 * 8)):
        plan = plan_launch(made, made.kernels[0], None, assumed=("sizes",), careful=careful)
        assert (plan.args[1].row, plan.args[1].nbytes) == (8, nbytes)
        assert "compared in any order" in plan.described[1]
        assert plan.args[0].row == 0


RETYPED = """
__global__ void scale(unsigned char *bytes, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *values = (float *)bytes;
    if (i < n) { values[i] *= 2.0f; atomicAdd(sum, values[i]); }
}
void run(unsigned char *b, float *s) { scale<<<16, 256>>>(b, s, 4096); }
"""


def test_buffers_hold_what_they_are_used_as(tmp_path: Path) -> None:
    made = unit(tmp_path, RETYPED)
    plan = plan_launch(made, made.kernels[0], None)
    assert [a.dtype for a in plan.args[:2]] == ["float32", "float32"]
    assert [a.summed for a in plan.args[:2]] == [False, True]


def test_texture_objects_are_not_made_up(tmp_path: Path) -> None:
    text = """
    __global__ void look(cudaTextureObject_t image, float *out) { out[threadIdx.x] = tex2D<float>(image, 1.f, 2.f); }
    void run(cudaTextureObject_t t, float *out) { look<<<1, 32>>>(t, out); }
    """
    made = unit(tmp_path, text)
    with pytest.raises(NotVerifiableError, match="image is a texture or surface object"):
        plan_launch(made, made.kernels[0], None)


def test_intrinsics_without_lanes_are_assumed_to_have_all(tmp_path: Path) -> None:
    text = """
    __device__ float around(float v) { return __shfl_down(v, 1); }
    __global__ void sum(float *out) { out[threadIdx.x] = around(out[threadIdx.x]); }
    void run(float *out) { sum<<<1, 32>>>(out); }
    """
    made = unit(tmp_path, text)
    plan = plan_launch(made, made.kernels[0], None)
    assert plan.described[-1] == "assumed: all lanes take part in warp intrinsics that name none (__shfl_down)"
