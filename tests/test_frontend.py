"""Lowering: what the model says of kernels, device functions, host code and launches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cudalint.lint.frontend import parse_file
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Const,
    Deref,
    Expr,
    FunctionName,
    Index,
    InitList,
    Lambda,
    Launch,
    Member,
    Storage,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, NoteKind, TranslationUnit
from cudalint.lint.model.render import expression, render_function
from cudalint.lint.model.statements import Asm, Decl, ExprStmt, For, If, Switch, UnknownStmt
from cudalint.lint.model.types import ArrayType, FloatType, IntType, OpaqueType, PointerType, RecordType
from cudalint.lint.model.walk import walk

Lower = Callable[[str], TranslationUnit]


@pytest.fixture
def lower(tmp_path: Path) -> Lower:
    def parse(source: str) -> TranslationUnit:
        path = tmp_path / "a.cu"
        path.write_text(source, encoding="utf-8")
        return parse_file(path)

    return parse


def the(unit: TranslationUnit, name: str) -> Function:
    found = [f for f in unit.functions.values() if f.name == name]
    assert len(found) == 1, [f.key for f in found]
    return found[0]


def nodes(function: Function, kind: type) -> list:
    assert function.body is not None
    return [node for node in walk(function.body) if isinstance(node, kind)]


def values(function: Function) -> list[str]:
    """The right sides of the body's assignments, as text."""
    return [expression(node.value) for node in nodes(function, Assign)]


def test_a_kernel_has_its_parameters_types_and_index_arithmetic(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(const float *__restrict__ a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}
""")
    kernel = the(unit, "k")
    assert kernel.kind is FunctionKind.KERNEL
    first = kernel.params[0]
    assert first.type == PointerType(FloatType(32, "float"), const=True, restrict=True)
    assert first.storage is Storage.PARAM
    builtins = [(b.name, b.axis) for b in nodes(kernel, Builtin)]
    assert builtins == [("blockIdx", "x"), ("blockDim", "x"), ("threadIdx", "x")]
    declared = nodes(kernel, Decl)[0]
    assert isinstance(declared.init, Cast)
    assert not declared.init.explicit
    assert declared.init.operand.type == IntType(32, False, "unsigned int")
    assert unit.notes == ()
    assert not unit.defines_main


def test_storage_of_variables(lower: Lower) -> None:
    unit = lower("""\
__constant__ float c[4]; __device__ int d; __managed__ int m; float h;
__global__ void k(float *a) { __shared__ float s[8][33]; extern __shared__ int dyn[];
  static const int t[2] = {1, 2}; volatile int v = 0; float l = c[0] + d + m + dyn[0] + t[1] + v;
  a[0] = s[1][2] + l; }
""")
    storages = {g.symbol.name: g.symbol.storage for g in unit.globals}
    assert storages == {"c": Storage.CONSTANT, "d": Storage.DEVICE, "m": Storage.MANAGED, "h": Storage.HOST}
    local = {d.symbol.name: d.symbol for d in nodes(the(unit, "k"), Decl)}
    assert local["s"].storage is Storage.SHARED
    assert local["s"].type == ArrayType(ArrayType(FloatType(32, "float"), 33), 8)
    assert local["dyn"].storage is Storage.DYNAMIC_SHARED
    assert local["dyn"].type == ArrayType(IntType(32, True, "int"), None)
    assert local["t"].storage is Storage.STATIC
    assert local["v"].volatile
    assert local["l"].storage is Storage.LOCAL


def test_launches_with_all_their_parts(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(float *a, int n) { a[0] = n; }
void run(float *a, int n, cudaStream_t s) {
  dim3 grid((n + 255) / 256);
  k<<<grid, 256>>>(a, n);
  k<<<1, dim3(16, 16), n * sizeof(float), s>>>(a, n);
}
""")
    first, second = (site.launch for site in unit.launches)
    assert {site.function for site in unit.launches} == {the(unit, "run").key}
    assert first.key == second.key == the(unit, "k").key
    assert first.shared is None
    assert first.stream is None
    assert isinstance(first.grid, Var)
    assert isinstance(first.block, Call)
    assert [unit.text(arg.span) for arg in first.args] == ["a", "n"]
    assert first.chevrons is not None
    assert unit.text(first.chevrons) == "<<<grid, 256>>>"
    assert isinstance(second.block, Call)
    assert [expression(arg) for arg in second.block.args] == [
        "(unsigned int /*implied*/)16",
        "(unsigned int /*implied*/)16",
        "1",
    ]
    assert second.shared is not None
    assert second.stream is not None
    assert unit.text(second.span) == "k<<<1, dim3(16, 16), n * sizeof(float), s>>>(a, n)"


def test_runtime_launches_show_the_arguments_behind_the_array(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(float *a, int n) { a[0] = n; }
void run(float *a, int n) {
  void *args[] = {&a, &n};
  cudaLaunchKernel((void *)k, dim3(4), dim3(64), args, 0, 0);
  cudaLaunchConfig_t c = {};
  c.gridDim = 3;
  c.blockDim = dim3(32);
  cudaLaunchKernelEx(&c, k, a, n);
}
""")
    plain, extended = (site.launch for site in unit.launches)
    assert plain.via == "cudaLaunchKernel"
    assert plain.kernel == "k"
    assert [expression(arg) for arg in plain.args] == ["a", "n"]
    assert extended.via == "cudaLaunchKernelEx"
    assert extended.key == plain.key == the(unit, "k").key
    assert "3" in expression(extended.grid)
    assert "32" in expression(extended.block)
    assert [expression(arg) for arg in extended.args] == ["a", "n"]


def test_a_kernel_behind_a_function_pointer_is_found(lower: Lower) -> None:
    unit = lower("""\
template <class T> __global__ void k(T *a) { a[0] = 1; }
void run(double *a) { auto f = k<double>; f<<<1, 2>>>(a); }
""")
    assert unit.launches[0].launch.key == the(unit, "k").key


def test_templates_are_lowered_as_instantiated(lower: Lower) -> None:
    unit = lower("""\
template <typename T, int B> __device__ T twice(T v) { return v * B; }
template <typename T, int B> __global__ void k(T *a) {
  __shared__ T s[B];
  s[threadIdx.x] = twice<T, B>(a[0]);
  if constexpr (B > 100) a[1] = s[0]; else a[2] = s[0];
}
void run(float *a, double *b) { k<float, 64><<<1, 64>>>(a); k<double, 128><<<1, 128>>>(b); }
""")
    kernels = unit.kernels()
    assert [[a.value for a in k.template_args] for k in kernels] == [
        [FloatType(64, "double"), 128],
        [FloatType(32, "float"), 64],
    ]
    assert kernels[0].pattern == kernels[1].pattern
    assert kernels[0].key != kernels[1].key
    assert not kernels[0].synthetic
    shared = [nodes(k, Decl)[0].symbol.type for k in kernels]
    assert shared == [ArrayType(FloatType(64, "double"), 128), ArrayType(FloatType(32, "float"), 64)]
    taken = [nodes(k, If)[0] for k in kernels]
    assert all(branch.constexpr for branch in taken)
    assert [len(list(walk(branch.then))) > 1 for branch in taken] == [True, False]
    callee = nodes(kernels[1], Call)[0]
    assert callee.key in unit.functions
    assert callee.template_args == (FloatType(32, "float"), 64)
    value = nodes(unit.functions[callee.key], Const)[-1]
    assert (value.value, value.name) == (64, "B")


def test_templates_that_nothing_launches_get_guessed_arguments(lower: Lower) -> None:
    unit = lower("""\
namespace n {
template <int TILE> __global__ void tile(float *a) {
  __shared__ float t[TILE][TILE]; t[threadIdx.y][threadIdx.x] = a[0]; }
template <int ROW> __global__ void row(float *a) { __shared__ float r[ROW]; r[threadIdx.x] = a[0]; }
template <class F> __global__ void map(float *a, F f) { a[0] = f(a[1]); }
template <class T> __global__ void launched(T *a) { a[threadIdx.x] = 1; }
template <class T> void run(T *a) { launched<T><<<7, 96>>>(a); }
}
""")
    by_name = {k.name: k for k in unit.kernels()}
    assert all(k.synthetic for k in by_name.values())
    assert [a.value for a in by_name["tile"].template_args] == [32]
    assert [a.value for a in by_name["row"].template_args] == [256]
    assert not nodes(by_name["map"], Unknown)
    assert by_name["launched"].params[0].type == PointerType(FloatType(32, "float"))
    assert [site.launch.key for site in unit.launches] == [by_name["launched"].key]


def test_a_template_that_cannot_be_guessed_is_lowered_as_written(lower: Lower) -> None:
    unit = lower("""\
template <class P> __global__ void k(typename P::type *a, float *b) { b[threadIdx.x] = 1; }
""")
    kernel = the(unit, "k")
    assert kernel.synthetic
    assert isinstance(kernel.params[0].type, PointerType)
    assert isinstance(kernel.params[0].type.pointee, OpaqueType)
    assert [expression(n.target) for n in nodes(kernel, Assign)] == ["b[threadIdx.x]"]


def test_references_are_pointers(lower: Lower) -> None:
    unit = lower("""\
__device__ void swap(float &a, float &b) { float t = a; a = b; b = t; }
__device__ float &at(float *p) { return p[3]; }
__global__ void k(float *a) { swap(a[0], a[1]); at(a) = 2; float &r = a[4]; r += 1; }
""")
    swap = the(unit, "swap")
    assert all(isinstance(p.type, PointerType) and p.type.reference for p in swap.params)
    assert len(nodes(swap, Deref)) == 4
    call, at = nodes(the(unit, "k"), Call)
    assert all(isinstance(arg, AddressOf) for arg in call.args)
    assert at.type == PointerType(FloatType(32, "float"), reference=True)
    first, second = nodes(the(unit, "k"), Assign)
    assert isinstance(first.target, Deref)
    assert first.target.pointer is at
    assert isinstance(second.target, Deref)
    returned = nodes(the(unit, "at"), AddressOf)
    assert len(returned) == 1


def test_methods_operators_and_lambdas(lower: Lower) -> None:
    unit = lower("""\
struct V { float d[4];
  __device__ float &operator[](int i) { return d[i]; }
  __device__ V &operator+=(const V &o) { d[0] += o.d[0]; return *this; } };
template <class F> __device__ void each(F f) { f(threadIdx.x); }
__global__ void k(float *a) {
  V v, w;
  v[1] = 2;
  v += w;
  V *p = &v;
  a[2] = p->d[3];
  each([&](int i) { a[i] = w.d[1]; });
}
""")
    kernel = the(unit, "k")
    subscript, add, each = (c for c in nodes(kernel, Call) if not c.constructor)
    assert (subscript.name, subscript.arrow, subscript.qualified) == ("operator[]", False, "V::operator[]")
    assert isinstance(subscript.receiver, Var)
    assert isinstance(add.args[0], AddressOf)
    member = next(n for n in nodes(kernel, Member) if n.field == "d")
    assert member.arrow
    assert member.offset == 0
    this = unit.functions[add.key or ""].this
    assert this is not None
    assert this.name == "this"
    closure = each.args[0]
    assert isinstance(closure, Lambda)
    assert {(c.symbol.name, c.by_reference) for c in closure.captures} == {("a", True), ("w", True)}
    body = unit.functions[closure.key]
    assert body.kind is FunctionKind.DEVICE
    assert any(v.symbol.key == kernel.params[0].key for v in nodes(body, Var))


def test_constructors_set_their_fields(lower: Lower) -> None:
    unit = lower("""\
struct P { int x = 5; float *q{nullptr}; int y; __device__ P(int a) : y(a) { x += 1; } };
__global__ void k(int *a) { P p(3); a[0] = p.x + p.y; }
""")
    made = next(c for c in nodes(the(unit, "k"), Call) if c.constructor)
    constructor = unit.functions[made.key or ""]
    assert {name: expression(value) for name, value in constructor.initializers} == {"y": "a", "x": "5", "q": "0"}
    record = made.type
    assert isinstance(record, RecordType)
    assert [(f.name, f.offset) for f in record.fields] == [("x", 0), ("q", 8), ("y", 16)]


def test_records_flatten_bases_and_anonymous_members(lower: Lower) -> None:
    unit = lower("""\
struct B { int q; };
struct A : B { union { float f; int i; }; double d; };
__global__ void k(A *a) { a[0].q = a->i; a->f = a->d; }
""")
    record = the(unit, "k").params[0].type.pointee  # type: ignore[union-attr]
    assert [(f.name, f.offset) for f in record.fields] == [("q", 0), ("f", 4), ("i", 4), ("d", 8)]
    assert {(m.field, m.offset) for m in nodes(the(unit, "k"), Member)} == {("q", 0), ("i", 4), ("f", 4), ("d", 8)}


def test_vector_types_and_reinterpreting_casts(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(float *a) {
  float4 v = reinterpret_cast<float4 *>(a)[threadIdx.x];
  (float4 &)a[4] = v;
  int n = *(int *)&a[1];
  void *p = (void *)a;
  a[0] = v.y + n;
}
""")
    casts = [c for c in nodes(the(unit, "k"), Cast) if c.explicit]
    assert [c.reinterpret for c in casts] == [True, True, True, False]
    vector = casts[0].type
    assert isinstance(vector, PointerType)
    assert isinstance(vector.pointee, RecordType)
    assert (vector.pointee.name, vector.pointee.size, vector.pointee.align) == ("float4", 16, 16)
    y = next(m for m in nodes(the(unit, "k"), Member) if m.field == "y")
    assert y.offset == 4


def test_half_arithmetic_is_arithmetic(lower: Lower) -> None:
    unit = lower("""\
#include <cuda_fp16.h>
__global__ void k(half *a, float f) { a[0] = a[1] * a[2]; a[3] = f; }
""")
    kernel = the(unit, "k")
    assert kernel.params[0].type == PointerType(FloatType(16, "half"))
    assert [b.op for b in nodes(kernel, Binary)] == ["*"]
    assert not nodes(kernel, Unknown)


def test_constants_keep_their_names(lower: Lower) -> None:
    unit = lower("""\
#define TILE 32
enum { E = 7 };
constexpr int N = 4 * TILE;
struct S { static const int M = 9; };
__global__ void k(int *a) { a[0] = TILE; a[1] = E; a[2] = N; a[3] = S::M; a[4] = sizeof(double);
  a[5] = 0x1F; a[6] = 'a'; }
""")
    found = [(c.name, c.value) for a in nodes(the(unit, "k"), Assign) for c in walk(a.value) if isinstance(c, Const)]
    assert found == [("TILE", 32), ("E", 7), ("N", 128), ("M", 9), (None, 8), (None, 31), (None, 97)]


def test_literals_keep_their_spelling(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(float *a) { a[0] = a[0] * 0.1; a[1] = 1e-6f; a[2] = 1'000; a[3] = 0x1p-3; }
""")
    texts = [c.text for a in nodes(the(unit, "k"), Assign) for c in walk(a.value) if isinstance(c, Const)]
    assert texts == ["0", "0.1", "1e-6f", "1'000", "0x1p-3"]
    widened = next(b for b in nodes(the(unit, "k"), Binary) if b.op == "*")
    assert widened.type == FloatType(64, "double")
    assert isinstance(widened.left, Cast)


def test_launch_bounds_are_evaluated(lower: Lower) -> None:
    unit = lower("""\
#define B 128
constexpr int M = 3;
__global__ void __launch_bounds__(B * 2, M) k(float *a) { a[0] = 1; }
template <int T> __global__ __launch_bounds__(T) void t(float *a) { a[0] = T; }
void run(float *a) { t<96><<<1, 96>>>(a); }
""")
    assert the(unit, "k").launch_bounds == (256, 3)
    assert the(unit, "t").launch_bounds == (96, None)


def test_control_flow(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(int *a, int n) {
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = 1;
  for (;;) { if (n) break; }
  for (; n < 3;) ++n;
  for (int j = 0;; j++) { if (j > n) return; }
  do { n--; } while (n > 0);
  if (int z = n * 2; z > 1) a[z] = 2; else a[3] = z;
  switch (n) { case 1: case 2: a[0] = 1; break; case 3: a[1] = 2; default: a[2] = 3; }
}
""")
    unrolled, endless, until, open_ended = nodes(the(unit, "k"), For)
    assert unrolled.unroll
    assert unit.text(unrolled.head) == "for (int i = 0; i < 4; ++i)"
    assert (endless.init, endless.condition, endless.step) == ((), None, None)
    assert until.condition is not None
    assert until.step is None
    assert open_ended.init
    assert open_ended.condition is None
    assert open_ended.step is not None
    branch = next(i for i in nodes(the(unit, "k"), If) if i.init)
    assert branch.otherwise is not None
    switch = nodes(the(unit, "k"), Switch)[0]
    assert [([v.value for v in c.values if isinstance(v, Const)], c.default) for c in switch.cases] == [
        ([1, 2], False),
        ([3], False),
        ([], True),
    ]
    assert not nodes(the(unit, "k"), UnknownStmt)


def test_inline_assembly(lower: Lower) -> None:
    unit = lower(
        """\
__global__ void k(int *a) { int r; asm volatile("mov.u32 %0, %1;" : "=r"(r) : "r"(a[0]), "n"(3)); a[1] = r; }
"""
    )
    asm = nodes(the(unit, "k"), Asm)[0]
    assert asm.text == "mov.u32 %0, %1;"
    assert [expression(o) for o in asm.outputs] == ["r"]
    assert [expression(i) for i in asm.inputs] == ["a[0]", "3"]


def test_goto_is_not_understood(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(int *a) { if (a[0]) goto end; a[1] = 2; end: a[2] = 3; }
""")
    assert [s.reason for s in nodes(the(unit, "k"), UnknownStmt)] == ["goto", "label"]


def test_structured_bindings_and_init_lists(lower: Lower) -> None:
    unit = lower("""\
struct P { int x; float y; };
__global__ void k(float *a) {
  auto [p, q] = P{1, 2};
  a[p] = q;
  float m[2][2] = {1, 2, 3, 4};
  P d = {.y = 3};
  a[0] = m[1][0] + d.y;
}
""")
    first = nodes(the(unit, "k"), Assign)[0]
    assert [m.field for m in walk(first) if isinstance(m, Member)] == ["x", "y"]
    lists = {d.symbol.name: d.init for d in nodes(the(unit, "k"), Decl)}
    matrix = lists["m"]
    assert isinstance(matrix, InitList)
    assert [len(row.items) for row in matrix.items if isinstance(row, InitList)] == [2, 2]
    designated = lists["d"]
    assert isinstance(designated, InitList)
    assert len(designated.items) == 2


def test_an_unknown_type_never_passes_for_int(lower: Lower) -> None:
    unit = lower("""\
#include "missing.h"
typedef missing_t alias;
struct R { missing_t m; int n; };
__global__ void k(missing_t *a, alias *b, R *r, int *c) { a[0] = 1; b[0] = 2; c[0] = r->n; c[1] = 5; }
""")
    kernel = the(unit, "k")
    assert isinstance(kernel.params[0].type, OpaqueType)
    targets = [n.target for n in nodes(kernel, Assign)]
    assert [any(isinstance(part, Unknown) for part in walk(t)) for t in targets] == [True, True, False, False]
    assert any(isinstance(part, Unknown) for part in walk(nodes(kernel, Assign)[2].value))
    kinds = {(note.kind, note.in_kernel) for note in unit.notes}
    assert (NoteKind.MISSING_HEADER, True) in kinds
    assert (NoteKind.UNKNOWN_NAME, True) in kinds


def test_what_the_parser_left_out_is_marked(lower: Lower) -> None:
    unit = lower(
        """\
__global__ void k(float *a) { int n = MISSING; a[0] = 1; other(a); a[1] = GONE + 1; if (GONE) a[2] = 1; }
"""
    )
    body = the(unit, "k").body
    assert body is not None
    unknown = [any(isinstance(p, Unknown | UnknownStmt) for p in walk(s)) for s in body.body]
    assert unknown.count(False) == 1
    assert any(isinstance(s, ExprStmt) and expression(s.expr).startswith("a[0] =") for s in body.body)


def test_an_error_in_one_instance_does_not_touch_others(lower: Lower) -> None:
    unit = lower("""\
template <class T> __global__ void k(T *a) { a[0] = 1; a[1] = a[0].nothing(); }
template <class T> __global__ void sound(T *a) { a[0] = a[1] + T(1); }
""")
    assert nodes(the(unit, "k"), Unknown) or nodes(the(unit, "k"), UnknownStmt)
    assert not nodes(the(unit, "sound"), Unknown)


def test_headers_of_the_project_are_lowered_where_they_live(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / ".git").mkdir()
    header = tmp_path / "include" / "k.cuh"
    header.write_text("__global__ void k(float *a) { a[0] = 1; }\ninline int unused() { return 1; }\n")
    source = tmp_path / "src" / "a.cu"
    source.write_text('#include "k.cuh"\nint main() { k<<<1, 1>>>(nullptr); }\n')
    unit = parse_file(source)
    assert the(unit, "k").span.file == str(header)
    assert unit.defines_main
    assert str(header) in unit.files
    assert "unused" not in {f.name for f in unit.functions.values()}
    assert unit.notes == ()


def test_device_code_is_read_as_the_device_compiles_it(lower: Lower) -> None:
    unit = lower(
        """\
__global__ void k(int *a) {
#if __CUDA_ARCH__ >= 700
  a[0] = 1;
#else
  a[0] = 2;
#endif
}
"""
    )
    assert values(the(unit, "k")) == ["1"]


def test_functions_as_values(lower: Lower) -> None:
    unit = lower(
        """\
__device__ float f(float x) { return x; }
__global__ void k(float *a) { float (*p)(float) = f; a[0] = p(1); }
"""
    )
    name = nodes(the(unit, "k"), FunctionName)[0]
    assert name.key == the(unit, "f").key
    call = nodes(the(unit, "k"), Call)[0]
    assert call.callee is not None


def test_host_statements(lower: Lower) -> None:
    unit = lower("""\
void h(int n) {
  int *p = new int[n];
  try { if (n) throw 1; } catch (int e) { n = e; }
  delete[] p;
  int v[3] = {1, 2, 3};
  for (int x : v) n += x;
}
""")
    text = render_function(the(unit, "h"))
    assert "new int[" in text
    assert "delete[] p" in text
    assert "throw 1" in text
    assert "for (int x : v)" in text
    assert "not understood" not in text


def test_symbols_have_keys_of_their_own(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(int *a) { { int i = 1; a[0] = i; } { int i = 2; a[1] = i; } }
template <int N> __global__ void t(int *a) { int i = N; a[0] = i; }
""")
    keys = [d.symbol.key for f in unit.functions.values() for d in nodes(f, Decl)]
    assert len(keys) == 3
    assert len(set(keys)) == 3


def test_launch_expressions_stay_in_the_body(lower: Lower) -> None:
    unit = lower("""\
__global__ void k() {}
void h() { for (int i = 0; i < 9; i++) k<<<1, i>>>(); }
""")
    assert len(nodes(the(unit, "h"), Launch)) == 1


def test_index_of_a_member_array(lower: Lower) -> None:
    unit = lower("""\
struct S { float d[8]; };
__global__ void k(S s, S *p, float *a) { a[0] = s.d[1] + p->d[2]; }
""")
    bases: list[Expr] = [n.base for n in nodes(the(unit, "k"), Index)]
    assert [expression(b) for b in bases] == ["a", "s.d", "p->d"]


def test_default_arguments_are_seen_at_the_call(lower: Lower) -> None:
    unit = lower("""\
__device__ int g(int a, unsigned lane = threadIdx.x, int z = 3) { return a + lane + z; }
__global__ void k(int *a) { a[0] = g(1); }
""")
    call = nodes(the(unit, "k"), Call)[0]
    assert [expression(arg) for arg in call.args] == ["1", "threadIdx.x", "3"]


def test_kernels_carry_the_mangled_name_of_their_device_code(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "namespace n {\n"
        "template <typename T, int B> __global__ void k(T *a) { a[B] = 0; }\n"
        "__global__ void j(float *a, int n, const double *p) { a[n] = p[0]; }\n"
        "}\n"
        'extern "C" __global__ void c(float *a) { a[0] = 0; }\n'
        "void f(float *a) { n::k<float, 3><<<1, 1>>>(a); n::j<<<1, 1>>>(a, 1, nullptr); c<<<1, 1>>>(a); }\n"
    )
    names = {kernel.name: kernel.mangled for kernel in parse_file(str(path)).kernels()}
    assert names == {"k": "_ZN1n1kIfLi3EEEvPT_", "j": "_ZN1n1jEPfiPKd", "c": "c"}


def test_alignment_may_follow_the_storage(lower: Lower) -> None:
    unit = lower(
        "__global__ void k(float *a) { __shared__ alignas(16) float s[32]; s[threadIdx.x] = 1; a[0] = s[1]; }\n"
    )
    assert unit.notes == ()
    shared = nodes(the(unit, "k"), Decl)[0]
    assert shared.symbol.storage is Storage.SHARED
    assert "__shared__ alignas(16) float s[32]" in unit.text(the(unit, "k").span)
    assert unit.text(nodes(the(unit, "k"), Assign)[0].span) == "s[threadIdx.x] = 1"


def test_a_library_used_without_its_header_is_found() -> None:
    body = "thread_block b = this_thread_block(); b.sync(); a[0] = 1;"
    text = f"using namespace cooperative_groups;\n__global__ void k(int *a) {{ {body} }}\n"
    unit = parse_file("k.cu", content=text.encode())
    assert not [note for note in unit.notes if note.in_kernel]


def test_long_tables_are_not_read(lower: Lower) -> None:
    rows = ",".join(["{1, -2}"] * 2500)
    unit = lower(f"int wide[][2] = {{{rows}}}; float zero[9000] = {{0}}; int last = 3;")
    wide, zero, last = (g.init for g in unit.globals)
    assert isinstance(wide, Unknown)
    assert wide.reason == "long table"
    assert isinstance(zero, InitList)
    assert isinstance(last, Const)


def test_tables_of_common_length_are_read(lower: Lower) -> None:
    (table,) = lower(f"int table[] = {{{','.join(map(str, range(4000)))}}};").globals
    assert isinstance(table.init, InitList)
    assert len(table.init.items) == 4000


def test_what_a_sizeof_measures_is_kept() -> None:
    source = """struct S { int a, b, c; }; typedef float real;
        void f(float* p, real (&q)[5]) { long n = sizeof(p); n = sizeof *p; n = sizeof(q); n = sizeof(S);
                                         n = sizeof(S*); n = sizeof(float*);
                                         n = sizeof(real); n = alignof(S); n = sizeof(float); }"""
    unit = parse_file("t.cu", content=source.encode())
    (body,) = (f.body for f in unit.functions.values() if f.name == "f")
    assert body is not None
    found = {unit.text(n.span): n.measured for n in walk(body) if isinstance(n, Const)}
    kinds = {text: None if of is None else type(of).__name__ for text, of in found.items()}
    assert kinds == {
        "sizeof(p)": "PointerType",
        "sizeof *p": "FloatType",
        "sizeof(q)": "ArrayType",
        "sizeof(S)": "RecordType",
        "sizeof(S*)": "PointerType",
        "sizeof(float*)": "PointerType",
        "sizeof(real)": "FloatType",
        "alignof(S)": None,
        "sizeof(float)": None,
    }


def test_a_function_declared_before_its_definition_has_one_key(lower: Lower) -> None:
    unit = lower("""\
__global__ void k(float *a);
template <class T> __device__ T f(T a);
__device__ int g(int);
struct S { __device__ int m(int); };
void run(float *a) { k<<<1, 32>>>(a); }
__global__ void k(float *a) { S s; a[threadIdx.x] = f(1.0f) + g(2) + s.m(3); }
template <class T> __device__ T f(T a) { return a; }
__device__ int g(int x) { return x; }
__device__ int S::m(int x) { return x; }
""")
    named = [f.key for f in unit.functions.values() if f.name in ("k", "f", "g", "m")]
    assert sorted(named) == ["S::m(int)", "f<float>(float)", "g(int)", "k(float *)"]
    assert [site.launch.key for site in unit.launches] == ["k(float *)"]
