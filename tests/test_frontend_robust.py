"""Files that no compiler would take: never an exception, always a unit."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.frontend import parse_file
from cudalint.lint.model.program import NoteKind
from cudalint.lint.model.render import render_unit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

GOOD = b"""template <class T> struct V { T d[4]; __device__ T &operator[](int i) { return d[i]; } };
#define CHECK(x) if ((x) != 0) return
__global__ void k(float *a, int n) {
  __shared__ float s[32];
  for (int i = threadIdx.x; i < n; i += blockDim.x) { V<float> v; v[1] = a[i]; s[i % 32] = v[1]; }
  __syncthreads();
  auto f = [&](int j) { return s[j] + a[j]; };
  if (n > 3) a[n] = f(2); else switch (n) { case 1: a[0] = 1; }
}
void h(float *a) { CHECK(cudaMalloc(&a, 4)); k<<<1, 32>>>(a, 3); }
"""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 100,
        bytes(range(256)) * 8,
        GOOD[:200] + b"\0\0" + GOOD[200:],
        b"// \xff\xfe\n" + GOOD,
        GOOD.decode().encode("utf-16"),
        GOOD[:300],
        GOOD[:500],
        b"#if 1\n" + GOOD,
        GOOD + b"#endif\n#else\n",
        b'#include "self.cu"\n__global__ void k() {}\n',
        b"template <int N> struct F { static const int v = F<N - 1>::v; };\n"
        b"__global__ void k(int *a) { a[0] = F<9>::v; }",
        b'"' + b"x" * 5000,
        b"#define A(x) A(x) x\n__global__ void k(int *a) { A(A(a[0] = 1;)) }",
        b"__global__ k(\n__global__ void (int *a) { }\n__global__ void",
        b"struct A; struct B { A *a; B *b; }; struct A { B b; A *n; };\n"
        b"__global__ void k(A *a) { a->b.a->b.b->a = a->n; }",
    ],
)
def test_odd_content(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "self.cu"
    path.write_bytes(content)
    unit = parse_file(path)
    assert unit.path == str(path)
    render_unit(unit)


@pytest.mark.parametrize(
    "content",
    [
        b"{" * 20_000,
        b"__global__ void k() {" + b"{" * 20_000,
        b"__global__ void k(int *a) { a[0] = " + b"(" * 20_000 + b"1" + b")" * 20_000 + b"; }",
    ],
)
def test_endless_brackets_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(content)
    unit = parse_file(path)
    assert [note.kind for note in unit.notes] == [NoteKind.FAILED]


def test_deep_expressions_end_in_unknown(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(b"__global__ void k(int *a) { a[0] = " + b"a[1] + " * 2000 + b"1; }")
    unit = parse_file(path)
    assert "nested too deeply" in render_unit(unit)


def test_unreadable_paths(tmp_path: Path) -> None:
    loop = tmp_path / "loop.cu"
    loop.symlink_to(loop)
    for path in (loop, tmp_path / "missing.cu", tmp_path):
        assert [note.kind for note in parse_file(path).notes] == [NoteKind.FAILED]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(GOOD)),
            st.integers(0, 20),
            st.sampled_from(
                [b"", b"{", b"}", b"(", b";", b"<", b"template <class T> ", b'"', b"#if X\n", b"[&]", b"::"]
            ),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_damaged_files(tmp_path: Path, edits: list[tuple[int, int, bytes]]) -> None:
    content = bytearray(GOOD)
    for at, length, inserted in edits:
        content[at : at + length] = inserted
    render_unit(parse_file(tmp_path / "a.cu", content=bytes(content)))
