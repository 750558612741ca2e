"""Rewrites of kernels: what they write, and when they stay away."""

from __future__ import annotations

from pathlib import Path

import nvrtc
import pytest
from cudalint.lint.analysis.memory import Verdict, global_sites
from cudalint.lint.analysis.rewrite import Rewrite, exchange_axes
from cudalint.lint.analysis.rewrite_tile import stage_through_tile
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Edit, Fix
from cudalint.lint.fixes import apply_edits
from cudalint.lint.frontend import parse_file
from cudalint.lint.registry import load_registry
from cudalint.verify.build import nvrtc_build
from cudalint.verify.plan import Plan

SWAPPED = """
__global__ void scale(float *a, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) a[r * cols + c] *= 2.f;
}
void run(float *a) {
    %s
}
"""

TRANSPOSE = """
__global__ void turn(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = in[x * h + y] * 2.f;
}
void run(float *a, float *b, int w, int h) {
    turn<<<dim3((w + 15) / 16, (h + 15) / 16), %s>>>(a, b, w, h);
}
"""


def unit(tmp_path: Path, text: str) -> Unit:
    path = tmp_path / "k.cu"
    path.write_text(text)
    return Unit(parse_file(str(path)))


def bad_count(made: Unit) -> int:
    return sum(s.verdict is Verdict.BAD for s in made.once(global_sites))


def rewritten(made: Unit, edits: Rewrite) -> str:
    content = made.program.files[made.program.path]
    return apply_edits(content, [Edit(span, text) for span, text in edits]).decode()


@pytest.mark.parametrize(
    ("launch", "after"),
    [
        (
            "dim3 block(16, 16), grid(128, 64);\n    scale<<<grid, block>>>(a, 2048, 1024);",
            "dim3 block(16, 16), grid(64, 128);",
        ),
        ("scale<<<dim3(256, 64), dim3(8, 16)>>>(a, 2048, 1024);", "scale<<<dim3(64, 256), dim3(16, 8)>>>"),
    ],
)
def test_axes_are_exchanged_in_kernel_and_launch(tmp_path: Path, launch: str, after: str) -> None:
    made = unit(tmp_path, SWAPPED % launch)
    assert bad_count(made) > 0
    edits = exchange_axes(made, made.kernels[0], made.once(global_sites))
    assert edits is not None
    text = rewritten(made, edits)
    assert after in text
    assert "int r = blockIdx.y * blockDim.y + threadIdx.y;" in text
    assert bad_count(unit(tmp_path, text)) == 0


@pytest.mark.parametrize(
    "launch",
    [
        "dim3 g(128, 64);\n    g.x = 12;\n    scale<<<g, dim3(16, 16)>>>(a, 2048, 1024);",
        "extern void other(float *, dim3);\n    dim3 g(128, 64);\n    other(a, g);\n"
        "    scale<<<g, dim3(16, 16)>>>(a, 2048, 1024);",
        "scale<<<1024, dim3(16, 16)>>>(a, 2048, 1024);",
    ],
)
def test_axes_stay_where_the_launch_cannot_be_edited(tmp_path: Path, launch: str) -> None:
    made = unit(tmp_path, SWAPPED % launch)
    assert exchange_axes(made, made.kernels[0], made.once(global_sites)) is None


def test_axes_stay_where_nothing_is_gained(tmp_path: Path) -> None:
    text = SWAPPED.replace("a[r * cols + c]", "a[c * rows + r]")
    made = unit(tmp_path, text % "scale<<<dim3(128, 64), dim3(16, 16)>>>(a, 2048, 1024);")
    assert exchange_axes(made, made.kernels[0], made.once(global_sites)) is None


def test_axes_stay_where_a_called_function_reads_them(tmp_path: Path) -> None:
    text = "__device__ int row() { return blockIdx.x * blockDim.x + threadIdx.x; }\n" + SWAPPED.replace(
        "int r = blockIdx.x * blockDim.x + threadIdx.x;", "int r = row();"
    )
    made = unit(tmp_path, text % "scale<<<dim3(128, 64), dim3(16, 16)>>>(a, 2048, 1024);")
    assert bad_count(made) > 0
    assert exchange_axes(made, made.kernels[0], made.once(global_sites)) is None


def staged(made: Unit) -> Rewrite | None:
    sites = made.once(global_sites)
    return next((r for s in sites if (r := stage_through_tile(made, made.kernels[0], s))), None)


def test_a_transposing_load_goes_through_a_tile(tmp_path: Path) -> None:
    made = unit(tmp_path, TRANSPOSE % "dim3(16, 16)")
    edits = staged(made)
    assert edits is not None
    text = rewritten(made, edits)
    assert "__shared__ float tile[16][16 + 1];" in text
    assert "const int x_t = blockIdx.x * 16 + threadIdx.y;" in text
    assert "if (!(x >= w || y >= h)) out[y * w + x] = tile[threadIdx.x][threadIdx.y];" in text
    assert "return;" not in text
    assert bad_count(unit(tmp_path, text)) == 0


@pytest.mark.parametrize("block", ["dim3(16, 8)", "dim3(64, 64)", "64"])
def test_only_square_blocks_are_staged(tmp_path: Path, block: str) -> None:
    assert staged(unit(tmp_path, TRANSPOSE % block)) is None


def test_more_than_one_assignment_is_not_staged(tmp_path: Path) -> None:
    text = TRANSPOSE.replace("* 2.f;", "* 2.f;\n    out[0] = 1.f;")
    assert staged(unit(tmp_path, text % "dim3(16, 16)")) is None


RECORDS = """
%s
__global__ void square(const %s *in, %s *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = in[i].re, b = in[i].im;
    out[i].re = a * a - b * b;
    out[i].im = 2.f * a * b;
}
%s
void run(%s *a, %s *b, int n) { square<<<n / 256, 256>>>(a, b, n); }
"""


def records(tmp_path: Path, definition: str, name: str = "Complex", more: str = "") -> Unit:
    return unit(tmp_path, RECORDS % (definition, name, name, more, name, name))


def alignment_fixes(made: Unit) -> list[Fix]:
    return [f.fix for f in load_registry().source_rules(("CUD102",))[0].check(made) if f.fix]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("struct Complex { float re, im; };", "struct alignas(8) Complex { float re, im; };"),
        ("typedef struct { double re, im; } Complex;", "typedef struct alignas(16) { double re, im; } Complex;"),
        (
            "struct Complex // struct Complex {\n{ float re, im; };",
            "struct alignas(8) Complex // struct Complex {\n{ f",
        ),
    ],
)
def test_a_record_is_aligned_to_its_size(tmp_path: Path, before: str, after: str) -> None:
    made = records(tmp_path, before)
    fixes = alignment_fixes(made)
    content = apply_edits(made.program.files[made.program.path], fixes[0].edits)
    assert after in content.decode()
    again = Unit(parse_file(made.program.path, content=content))
    assert bad_count(made) > bad_count(again) == 0


@pytest.mark.parametrize(
    ("definition", "more"),
    [
        ("struct Complex { float re, im, more; };", ""),
        ("struct alignas(8) Complex { float re, im; };", ""),
        ("struct Complex { float re, im; float rest[14]; };", ""),
        ("struct Complex { float re, im; };", "struct Outer { int kind; Complex value; }; Outer outer;"),
        ("struct Complex { float re, im; };", "Complex *view(float *raw) { return (Complex *)(raw + 1); }"),
    ],
    ids=["odd size", "aligned", "other fields", "inside another", "cast"],
)
def test_a_record_stays_where_alignment_does_not_help_or_would_break(
    tmp_path: Path, definition: str, more: str
) -> None:
    assert alignment_fixes(records(tmp_path, definition, more=more)) == []


FLAT = """
#define COLS 32
__global__ void turn(float *out, const float *in) {
    __shared__ float tile[COLS * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) tile[%s] = in[r * 32 + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8) out[r * 32 + x] = %s;
}
void run(float *a, float *b) { turn<<<1, dim3(32, 8)>>>(a, b); }
"""


def conflict_fix(made: Unit) -> Fix | None:
    return next((f.fix for f in load_registry().source_rules(("CUD201",))[0].check(made) if f.fix), None)


@pytest.mark.parametrize(
    ("store", "load", "written"),
    [
        ("r * COLS + x", "tile[COLS * x + r]", ("tile[r * (COLS + 1) + x]", "tile[(COLS + 1) * x + r]")),
        (
            "r * 32 + x",
            "tile[(x << 5) + r]",
            ("tile[r * (32 + 1) + x]", "tile[((x << 5) + r) + ((x << 5) + r) / 32]"),
        ),
        ("x + r * 32", "tile[r + x * 32] + tile[33]", ("tile[x + r * (32 + 1)]", "tile[33 + 1]")),
    ],
)
def test_rows_of_a_flat_array_are_padded(tmp_path: Path, store: str, load: str, written: tuple[str, str]) -> None:
    made = unit(tmp_path, FLAT % (store, load))
    fix = conflict_fix(made)
    assert fix is not None
    assert all(edit.span.macro is None for edit in fix.edits)
    content = apply_edits(made.program.files[made.program.path], fix.edits)
    for text in (*written, "tile[COLS * 32 + (COLS * 32) / 32]"):
        assert text in content.decode()
    after = Unit(parse_file(made.program.path, content=content))
    assert list(load_registry().source_rules(("CUD201",))[0].check(after)) == []


@pytest.mark.parametrize(
    ("store", "load"),
    [
        ("r * COLS + x", "tile[COLS * x + r + 992 * (x == 40)] + *(tile + x)"),
        ("r * COLS + x", "tile[COLS * (x - 1) + r + 32]"),
        ("r * COLS + x", "atomicAdd(&tile[COLS * x + r], 1.f) + *(&tile[x] + 1)"),
    ],
    ids=["pointer", "column beyond the row", "address of an element"],
)
def test_rows_stay_where_an_index_cannot_be_rewritten(tmp_path: Path, store: str, load: str) -> None:
    assert conflict_fix(unit(tmp_path, FLAT % (store, load))) is None


SCALARS = """
__global__ void spread(%s *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = in[i];
    %s
}
void run(%s *a, float *b, int n) { spread<<<n / 256, 256>>>(a, b, n); }
"""


def vector_fix(tmp_path: Path, body: str, kind: str = "float") -> str | None:
    made = unit(tmp_path, SCALARS % (kind, body, kind))
    fix = next((f.fix for f in load_registry().source_rules(("CUD101",))[0].check(made) if f.fix), None)
    return None if fix is None else apply_edits(made.program.files[made.program.path], fix.edits).decode()


@pytest.mark.parametrize(
    ("body", "kind", "written"),
    [
        (
            "out[4 * i] = a; out[4 * i + 1] = a * 2; out[4 * i + 2] = sqrtf(a);\n    out[4 * i + 3] = 0;",
            "float",
            "*reinterpret_cast<float4*>(&out[4 * i]) = make_float4(a, a * 2, sqrtf(a), 0);",
        ),
        (
            "int lo = 2 * i, hi = lo + 1;\n    out[lo] = a;\n    out[hi] = -a;",
            "double",
            "*reinterpret_cast<double2*>(&out[lo]) = make_double2(a, -a);",
        ),
    ],
)
def test_neighbouring_stores_become_a_vector(tmp_path: Path, body: str, kind: str, written: str) -> None:
    after = vector_fix(tmp_path, body, kind)
    assert after is not None
    assert written in after
    made = unit(tmp_path, after)
    plan = Plan(made.kernels[0], (1, 1, 1), (256, 1, 1), 0, (), (), 0)
    build = nvrtc_build(made.program, plan, tmp_path / "build")
    assert nvrtc.errors(build.source, build.options) == []


BYTES = "out[4 * i] = {0}; out[4 * i + 1] = {0}; out[4 * i + 2] = {0}; out[4 * i + 3] = 255;"


def test_numbers_that_may_not_fit_a_byte_stay_single_stores(tmp_path: Path) -> None:
    """Out of range, a conversion gives what its instruction gives: joined stores were seen to give something else."""
    assert vector_fix(tmp_path, BYTES.format("(unsigned char)i"), "unsigned char") is not None
    assert vector_fix(tmp_path, "float f = i * 0.5f;\n    " + BYTES.format("f"), "unsigned char") is None


@pytest.mark.parametrize(
    "body",
    [
        "out[4 * i] = a; out[4 * i + 1] = out[4 * i] * 2; out[4 * i + 2] = a; out[4 * i + 3] = 0;",
        "out[4 * i] = a; /* green */ out[4 * i + 1] = a; out[4 * i + 2] = a; out[4 * i + 3] = a;",
        "out[4 * i + 1] = a; out[4 * i + 2] = a; out[4 * i + 3] = a; out[4 * i + 4] = a;",
        "out[4 * i] = a; if (a > 0) out[4 * i + 1] = a; out[4 * i + 2] = a; out[4 * i + 3] = a;",
        "out[n * i] = a; out[n * i + 1] = a; out[n * i + 2] = a; out[n * i + 3] = a;",
    ],
    ids=["loads in between", "a comment in between", "not aligned", "a condition", "a stride that is not known"],
)
def test_stores_stay_where_they_are_no_aligned_vector(tmp_path: Path, body: str) -> None:
    assert vector_fix(tmp_path, body) is None


CHUNKED = """
__device__ float helper(float *p) { return *p; }
__global__ void scale(const float *in, float *out, int n, int chunk) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
}
void run(float *a, float *b) { scale<<<128, 256>>>(a, b, 1 << 20, 32); }
"""


def chunk_fixes(tmp_path: Path, body: str, text: str = CHUNKED) -> tuple[int, set[str]]:
    """How many accesses are wasteful, and the texts that their fixes make of the file."""
    made = unit(tmp_path, text % body)
    found = list(load_registry().source_rules(("CUD101",))[0].check(made))
    content = made.program.files[made.program.path]
    fixes = [f.fix for f in found if f.fix is not None and "chunks" in f.fix.message]
    return len(found), {apply_edits(content, fix.edits).decode() for fix in fixes}


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (
            "for (int j = 0; j < chunk; j++) { int k = i * chunk + j; if (k < n) out[k] = in[k] * 2.f; }",
            ["int k = (i - int(threadIdx.x)) * chunk + int(threadIdx.x) + j * int(blockDim.x);"],
        ),
        (
            "int base = i * 16;\n    for (int k = base; k < base + 16 && k < n; k += 1) out[k] = in[k];",
            [
                "int base = (i - int(threadIdx.x)) * 16 + int(threadIdx.x);",
                "for (int k = base; k < base + 16 * int(blockDim.x) && k < n; k += blockDim.x) out[k]",
            ],
        ),
        (
            "size_t s = (blockIdx.x * blockDim.x + threadIdx.x) * 32u, e = min(s + 32u, (size_t)n);\n"
            "    for (size_t k = s; k < e; ++k) out[k] = sqrtf(in[k]);",
            ["s = blockIdx.x * blockDim.x * 32u + threadIdx.x, e = min(s + 32u * blockDim.x, (size_t)n);"],
        ),
        (
            "for (int k = i * chunk; k < (i + 1) * chunk; k++) { float s = 0; for (int m = 0; m < 4; m++)"
            " s += in[k] * m; out[k] = s; }",
            ["k < ((i - int(threadIdx.x)) + int(blockDim.x)) * chunk; k += blockDim.x"],
        ),
        (
            "for (int j = 0; j < 8; j++) { out[2 * (j + i * 8)] = 1; out[2 * (j + i * 8) + 1] = 2; }",
            None,
        ),
        (
            "for (int j = 0; j < 8; j++) atomicAdd(&out[(int)in[i * 8 + j]], 1.f);",
            ["in[(i - int(threadIdx.x)) * 8 + int(threadIdx.x) + j * int(blockDim.x)]"],
        ),
    ],
    ids=["count", "range", "smaller end", "next chunk", "still wasteful", "atomics"],
)
def test_chunks_are_taken_in_turn(tmp_path: Path, body: str, written: list[str] | None) -> None:
    wasteful, fixes = chunk_fixes(tmp_path, body)
    assert wasteful > 0
    if written is None:
        assert not fixes
        return
    (after,) = fixes
    assert all(text in after for text in written)
    made = unit(tmp_path, after)
    assert bad_count(made) == 0
    plan = Plan(made.kernels[0], (1, 1, 1), (256, 1, 1), 0, (), (), 0)
    build = nvrtc_build(made.program, plan, tmp_path / "build")
    assert nvrtc.errors(build.source, build.options) == []


LOOP = "for (int j = 0; j < chunk; j++) { int k = i * chunk + j; %s }"


@pytest.mark.parametrize(
    "body",
    [
        "float s = 0; " + LOOP % "s += in[k]; out[k] = s;",
        LOOP % "out[k] = in[k] + i;",
        LOOP % "out[k] = in[k] + threadIdx.x;",
        LOOP % "out[k] = in[k] * j;",
        LOOP % "out[k] = in[k]; __syncthreads();",
        LOOP % "out[k] = __shfl_down_sync(~0u, in[k], 1);",
        LOOP % "if (in[k] > 1.f) break; out[k] = in[k];",
        LOOP % "if (in[k] > 1.f) return; out[k] = in[k];",
        LOOP % "out[k / 2] = in[k];",
        LOOP % "out[k] = in[k] + out[k + 1];",
        LOOP % "out[k] = in[k]; out[k + 1] = 0;",
        LOOP % "out[(int)in[k]] = 1.f;",
        LOOP % "out[k] = helper(out + k);",
        LOOP % "out[k] = in[k];" + " out[i] = 0;",
        LOOP % "out[k] = in[k];" + ' if (i == 0) printf("%%f", out[n]);',
        "if (i >= n) return; " + LOOP % "out[k] = in[k];",
        "if (i < n) " + LOOP % "out[k] = in[k];",
        "for (int r = 0; r < 2; r++) " + LOOP % "out[k] = in[k];",
        "i += 1; " + LOOP % "out[k] = in[k];",
        "chunk = threadIdx.x %% 3 + 8; " + LOOP % "out[k] = in[k];",
        "int base = i * 16; for (int k = base; k < base + 16; k++) out[k] = in[k]; if (base > n) out[n] = 1;",
        "int base = i * 16; for (int k = base; k < base + 8; k++) out[k] = in[k];",
        "for (int j = 0; j < 8; j++) { int k = i * 16 + j; out[k] = in[k]; }",
        "for (int k = i * 16; k < n; k++) out[k] = in[k];",
    ],
)
def test_chunks_stay_where_iterations_or_threads_differ(tmp_path: Path, body: str) -> None:
    wasteful, fixes = chunk_fixes(tmp_path, body.replace("%%", "%"))
    assert wasteful > 0
    assert not fixes


def test_chunks_stay_where_a_launch_gives_one_buffer_twice(tmp_path: Path) -> None:
    body = LOOP % "out[k] = in[k + 1];"
    assert chunk_fixes(tmp_path, body)[1]
    alone = CHUNKED.replace("(a, b, 1", "(a, a, 1").replace(
        "void run(float *a, float *b) {", "void run() {\n    float *a;\n    cudaMalloc(&a, 1 << 24);\n   "
    )
    wasteful, fixes = chunk_fixes(tmp_path, body, alone)
    assert wasteful > 0
    assert not fixes
