"""The measured access patterns again, given as source to the front end and the executor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cudalint.lint.analysis.memory import Site, Verdict, sites
from cudalint.lint.analysis.trace import AccessKind, Space
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend.parse import parse_file
from cudalint.rules.base import SourceRule
from cudalint.rules.cud101_uncoalesced_global_access import UncoalescedGlobalAccess
from cudalint.rules.cud102_array_of_structs_access import ArrayOfStructsAccess
from cudalint.rules.cud104_misaligned_vector_access import MisalignedVectorAccess
from cudalint.rules.cud201_shared_bank_conflict import SharedBankConflict
from hypothesis import given, settings
from hypothesis import strategies as st

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data/h200_micro.jsonl").read_text().splitlines()]
KINDS = {"ld": AccessKind.LOAD, "st": AccessKind.STORE, "atomic": AccessKind.ATOMIC}
RECORDS = "".join(f"struct S{4 * n} {{ float f[{n}]; }};\n" for n in (3, 4, 5, 6, 8, 12))


def kernel(number: int, row: dict[str, Any]) -> str:
    """A kernel with the row's access, and its launch."""
    shared = row["space"] == "shared"
    name = "shared_data" if shared else "data"
    place = f"{name}[{row['index']}]"
    if row["type"].startswith("S"):
        place += ".f[0]"
    elif row["type"] == "float3":
        place += ".x"
    action = {
        "ld": f"sink(out, {place})",
        "st": f"{place} = 1",
        "atomic": f"atomicAdd(&{place}, 1)",
    }[row["op"]]
    declared = f"__shared__ {row['type']} shared_data[2048]; " if shared else ""
    x, y, z = row["block"]
    return (
        f"__global__ void k{number}({row['type']}* data, void* out) {{ {declared}const int N = {row['N']}; "
        f"int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z; if ({row['guard']}) {action}; }}\n"
        f"void launch{number}({row['type']}* data, void* out) "
        f"{{ k{number}<<<1, dim3({x}, {y}, {z})>>>(data, out); }}\n"
    )


@pytest.fixture(scope="module")
def unit() -> Unit:
    """All rows as one file."""
    head = RECORDS + "template <class T> __device__ void sink(void* out, T value) { *(T*)out = value; }\n"
    text = head + "".join(kernel(i, row) for i, row in enumerate(ROWS))
    return Unit(parse_file("rows.cu", content=text.encode()))


def measured(unit: Unit, number: int, row: dict[str, Any]) -> Site:
    """The row's access among those of its kernel."""
    (function,) = (k for k in unit.kernels if k.name == f"k{number}")
    (trace,) = unit.traces(function)
    space = Space(row["space"])
    (site,) = (s for s in sites(trace, space) if s.object.name in ("data", "shared_data"))
    return site


@pytest.mark.parametrize(("number", "row"), list(enumerate(ROWS)), ids=lambda v: str(v) if isinstance(v, int) else "")
def test_measured_rows_as_source(unit: Unit, number: int, row: dict[str, Any]) -> None:
    """Front end, launch, execution and costs together reproduce what was measured."""
    site = measured(unit, number, row)
    (instruction,) = row["instructions"]
    names = ("sectors", "ideal_sectors") if row["space"] == "global" else ("wavefronts", "ideal_wavefronts")
    assert site.access.kind is KINDS[row["op"]]
    (cost, *others) = site.costs
    assert not others or all(c == cost for c in others)
    assert (cost.used, cost.ideal) == tuple(instruction[n] for n in names)
    assert (cost.requests, cost.active) == (instruction["executed"], instruction["threads"])


SMALL = st.integers(1, 70)
BLOCKS = st.sampled_from([(32, 1, 1), (100, 1, 1), (256, 1, 1), (8, 8, 4), (16, 12, 3), (5, 7, 2), (1, 64, 1)])
FORMS = (
    "tx*{a} + ty*{b} + tz*{c} + {d}",
    "(tx + ty*{a}) / {b} * {c} + (tx + ty*{a}) % {b}",
    "(tx*{a}) % {b} + ty*{c}",
    "(tx ^ {a}) + ty*{b}",
    "(tx*{a}) ^ (ty*{b})",
    "(tx << {e}) + (ty >> {e}) + tz*{a}",
    "(tx & {a})*{b} + ((tx | ty) >> {e})",
)


@settings(max_examples=40, deadline=None)
@given(form=st.sampled_from(FORMS), n=st.tuples(SMALL, SMALL, SMALL, SMALL), e=st.integers(0, 5), block=BLOCKS)
def test_random_indices_equal_brute_force(
    form: str, n: tuple[int, int, int, int], e: int, block: tuple[int, int, int]
) -> None:
    """Whatever the index, the sectors found are those that counting lane by lane finds."""
    index = form.format(a=n[0], b=n[1], c=n[2], d=n[3], e=e)
    text = (
        "__global__ void k(float* data) { int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z; "
        f"data[{index}] = 1; }}\nvoid launch(float* d) {{ k<<<1, dim3{block}>>>(d); }}\n"
    )
    unit = Unit(parse_file("random.cu", content=text.encode()))
    (trace,) = unit.traces(unit.kernels[0])
    (site,) = sites(trace, Space.GLOBAL)
    x, y, z = block
    used = ideal = 0
    for first in range(0, x * y * z, 32):
        warp = range(first, min(first + 32, x * y * z))
        python = index.replace("/", "//")
        touched = {eval(python, {"tx": t % x, "ty": t // x % y, "tz": t // (x * y)}) * 4 // 32 for t in warp}
        used += len(touched)
        ideal += min(len(touched), -(-len(warp) * 4 // 32))
    assert (site.cost.used, site.cost.ideal) == (used, ideal)


@pytest.mark.parametrize(("elements", "said"), [(32, False), (64, True)])
def test_a_gather_from_a_table_of_a_few_sectors_cannot_waste_much(elements: int, said: bool) -> None:
    """32 floats are four sectors, as many as a full warp needs anyway; 64 are more."""
    text = (
        f"__device__ float table[{elements}];\n"
        "__global__ void k(const int *index, float *out) { out[threadIdx.x] = table[index[threadIdx.x]]; }\n"
        "void run(int *i, float *o) { k<<<1, 256>>>(i, o); }\n"
    )
    unit = Unit(parse_file("table.cu", content=text.encode()))
    judged = sites(unit.traces(unit.kernels[0])[0], Space.GLOBAL)
    assert [s.object.name for s in judged if s.verdict is Verdict.DATA] == (["table"] if said else [])


def told_in(source: str, rule: SourceRule) -> list[tuple[int, str, int]]:
    """The findings of a rule on a source: line, severity, other places that they point to."""
    found = rule.check(Unit(parse_file("k.cu", content=source.encode())))
    return [(d.span.line, d.severity.name, len(d.labels)) for d in found]


def test_of_accesses_with_one_cause_the_costliest_warns() -> None:
    source = """\
struct Body { float x, y, z, mass, age; };
__global__ void k(Body *a, float *b, const float *c, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) {
    a[i * n + j].x += 1;
    a[j * n + i].mass = a[j * n + i].age;
    b[i * 16 + j] = c[i * 16 + j];
  }
}
void run(Body *a, float *b, float *c, int n, int rows) { k<<<10, 128>>>(a, b, c, n, rows); }
"""
    records = told_in(source, ArrayOfStructsAccess())
    assert sorted(s for _, s, _ in records) == ["INFO"] * (len(records) - 1) + ["WARNING"]
    assert [n for _, s, n in records if s == "WARNING"] == [len(records) - 1]
    plain = [d for d in told_in(source, UncoalescedGlobalAccess()) if d[0] == 7]
    assert [(s, n) for _, s, n in plain] == [("WARNING", 0)] * 2, "two buffers are two causes"


def test_a_conflict_of_a_lane_that_wraps_around_is_no_warning() -> None:
    source = """\
__global__ void k(float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  int bin = threadIdx.x;
  out[bin] = s[bin == 0 ? 35 : bin - 1];
  out[bin + 32] = s[bin * 4];
}
void run(float *out) { k<<<1, 32>>>(out); }
"""
    assert told_in(source, SharedBankConflict()) == [(6, "INFO", 0), (7, "WARNING", 0)]


SMALL = """
__global__ void bytes(const char *in, char *out, int skip) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i - skip];
}
__global__ void strides(const float *in, float *out, int s0, int s1) {
  out[threadIdx.x] = in[threadIdx.x * s0 + blockIdx.x * s1];
}
__global__ void rows(const float *in, float *out, int pitch) {
  out[threadIdx.x] = in[threadIdx.x * pitch + blockIdx.x];
}
__global__ void nibbles(const unsigned char *in, float *out) {
  for (int j = 0; j < 4; ++j) out[threadIdx.x + 256 * j] = in[threadIdx.x * 4 + j];
}
void run(char *c, unsigned char *u, float *f, int n) {
  bytes<<<n, 256>>>(c, c, n);
  strides<<<n, 256>>>(f, f, n, n);
  rows<<<n, 256>>>(f, f, n);
  nibbles<<<1, 256>>>(u, f);
}
"""


def test_what_wastes_little_or_may_waste_nothing_is_no_warning() -> None:
    found = {line: severity for line, severity, _ in told_in(SMALL, UncoalescedGlobalAccess())}
    assert 4 not in found, "a contiguous access that starts in the middle of a sector"
    assert found[7] == "INFO", "a stride that may be that of one element"
    assert found[10] == "WARNING", "a stride beside which a block moves by one element"
    assert found[13] == "INFO", "a sector that a short loop uses up"


def test_copies_of_bytes_demand_no_alignment() -> None:
    source = """\
__global__ void k(unsigned char *b, float *o, const float *f, int n0) {
  unsigned x;
  memcpy(&x, b + threadIdx.x * 18 + 2, 4);
  o[threadIdx.x] = x;
  o[threadIdx.x + 64] = *(const float *)((const char *)f + threadIdx.x * 6);
}
void run(unsigned char *b, float *o, float *f, int n) { k<<<1, 64>>>(b, o, f, n); }
"""
    assert [line for line, _, _ in told_in(source, MisalignedVectorAccess())] == [5]


def test_an_access_in_an_operator_of_a_header_is_shown_where_the_kernel_uses_it(tmp_path: Path) -> None:
    (tmp_path / "vectors.h").write_text(
        "struct F3 { float x, y, z; };\n"
        "inline __device__ F3 operator+(const F3 &a, const F3 &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }\n"
    )
    kernel = tmp_path / "k.cu"
    kernel.write_text("""\
#include "vectors.h"
__global__ void k(F3 *o, const F3 *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) o[j] = o[j] + a[i * n + j];
}
void run(F3 *a, F3 *o, int n) { k<<<9, 128>>>(o, a, n); }
""")
    found = list(ArrayOfStructsAccess().check(Unit(parse_file(kernel))))
    assert {(Path(d.filename).name, d.span.line, d.labels[0].span.line) for d in found} == {("k.cu", 4, 2)}
    assert [d.severity.name for d in found].count("WARNING") == 1


def test_a_magic_division_by_a_sampled_number_tells_nothing() -> None:
    source = """\
__device__ unsigned divided(unsigned n, uint3 d) { return (__umulhi(n, d.x) + n) >> d.y; }
__global__ void k(const float *in, float *out, uint3 d) {
  out[threadIdx.x] = in[threadIdx.x - divided(threadIdx.x, d) * d.z];
}
void run(float *a, uint3 d) { k<<<1, 64>>>(a, a, d); }
"""
    assert told_in(source, UncoalescedGlobalAccess()) == []
