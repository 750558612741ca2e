"""What a device-only compiler is given of a file: the kernel's own, and nothing of the host."""

from __future__ import annotations

from pathlib import Path

import nvrtc
import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend import parse_file
from cudalint.lint.frontend.hostparts import declarations
from cudalint.verify.build import nvrtc_build
from cudalint.verify.needed import without_rest
from cudalint.verify.plan import Plan

SOURCE = """
#include <chrono>
#include <iostream>
#include <vector>
using namespace std::chrono;
#define HOST_API __attribute__((visibility("default")))
#define GROW(x) widen(x) + LIMIT
#define EACH(T) template void first<T>(std::vector<T>&);
typedef high_resolution_clock timer;
enum { LIMIT = 3, UNUSED_LIMIT };
constexpr int start(4);
const std::vector<const char*> names = {"a", "b"};
HOST_API void say(int level) __attribute__((format(printf, 1, 2)));
class Watch { timer t; std::ostream& out; public: Watch(std::ostream& o) : out(o) {} };
struct Pool { Pool() = default; virtual ~Pool() = default; virtual int size() = 0; int n = 0; };
struct Fixed : Pool { int size() override { return 1; } };
struct Pair {
    float a, b;
    Fixed* pool;
    std::vector<float> all() const;
    friend std::ostream& operator<<(std::ostream& o, const Pair& p) { return o << p.a; }
    __device__ float sum() const { return a + b; }
} unused_pair;
__device__ Pair operator+(Pair x, float y) { return {x.a + y, x.b + y, x.pool}; }
__device__ float widen(float v) { return v * start; }
__device__ float narrow(float v) { return v; }
template <typename T> void first(std::vector<T>& v) { std::cout << v.size(); }
EACH(int)
template void first<float>(std::vector<float>&);
static __global__ void add(float* v, Pair p) {
    Pair q = p + std::max(1.f, sqrtf(2.f));
    v[threadIdx.x] = GROW(q.sum()) * std::numeric_limits<float>::epsilon();
}
__global__ void other(std::vector<int>* v) { }
int main() { add<<<1, 32>>>(nullptr, Pair{1, 2, new Fixed}); }
"""


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    (tmp_path / "k.cu").write_text(SOURCE)
    return Unit(parse_file(str(tmp_path / "k.cu")))


def test_only_what_the_kernel_mentions_stays(unit: Unit) -> None:
    program = unit.program
    text = without_rest(program.files, declarations(program), ["add"]).files[program.path].decode()
    assert text.count("\n") == SOURCE.count("\n")
    for kept in ("widen(float", "LIMIT = 3", "start(4)", "operator+", "struct Pair", "sum() const", "#define GROW"):
        assert kept in text
    for gone in (
        "Watch",
        "names =",
        "narrow",
        "main",
        "operator<<",
        "all() const",
        "other",
        "first<float>",
        "EACH(int)",
    ):
        assert gone not in text
    assert "visibility" not in text.replace('#define HOST_API __attribute__((visibility("default")))', "")


def test_what_stays_compiles_for_the_device(unit: Unit, tmp_path: Path) -> None:
    kernel = next(k for k in unit.kernels if k.name == "add")
    build = nvrtc_build(unit.program, Plan(kernel, (1, 1, 1), (32, 1, 1), 0, (), (), 0), tmp_path / "build")
    assert build.expression == "add"
    assert nvrtc.errors(build.source, build.options, build.expression) == []


def test_functions_of_other_sources_are_taken_in(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#pragma once\n#define SCALE 2.f\n__device__ float half_of(float v);\n")
    (tmp_path / "part.cu").write_text(
        '#include "part.h"\n#include <cstdio>\nvoid report() { printf("x"); }\n'
        "__device__ float half_of(float v) { return v / SCALE; }\n"
    )
    path = tmp_path / "main.cu"
    path.write_text('#include "part.h"\n__global__ void k(float* v) { *v = half_of(*v); }\n')
    made = Unit(parse_file(str(path)))
    build = nvrtc_build(made.program, Plan(made.kernels[0], (1, 1, 1), (1, 1, 1), 0, (), (), 0), tmp_path / "build")
    assert 'part.cu"' in build.source
    assert nvrtc.errors(build.source, build.options) == []
    (tmp_path / "part.cu").unlink()
    build = nvrtc_build(made.program, Plan(made.kernels[0], (1, 1, 1), (1, 1, 1), 0, (), (), 0), tmp_path / "again")
    assert nvrtc.errors(build.source, build.options) != []


def test_intrinsics_that_are_gone_are_built_as_their_successors(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(int* v) { *v = __shfl_down(*v, 1) + __any(*v); }\n")
    made = Unit(parse_file(str(path)))
    build = nvrtc_build(made.program, Plan(made.kernels[0], (1, 1, 1), (32, 1, 1), 0, (), (), 0), tmp_path / "build")
    assert nvrtc.errors(build.source, build.options) == []


UNREAD = """
#include <missing/api.h>
const std::vector<const char *> wanted = {
    API_FIRST,
#ifdef _WIN64
    API_SECOND,
#endif
    make(1, {2, 3}),
};
constexpr int left(2);
constexpr int most(4 * left);
constexpr int number(most / 2);
__global__ void fill(float *v) { v[threadIdx.x] = most; }
void run(float *v) { fill<<<1, 32>>>(v); }
"""


def test_a_table_whose_header_is_missing_goes_with_its_elements(tmp_path: Path) -> None:
    """What of it could not be read is no part of its declaration."""
    (tmp_path / "k.cu").write_text(UNREAD)
    program = parse_file(str(tmp_path / "k.cu"))
    text = without_rest(program.files, declarations(program), ["fill"]).files[program.path].decode()
    assert "API_FIRST" not in text
    assert "make" not in text
    assert text.count(");") == 2  # constants that are initialised in brackets go with them, or stay
    assert "void fill" in text
