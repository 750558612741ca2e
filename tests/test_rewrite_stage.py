"""Rows staged through tiles: what is written, that it computes the same, and when it is left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import nvrtc
import pytest
from cudalint.lint.analysis import rewrite_stage
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.memory import Verdict, global_sites, shared_sites
from cudalint.lint.analysis.rewrite_stage import stage_rows, worth_staging
from cudalint.lint.analysis.trace import AccessKind, ArgValue, LaunchShape, ShapeSource
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Edit
from cudalint.lint.fixes import apply_edits
from cudalint.lint.frontend import parse_file
from cudalint.lint.registry import load_registry

KERNEL = """
__device__ float helper(float *p) { return *p; }
__global__ void walk(const float *in, const float *more, float *out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
}
void run(float *a, float *b, float *c, int n, int w) { walk<<<(n + 63) / 64, 64>>>(a, b, c, n, w); }
"""

WIDTH = 1
"""Elements of a piece in the tests that execute: it follows what such short loops do to the tile."""

SUM = "for (int j = 0; j < width; ++j) sum += in[i * width + j];"
FORMS = {
    "behind a condition": "if (i < n) { float sum = 0.f; SUM out[i] = sum; }",
    "after a return": "if (i >= n) { return; } float sum = 0.f; SUM out[i] = sum;",
    "for all threads": "float sum = 0.f; SUM out[i] = sum;",
    "for each of some columns": "float sum = 0.f; for (int r = 0; r < 3; r++) { SUM } out[i] = sum;",
    "through a pointer to the row": (
        "if (!(n > i)) return; const float *row = in + i * width; float sum = 0.f;\n"
        "    for (int j = 1; j <= width - 1; j += 1) {\n        float x = row[j];\n        sum += x * x;\n    }\n"
        "    out[i] = sum;"
    ),
    "with a counter of before": "int j; float s = 0; for (j = 0; j < width; j++) s = in[i * width + j]; out[i] = s;",
    "with a wide index": (
        "float s = 0.f; for (unsigned j = 0; j < width; j++) s = in[(size_t)i * width + j] - s; out[i] = s;"
    ),
    "with the index in a variable": (
        "float s = 0; for (int j = 0; j < width; j++) { const int at = j + width * i; s = in[at] + at; } out[i] = s;"
    ),
    "of two arrays": (
        "if (i < n && width > 2) { float s = 0.f; for (int j = 0; j < width; j++)\n"
        "        s += in[i * width + j] * more[i * width + j];\n    out[i] = s; }"
    ),
    "that are written": "if (i < n) for (int j = 0; j < width; j++) out[i * width + j] = in[i * width + j] + 1.f;",
    "that are changed": "if (i < n) for (int j = 0; j < width; j++) out[i * width + j] *= more[j];",
    "that are written and read": (
        "float s = 0; for (int j = 0; j < width; j++) { out[i * width + j] = more[j] + s; s += out[i * width + j]; }"
    ),
    "in two loops": "float sum = 0.f; SUM sum *= 0.5f; SUM out[i] = sum;",
    "read in a branch, too": (
        "float m = 0; for (int j = 0; j < width; j++) if (in[i * width + j] > m) m = in[i * width + j]; out[i] = m;"
    ),
}

UNSEEN = {"that are written and read"}
"""Forms whose values are not followed by the execution: it forgets what is added up from a tile that is written."""
FORMS = {name: form.replace("SUM", SUM) for name, form in FORMS.items()}


def unit(text: str) -> Unit:
    return Unit(parse_file("k.cu", content=text.encode()))


def rewritten(text: str) -> str | None:
    """The file with the first rewrite that a wasteful access gets."""
    made = unit(text)
    assert not made.program.notes
    wasteful = [s for s in made.once(global_sites) if s.verdict is Verdict.BAD]
    assert wasteful
    edits = next((e for s in wasteful if (e := stage_rows(made, s)) is not None), None)
    return None if edits is None else apply_edits(text.encode(), [Edit(span, new) for span, new in edits]).decode()


def result(text: str, n: int, width: int) -> dict[tuple[int, int], float]:
    """What is in `out` at last, by world and byte, after a block of 64 threads."""
    program = parse_file("k.cu", content=text.encode())
    kernel = next(f for f in program.kernels() if f.name == "walk")
    args = (ArgValue(), ArgValue(), ArgValue(), ArgValue(number=n), ArgValue(number=width))
    trace = execute(program, kernel, LaunchShape((64, 1, 1), (1, 1, 1), ShapeSource.OPTION, args), blocks=1)
    assert trace.complete
    assert not trace.unknown
    content = {}
    for access in trace.accesses():
        if access.object.name == "out" and access.kind is AccessKind.STORE and access.value is not None:
            here = np.flatnonzero(access.mask)
            value = np.broadcast_to(access.value, access.mask.shape)
            for lane in here:
                content[int(trace.lanes.world[lane]), int(access.address[lane])] = float(value[lane])
    return content


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_staged_and_what_is_staged_compiles(form: str) -> None:
    after = rewritten(KERNEL % FORMS[form])
    assert after is not None
    assert "__shared__ float tile" in after
    made = unit(after)
    assert not [s for s in made.once(global_sites) if s.verdict is Verdict.BAD]
    assert not [s for s in made.once(shared_sites) if s.verdict is Verdict.BAD]
    assert not nvrtc.errors(after[: after.index("void run")], ["-std=c++17"])


def test_rows_that_are_only_read_are_left_to_the_cache() -> None:
    for form in FORMS:
        made = unit(KERNEL % FORMS[form])
        staged = [s for s in made.once(global_sites) if s.verdict is Verdict.BAD and worth_staging(made, s)]
        assert bool(staged) == form.startswith("that are"), form


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite_stage, "WIDTHS", (WIDTH,))


@pytest.mark.parametrize("form", sorted(FORMS.keys() - UNSEEN))
@pytest.mark.usefixtures("narrow")
def test_what_is_computed_stays(form: str) -> None:
    text = KERNEL % FORMS[form]
    after = rewritten(text)
    assert after is not None
    for n, width in ((64, 5), (37, 4), (1, 3)):
        before = result(text, n, width)
        assert before
        assert result(after, n, width) == before


def test_the_rewritten_kernel_has_no_fault() -> None:
    after = rewritten(KERNEL % FORMS["that are written"])
    assert after is not None
    codes = ("CUD101", "CUD201", "CUD401", "CUD402", "CUD403", "CUD404", "CUD405", "CUD406")
    assert not [f.message for rule in load_registry().source_rules(codes) for f in rule.check(unit(after))]


def test_what_is_written_reads_well() -> None:
    text = KERNEL % FORMS["behind a condition"]
    after = rewritten(text)
    assert after is not None
    for line in (
        "__shared__ float tile[2][32][33];",
        "const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;",
        "const unsigned int lanes = __ballot_sync(0xffffffffu, i < n);",
        "for (int j_start = 0; j_start < width; j_start += 32) {",
        "const auto from = __shfl_sync(lanes, i * width + j_start, k / 32);",
        "if (j_start + k % 32 < width) tile[warp][k / 32][k % 32] = in[from + k % 32];",
        "for (int j = j_start; j < width && j < j_start + 32; ++j) sum += tile[warp][lane][j - j_start];",
        "__syncwarp(lanes);",
    ):
        assert line in after, after


@pytest.mark.parametrize(("block", "tile"), [("1024", "tile[32][32][9]"), ("512", "tile[16][32][17]")])
def test_tiles_fit_into_shared_memory(block: str, tile: str) -> None:
    after = rewritten((KERNEL % FORMS["for all threads"]).replace("<<<(n + 63) / 64, 64>>>", f"<<<n, {block}>>>"))
    assert after is not None
    assert f"__shared__ float {tile};" in after


@pytest.mark.parametrize(
    "body",
    [
        # not every iteration accesses the element
        "float s = 0; for (int j = 0; j < width; j++) if (more[j] > 0) s += in[i * width + j]; out[i] = s;",
        "float s = 0; for (int j = 0; j < width; j++) { if (s > 9) break; s += in[i * width + j]; } out[i] = s;",
        "float s = 0; for (int j = 0; j < width; j++) { if (s > 9) return; s += in[i * width + j]; } out[i] = s;",
        "for (int j = 0; j < width; j++) if (more[j] > 0) out[i * width + j] = 1;",
        # threads wait for each other, or read what others or this one write
        "float s = 0; for (int j = 0; j < width; j++) { s += in[i * width + j]; __syncthreads(); } out[i] = s;",
        "for (int j = 1; j < width; j++) out[i * width + j] = out[i * width + j - 1] + 1;",
        "for (int j = 0; j < width; j++) { out[i * width + j] = more[j]; out[j] = 1; }",
        "for (int j = 0; j < width; j++) { atomicAdd(&out[j], 1.f); out[i * width + j] = 0; }",
        # the place of the row changes, or its length differs between threads
        "float s = 0; int r = i; for (int j = 0; j < width; j++) { s += in[r * width + j]; r++; } out[i] = s;",
        "float s = 0; for (int j = 0; j < i; j++) s += in[i * width + j]; out[i] = s;",
        "float s = 0; for (int j = i; j < width; j++) s += in[i * width + j]; out[i] = s;",
        "float s = 0; for (int j = 0; j < width; j++) { s += in[i * width + j]; j += s > 3; } out[i] = s;",
        "float s = 0; for (int j = 0; j < width; j += 2) s += in[i * width + j]; out[i] = s;",
        # others than the first lanes come to the loop
        "if (more[i] > 0) { float s = 0; for (int j = 0; j < width; j++) s += in[i * width + j]; out[i] = s; }",
        "if (i % 2) return; float s = 0; for (int j = 0; j < width; j++) s += in[i * width + j]; out[i] = s;",
        "float s; for (int r = i; r < n; r += 9) for (int j = 0; j < width; j++) s = in[r * width + j]; out[i] = s;",
        "float s = 0; while (s < 9) { for (int j = 0; j < width; j++) s += in[i * width + j]; } out[i] = s;",
        "if (i >= n) return; if (i < width) { float s = 0; for (int j = 0; j < width; j++) s += in[i * width + j];\n"
        "    out[i] = s; }",
        # short rows, an address that is handed on, a counter that is read afterwards
        "float s = 0; for (int j = 0; j < 8; j++) s += in[i * 8 + j]; out[i] = s;",
        "for (int j = 0; j < width; j++) out[i * width + j] = helper(&out[i * width + j]);",
        "int j; float s = 0; for (j = 0; j < width; j++) s += in[i * width + j]; out[i] = s + j;",
        "float s;\n    #pragma unroll\n    for (int j = 0; j < width; j++) s = in[i * width + j];\n    out[i] = s;",
        "float s = 0; for (int j = 0; j < width; j++) s += in[i * width + j]; out[i] = s + threadIdx.y;",
    ],
)
def test_rows_stay_where_the_form_is_another(body: str) -> None:
    assert rewritten(KERNEL % body) is None


@pytest.mark.parametrize("launch", ["<<<n, 48>>>", "<<<n, dim3(32, 2)>>>"])
def test_rows_stay_where_warps_are_not_rows_of_threads(launch: str) -> None:
    assert rewritten((KERNEL % FORMS["for all threads"]).replace("<<<(n + 63) / 64, 64>>>", launch)) is None


def test_rows_stay_where_a_launch_gives_one_buffer_twice() -> None:
    text = KERNEL % "for (int j = 0; j < width; j++) out[i * width + j] = in[i * width + j] + more[j];"
    assert rewritten(text) is not None
    twice = text.replace(
        "void run(float *a, float *b, float *c, int n, int w) {",
        "void run(int n, int w) { float *a, *c; cudaMalloc(&a, n * w * 4); cudaMalloc(&c, n * w * 4); float *b = c;",
    )
    assert rewritten(twice) is None


def test_other_shared_memory_counts(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    large = FORMS["for all threads"].replace("float sum", "__shared__ float own[11800]; own[i % 9] = 0; float sum", 1)
    path.write_text(KERNEL % large)
    assert rewritten(path.read_text()) is None
