"""From a finding to a runnable job: launches, arguments, sources, all without a GPU."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import nvrtc
import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.frontend import parse_file
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.registry import load_registry
from cudalint.verify.assume import Choice, assumed_spec
from cudalint.verify.build import nvrtc_build
from cudalint.verify.job import Build, Job, Outcome
from cudalint.verify.plan import MADE_UP_BUFFER, NotVerifiableError, Plan, plan_launch
from cudalint.verify.run import Work, same_rewrite
from cudalint.verify.session import Session
from cudalint.verify.spec import from_comment
from cudalint.verify.verdict import Verdict
from cudalint.verify.verifier import Verifier, VerifyOptions, fixed_contents

SAMPLES = Path(__file__).parent.parent / "samples"
WITH_FIX = {
    "transpose_naive.cu": "CUD101",
    "transpose_tiled.cu": "CUD201",
    "matmul_swapped.cu": "CUD101",
    "barrier_missing.cu": "CUD401",
    "barrier_missing_in_loop.cu": "CUD401",
}
KERNEL = """
struct Step { int by; float scale; };
__device__ float twice(float v) { return v + v; }
template <typename T> __global__ void move(const T *in, T *out, int n, Step s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = twice(in[i * s.by]) * s.scale;
}
#include <cstdlib>
#include <vector>
class Owner { public: Owner(int n) : data(n) {} ~Owner() { std::free(nullptr); } std::vector<float> data; };
void run(int n) {
    float *a, *b;
    cudaMalloc(&a, 4096 * sizeof(float));
    cudaMalloc(&b, 4096 * sizeof(float));
    %s
}
"""


def unit(tmp_path: Path, text: str) -> Unit:
    path = tmp_path / "k.cu"
    path.write_text(text)
    return Unit(parse_file(str(path)))


def found(made: Unit, code: str) -> Diagnostic:
    rule = load_registry().source_rules((code,))[0]
    return next(f for f in rule.check(made) if f.fix and f.fix.edits)


@pytest.mark.parametrize(("name", "code"), WITH_FIX.items())
def test_flagged_and_fixed_samples_compile_for_the_device(tmp_path: Path, name: str, code: str) -> None:
    path = str(SAMPLES / name)
    before = Unit(parse_file(path))
    finding = found(before, code)
    after = Unit(parse_file(path, content=fixed_contents(finding, before)[path]))
    for side, made in (("before", before), ("after", after)):
        plan = plan_launch(made, made.kernels[0], None)
        build = nvrtc_build(made.program, plan, tmp_path / side)
        assert nvrtc.errors(build.source, build.options, build.expression) == []


def test_a_template_with_host_classes_around_it_compiles(tmp_path: Path) -> None:
    made = unit(tmp_path, KERNEL % "move<<<16, 256>>>(a, b, 4096, Step{1, 2.f});")
    kernel = made.kernels[0]
    plan = Plan(kernel, (1, 1, 1), (256, 1, 1), 0, (), (), 0)
    build = nvrtc_build(made.program, plan, tmp_path / "out")
    assert build.expression == "move<float>"
    assert nvrtc.errors(build.source, build.options, build.expression) == []


def test_arguments_come_from_the_host_code() -> None:
    made = Unit(parse_file(str(SAMPLES / "transpose_naive.cu")))
    plan = plan_launch(made, made.kernels[0], None)
    assert plan.grid == (128, 128, 1)
    assert plan.block == (32, 32, 1)
    assert [a.kind for a in plan.args] == ["buffer", "buffer", "scalar"]
    assert [a.role for a in plan.args[:2]] == ["in", "out"]
    assert plan.args[0].nbytes == 4096 * 4096 * 4
    assert struct.unpack("<i", bytes.fromhex(plan.args[2].data)) == (4096,)


PLAIN = """
%s
__global__ void add(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i];
}
void run(const float *a, float *b, int n) { add<<<(n + 255) / 256, 256>>>(a, b, n); }
"""


def test_what_is_missing_is_named_with_the_line_to_add(tmp_path: Path) -> None:
    made = unit(tmp_path, PLAIN % "")
    with pytest.raises(NotVerifiableError, match=r"add `// cudalint: verify .*` on the line above the kernel add"):
        plan_launch(made, made.kernels[0], None)


def test_a_comment_supplies_what_is_missing(tmp_path: Path) -> None:
    comment = "// cudalint: verify n=1000 grid=((n+255)/256) a=float[n] b=float[n]"
    made = unit(tmp_path, PLAIN % comment)
    plan = plan_launch(made, made.kernels[0], from_comment(comment))
    assert plan.grid == (4, 1, 1)
    assert [a.nbytes for a in plan.args[:2]] == [4000, 4000]


def parse(path: str, contents: Mapping[str, bytes]) -> TranslationUnit:
    return parse_file(path, content=contents.get(path), overlay=contents)


class Scripted(Session):
    """A session that answers without a GPU."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(())
        self.outcome = outcome
        self.later: Outcome | None = None
        self.jobs: list[Job] = []
        self.headers: list[str] = []

    def run(self, job: Job, *, limit_s: float | None = None) -> Outcome:  # noqa: ARG002
        self.jobs.append(job)
        for build in (job.before, job.after):
            folders = [Path(o.removeprefix("-I")) for o in build.options if o.startswith("-I")]
            self.headers += [(f / "turn.cuh").read_text() for f in folders[:1] if (f / "turn.cuh").exists()]
        return self.later if self.later is not None and len(self.jobs) > 1 else self.outcome


FAST = Outcome(
    equal="bitwise", before_ms=(2.0,) * 20, after_ms=(1.0,) * 20, again_ms=(2.0,) * 20, copy_gbs=4000.0, device="card"
)


@pytest.mark.parametrize(
    ("outcome", "verdict", "reason"),
    [
        (FAST, Verdict.FASTER, ""),
        (replace(FAST, before_ms=FAST.after_ms, after_ms=FAST.before_ms, again_ms=FAST.after_ms), Verdict.SLOWER, ""),
        (replace(FAST, after_ms=FAST.before_ms), Verdict.NO_GAIN, ""),
        (Outcome(equal="different", where="argument 1, element 7"), Verdict.DIFFERENT_RESULTS, "element 7"),
        (
            Outcome(equal="different", where="argument 1", varies=True),
            Verdict.NOT_VERIFIABLE,
            "itself gives different",
        ),
        (Outcome(error="no answer: the fixed kernel hangs", stage="hang"), Verdict.FAILED, "hangs"),
        (Outcome(error="no answer: the flagged kernel hangs", stage="hang"), Verdict.NOT_VERIFIABLE, "hangs"),
        (Outcome(out_of_bounds="the fixed kernel writes outside"), Verdict.FAILED, "outside"),
        (Outcome(out_of_bounds="the flagged kernel writes outside"), Verdict.NOT_VERIFIABLE, "outside"),
        (Outcome(error="needs 900 GiB", stage="memory"), Verdict.NOT_VERIFIABLE, "900 GiB"),
        (Outcome(error="the flagged kernel failed: fault", stage="run"), Verdict.NOT_VERIFIABLE, "made-up inputs"),
        (Outcome(error="the fixed kernel failed: fault", stage="run"), Verdict.FAILED, "fixed kernel"),
    ],
)
def test_outcomes_become_verdicts(outcome: Outcome, verdict: Verdict, reason: str) -> None:
    path = SAMPLES / "transpose_tiled.cu"
    made = Unit(parse_file(str(path)))
    session = Scripted(outcome)
    verifier = Verifier(parse, VerifyOptions(compiler="nvrtc"), session)
    verification = verifier.verify(found(made, "CUD201"), made)
    assert verification.verdict is verdict
    assert reason in verification.reason
    assert session.jobs[0].before.source != session.jobs[0].after.source
    if verdict is Verdict.FASTER:
        assert verification.timing is not None
        assert verification.timing.ratio == 2.0
        assert verification.comparison == "results bitwise equal"


def test_a_finding_without_a_rewrite_is_not_verifiable() -> None:
    made = Unit(parse_file(str(SAMPLES / "copy_stride2.cu")))
    finding = next(load_registry().source_rules(("CUD101",))[0].check(made))
    verifier = Verifier(parse, VerifyOptions(), Scripted(FAST))
    verification = verifier.verify(finding, made)
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert "by hand" in verification.reason


def test_a_race_is_confirmed_by_results_that_vary() -> None:
    made = Unit(parse_file(str(SAMPLES / "barrier_missing.cu")))
    session = Scripted(Outcome(equal="bitwise", varies=True, where="argument 1"))
    verifier = Verifier(parse, VerifyOptions(compiler="nvrtc"), session)
    assert verifier.verify(found(made, "CUD401"), made).verdict is Verdict.CONFIRMED
    assert session.jobs[0].mode == "race"


def test_a_race_is_not_confirmed_when_the_fixed_kernel_varies_too() -> None:
    made = Unit(parse_file(str(SAMPLES / "barrier_missing.cu")))
    session = Scripted(Outcome(equal="different", varies=True, fixed_varies=True, where="argument 1"))
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD401"), made)
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert "with the fix as well" in verification.reason


HEADER = """
#pragma once
__device__ float column(const float (*tile)[32]) { return tile[threadIdx.x][threadIdx.y]; }
__global__ void turn(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
MAIN = """
#include "turn.cuh"
int main() {
    float *a, *b;
    cudaMalloc(&a, 1024 * 1024 * sizeof(float));
    cudaMalloc(&b, 1024 * 1024 * sizeof(float));
    turn<<<dim3(32, 32), dim3(32, 32)>>>(a, b, 1024);
}
"""


def test_a_kernel_of_a_header_is_run_from_the_file_that_launches_it(tmp_path: Path) -> None:
    (tmp_path / "turn.cuh").write_text(HEADER)
    made = unit(tmp_path, MAIN)
    session = Scripted(FAST)
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD201"), made)
    assert verification.verdict is Verdict.FASTER
    assert verification.launch == "turn<<<(32, 32, 1), (32, 32, 1), 0>>>"
    assert [text.count("tile[32][32 + 1]") for text in session.headers] == [0, 1]


def test_findings_with_one_rewrite_share_one_run(tmp_path: Path) -> None:
    (tmp_path / "turn.cuh").write_text(HEADER)
    made = unit(tmp_path, MAIN)
    finding = found(made, "CUD201")
    other = replace(finding, message="another access to the same tile")
    without = replace(finding, fix=None)
    work = [Work(i, f, made) for i, f in enumerate((finding, other, without, without))]
    assert [[w.index for w in group] for group in same_rewrite(work)] == [[0, 1], [2], [3]]


UNKNOWN = """
__global__ void turn(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void run(const float *a, float *b, int n) { turn<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n); }
"""


def test_unknown_sizes_are_made_up_and_said_to_be(tmp_path: Path) -> None:
    made = unit(tmp_path, UNKNOWN)
    session = Scripted(FAST)
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD201"), made)
    assert verification.verdict is Verdict.FASTER
    assert verification.inputs[-2:] == ("assumed: grid = (128, 128, 1)", "assumed: n = 4096")
    assert session.jobs[0].args[0].nbytes == 4096 * 4096 * 4
    assert "on assumed sizes" in verification.summary()


def test_a_buffer_is_made_up_where_all_numbers_are_known(tmp_path: Path) -> None:
    """How far a buffer is reached rests on memory, and the host code does not show who allocated it."""
    text = UNKNOWN.replace("const float *in,", "const float *in, const int *map,").replace(
        "in[y * n + x]", "in[map[y]]"
    )
    text = text.replace(
        "void run(const float *a, float *b, int n) {", "void run(const float *a, const int *m, float *b) {"
    )
    text = text.replace("dim3(n / 32, n / 32)", "dim3(16, 16)").replace("(a, b, n)", "(a, m, b, 512)")
    made = unit(tmp_path, text)
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), Scripted(FAST)).verify(
        found(made, "CUD201"), made
    )
    assert verification.verdict is Verdict.FASTER
    assert verification.assumed == ("sizes of buffers",)


def test_what_goes_wrong_in_planning_is_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Unit(parse_file(str(SAMPLES / "barrier_missing.cu")))
    finding = found(made, "CUD401")

    def stumble(*_: object) -> None:
        raise ZeroDivisionError("unforeseen")

    monkeypatch.setattr("cudalint.verify.verifier.fixed_contents", stumble)
    verification = Verifier(parse, VerifyOptions(), Scripted(FAST)).verify(finding, made)
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert "ZeroDivisionError: unforeseen" in verification.reason


def test_a_block_of_which_only_the_size_is_told_prefers_no_launch() -> None:
    made = Unit(parse_file(str(SAMPLES / "grid_in_threads.cu")))
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), Scripted(FAST)).verify(
        found(made, "CUD604"), made
    )
    assert "please report" not in verification.reason


def test_results_that_differ_on_a_made_up_block_refute_nothing(tmp_path: Path) -> None:
    made = unit(tmp_path, UNKNOWN.replace("dim3(n / 32, n / 32), dim3(32, 32)", "n / 32, n"))
    outcome = Outcome(equal="different", where="argument 1, element 7")
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), Scripted(outcome)).verify(
        found(made, "CUD201"), made
    )
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert "made-up block" in verification.reason


def test_nothing_is_made_up_when_that_is_not_wanted(tmp_path: Path) -> None:
    made = unit(tmp_path, UNKNOWN)
    options = VerifyOptions(compiler="nvrtc", assume=False)
    verification = Verifier(parse, options, Scripted(FAST)).verify(found(made, "CUD201"), made)
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert "add `// cudalint: verify grid=" in verification.reason


GATHER = """
__global__ void pick(const int *index, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}
void run(const int *i, const float *a, float *b, int n) { pick<<<40, 128>>>(i, a, b, n); }
"""


def test_only_what_is_unknown_is_made_up(tmp_path: Path) -> None:
    """The grid of the launch stays; a buffer that loaded indices reach gets a size of its own."""
    made = unit(tmp_path, GATHER)
    assumed = assumed_spec(made, made.kernels[0], Choice(4096))
    assert assumed is not None
    assert assumed.spec.grid == (40, 1, 1)
    assert assumed.words == ("n = 4096",)
    plan = plan_launch(made, made.kernels[0], assumed.spec, assumed=assumed.words, records=assumed.records)
    sizes = {p.name: a.nbytes for p, a in zip(made.kernels[0].params, plan.args, strict=True)}
    assert sizes["in"] == MADE_UP_BUFFER
    assert 4096 * 4 <= sizes["out"] <= 2 * 4096 * 4  # the grid has more threads than elements


GRAPH = """
struct Options { int width; float* weights; half bias; };
__global__ void relax(const int *rows, const int *columns, const float *w, float *out, int *count, int **lists,
                      half scale, Options o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int j = rows[i]; j < rows[i + 1]; ++j) s += w[columns[j]] * 0.1;
    atomicAdd(count, lists[i][0]);
    out[i] = s + o.weights[0] * (float)scale;
}
void run(int *r, int *c, float *w, float *o, int *k, int **l, half s, Options p, int n) {
    relax<<<n / 256, 256>>>(r, c, w, o, k, l, s, p, n);
}
"""


def graph_plan(tmp_path: Path, **settings: bool) -> Plan:
    made = unit(tmp_path, GRAPH)
    assumed = assumed_spec(made, made.kernels[0], Choice(4096))
    assert assumed is not None
    return plan_launch(
        made, made.kernels[0], assumed.spec, assumed=assumed.words, records=assumed.records, **settings
    )


def test_integers_that_steer_a_kernel_stay_within_what_they_index(tmp_path: Path) -> None:
    rows, columns, w, _, count, *_ = graph_plan(tmp_path).args
    assert rows.fill == "rows"
    assert 4096 <= rows.high <= 16 * 4 * 4097
    assert columns.high == w.nbytes // 4
    assert count.fill == "zeros"


def test_careful_inputs_are_small(tmp_path: Path) -> None:
    plan = graph_plan(tmp_path, careful=True)
    assert [a.high for a in plan.args[:2]] == [2, 2]


def test_records_and_arrays_of_pointers_point_to_buffers_of_their_own(tmp_path: Path) -> None:
    args = graph_plan(tmp_path).args
    lists, scale, options = args[5:8]
    assert (lists.fill, args[lists.target].kind, args[lists.target].dtype) == ("pointers", "hidden", "int32")
    assert bytes.fromhex(scale.data) == bytes.fromhex("003a")  # 0.75 as half
    assert options.inner == ((8, 10),)
    assert struct.unpack("<i", bytes.fromhex(options.data)[:4]) == (64,)
    side = Build((1, 1, 1), (1, 1, 1), 0, "relax")
    assert Job.from_line(Job(side, side, args).to_line()).args == args


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(error="the flagged kernel failed: illegal address", stage="run"),
        Outcome(error="no answer within 15 s: the flagged kernel hangs or is far too slow", stage="hang"),
        Outcome(out_of_bounds="the flagged kernel writes outside the buffer of argument 1"),
    ],
)
def test_a_kernel_that_trips_over_its_inputs_gets_careful_ones(tmp_path: Path, outcome: Outcome) -> None:
    made = unit(tmp_path, GRAPH)
    session = Scripted(outcome)
    verification = Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD801"), made)
    assert verification.verdict is Verdict.NOT_VERIFIABLE
    assert len(session.jobs) == 2
    assert "assumed: integers in buffers are 0 or 1" in verification.inputs


def test_results_that_vary_on_larger_inputs_are_looked_at_on_careful_ones(tmp_path: Path) -> None:
    """What varies there too is told of the larger ones."""
    made = unit(tmp_path, GRAPH)
    unsteady = Outcome(equal="different", varies=True, varying=5, strangers=2, compared=4096)
    for second, verdict in ((FAST, Verdict.FASTER), (unsteady, Verdict.NOT_VERIFIABLE)):
        session = Scripted(unsteady)
        session.later = second
        made_verdict = Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD801"), made)
        assert made_verdict.verdict is verdict
        careful = "assumed: integers in buffers are 0 or 1" in made_verdict.inputs
        assert careful is (verdict is Verdict.FASTER)


def test_axes_are_exchanged_on_made_up_sizes(tmp_path: Path) -> None:
    made = unit(
        tmp_path,
        """
__global__ void scale(float *a, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) a[r * cols + c] *= 2.f;
}
void run(float *a, int rows, int cols) {
    dim3 block(32, 8), grid((rows + 31) / 32, (cols + 7) / 8);
    scale<<<grid, block>>>(a, rows, cols);
}
""",
    )
    session = Scripted(FAST)
    Verifier(parse, VerifyOptions(compiler="nvrtc"), session).verify(found(made, "CUD101"), made)
    before, after = session.jobs[0].before, session.jobs[0].after
    assert (before.block, after.block) == ((32, 8, 1), (8, 32, 1))
    assert after.grid == (before.grid[1], before.grid[0], 1)


def test_constant_memory_that_is_only_read_is_filled(tmp_path: Path) -> None:
    made = unit(
        tmp_path,
        """
__constant__ float taps[8];
__constant__ int count;
__constant__ float scale = 2.f;
__device__ int hits;
__global__ void filter(float *v) {
    float s = 0.f;
    for (int k = 0; k < count; ++k) s += taps[k] * scale;
    atomicAdd(&hits, 1);
    v[threadIdx.x] = s;
}
void run() { float *v; cudaMalloc(&v, 128); filter<<<1, 32>>>(v); }
""",
    )
    constants = [a for a in plan_launch(made, made.kernels[0], None).args if a.kind == "symbol"]
    assert [(a.data, a.nbytes, a.dtype) for a in constants] == [("count", 4, "int32"), ("taps", 32, "float32")]


def test_loops_that_memory_bounds_stay_short_and_tables_are_not_left(tmp_path: Path) -> None:
    made = unit(
        tmp_path,
        """
__global__ void gather(const int *counts, const int2 *pairs, const float *from, float *to, int *lock, int n) {
    __shared__ float table[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[threadIdx.x % 64] = 1.f;
    __syncthreads();
    float s = 0.f;
    for (int p = 0; p < counts[i]; ++p) s += from[pairs[i].x] * table[pairs[i].y];
    while (atomicCAS(lock, 0, 1)) { }
    to[i] = s;
    atomicExch(lock, 0);
}
void run() {
    int *c, *l; int2 *p; float *f, *t;
    cudaMalloc(&c, 4096); cudaMalloc(&p, 8192); cudaMalloc(&f, 400); cudaMalloc(&t, 4096); cudaMalloc(&l, 4);
    gather<<<4, 256>>>(c, p, f, t, l, 1024);
}
""",
    )
    counts, pairs, *_, lock, _ = plan_launch(made, made.kernels[0], None).args
    assert (counts.high, pairs.high, pairs.fill, lock.fill) == (16, 64, "", "zeros")
