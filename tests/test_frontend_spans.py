"""Where nodes stand: code points, byte offsets, macros and their arguments."""

from __future__ import annotations

from pathlib import Path

from cudalint.lint.frontend import parse_file
from cudalint.lint.model.expressions import Assign, Call, Const
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.walk import walk


def lowered(tmp_path: Path, source: str) -> TranslationUnit:
    path = tmp_path / "a.cu"
    path.write_bytes(source.encode())
    return parse_file(path)


def all_of(unit: TranslationUnit, kind: type) -> list:
    return [n for f in unit.functions.values() if f.body for n in walk(f.body) if isinstance(n, kind)]


def test_columns_count_code_points_and_offsets_count_bytes(tmp_path: Path) -> None:
    unit = lowered(tmp_path, "__global__ void k(float *a) { /* äöü€ */ a[0] = 1; }\n")
    span = all_of(unit, Assign)[0].span
    assert (span.line, span.column, span.end_column) == (1, 42, 50)
    assert span.offset == len("__global__ void k(float *a) { /* äöü€ */ ".encode())
    assert unit.text(span) == "a[0] = 1"


def test_spans_hold_with_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    unit = lowered(tmp_path, "\ufeff__global__ void k(float *a) {\r\n  a[0] = 1;\r\n}\r\n")
    span = all_of(unit, Assign)[0].span
    assert (span.line, span.column) == (2, 3)
    assert unit.text(span) == "a[0] = 1"


def test_macro_arguments_keep_their_place(tmp_path: Path) -> None:
    unit = lowered(
        tmp_path,
        "#define CHECK(x) do { if ((x) != 0) return; } while (0)\n"
        "void h(float *p, int n) {\n  CHECK(cudaMalloc(&p, n * sizeof(float)));\n}\n",
    )
    call = all_of(unit, Call)[0]
    assert unit.text(call.span) == "cudaMalloc(&p, n * sizeof(float))"
    assert call.span.macro == "CHECK"
    assert (call.span.line, call.span.column) == (3, 9)


def test_nested_macros_keep_the_arguments_place(tmp_path: Path) -> None:
    unit = lowered(
        tmp_path,
        "#define INNER(x) ((void)(x))\n#define OUTER(x) INNER(x)\nvoid h(float *p) { OUTER(cudaFree(p)); }\n",
    )
    call = all_of(unit, Call)[0]
    assert unit.text(call.span) == "cudaFree(p)"
    assert call.span.macro == "OUTER"


def test_nodes_from_a_macro_body_span_its_use(tmp_path: Path) -> None:
    unit = lowered(
        tmp_path,
        "#define STORE(p, i) p[i] = 1\n__global__ void k(float *a) { STORE(a, threadIdx.x); a[1] = 2; }\n",
    )
    first, second = all_of(unit, Assign)
    assert unit.text(first.span) == "STORE(a, threadIdx.x)"
    assert first.span.macro == "STORE"
    assert second.span.macro is None


def test_a_statement_that_merely_starts_with_a_macro_is_not_a_macro(tmp_path: Path) -> None:
    unit = lowered(tmp_path, "#define N 4\n__global__ void k(int *a) { a[0] = N * 2; }\n")
    product = all_of(unit, Assign)[0].value
    assert unit.text(product.span) == "N * 2"
    assert product.span.macro is None
    constant = next(c for c in walk(product) if isinstance(c, Const))
    assert (constant.span.macro, constant.name) == ("N", "N")


def test_functions_span_from_attribute_to_brace(tmp_path: Path) -> None:
    unit = lowered(tmp_path, "\n  __global__ void kernel(float *a) { a[0] = 1; }\n")
    function = unit.kernels()[0]
    assert unit.text(function.name_span) == "kernel"
    assert unit.text(function.span) == "__global__ void kernel(float *a) { a[0] = 1; }"
    assert function.span.macro is None


def test_content_stands_in_for_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void old() {}\n")
    unit = parse_file(path, content=b"__global__ void fresh() {}\n")
    assert [k.name for k in unit.kernels()] == ["fresh"]
    assert unit.files[str(path)] == b"__global__ void fresh() {}\n"
