"""Kernels that another file launches, and functions that another file calls: what the project around a file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint import project as project_module
from cudalint.lint.analyse import analyse
from cudalint.lint.analysis.trace import LaunchShape
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.cache import Cache
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import FileKind, kind_of
from cudalint.lint.frontend import parse_file
from cudalint.lint.jobs import Job, Outcome
from cudalint.lint.project import Project
from cudalint.verify.plan import plan_launch

DECLARED = "__global__ void fill(float* x, int n);\n"
KERNEL = """
#include "fill.h"
__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[3 * i] = 1.0f;
}
"""
MAIN = """
#include "fill.h"
int main() {
  float* x;
  cudaMalloc(&x, 3 * 1000 * sizeof(float));
  fill<<<(1000 + 127) / 128, 128>>>(x, 1000);
}
"""


def write(folder: Path, **files: str) -> Path:
    """Write files, named with `_` for the dot."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def shapes(path: Path, kernel: str = "fill") -> list[LaunchShape]:
    """The launch shapes of the kernels of one name, as a run over this file alone sees them."""
    unit = Unit(parse_file(str(path)), elsewhere=Project(str(path)))
    return [shape for k in unit.kernels if k.name == kernel for shape in unit.shapes(k)]


def blocks(path: Path, kernel: str = "fill") -> list[tuple[tuple[int, int, int], bool]]:
    return [(shape.block, shape.block_known) for shape in shapes(path, kernel)]


def job(path: Path, *codes: str) -> Job:
    return Job(str(path), kind_of(path) or FileKind.SOURCE, codes)


def findings(path: Path, *codes: str) -> list[Diagnostic]:
    return list(analyse(job(path, *codes)).findings)


GUESSED = [((256, 1, 1), False)]


def test_a_kernel_compiled_apart_is_judged_as_it_is_launched(tmp_path: Path) -> None:
    write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, main_cu=MAIN)
    (finding,) = findings(tmp_path / "fill.cu", "CUD101")
    assert "block 128, launched at main.cu:6" in finding.message
    (shape,) = shapes(tmp_path / "fill.cu")
    assert (shape.grid, shape.args[1].number, shape.args[0].bytes) == ((8, 1, 1), 1000, 12_000)
    assert shape.site is not None and shape.site.file == str(tmp_path / "main.cu")


def test_without_a_project_the_block_is_a_guess(tmp_path: Path) -> None:
    write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL)
    assert blocks(tmp_path / "fill.cu") == GUESSED


def test_launches_in_the_own_file_come_first(tmp_path: Path) -> None:
    own = KERNEL + "void run(float* x) { fill<<<4, 64>>>(x, 9); }\n"
    write(tmp_path, fill_h=DECLARED, fill_cu=own, main_cu=MAIN)
    assert blocks(tmp_path / "fill.cu") == [((64, 1, 1), True)]


@pytest.mark.parametrize(
    ("kernel", "main"),
    [
        pytest.param(KERNEL, MAIN.replace('#include "fill.h"', KERNEL.partition(".h")[2][2:]), id="its own kernel"),
        pytest.param(KERNEL.replace('#include "fill.h"\n', "static "), MAIN, id="a static kernel"),
        pytest.param(KERNEL.replace("int n", "long n"), MAIN, id="another overload"),
        pytest.param(
            KERNEL.replace("__global__ void fill", "namespace a { __global__ void fill") + "}", MAIN, id="a::"
        ),
        pytest.param(KERNEL, MAIN.replace("fill<<<", "// fill<<<"), id="a comment"),
    ],
)
def test_other_kernels_of_the_same_name_are_not_meant(tmp_path: Path, kernel: str, main: str) -> None:
    write(tmp_path, fill_h=DECLARED, fill_cu=kernel, main_cu=main)
    assert blocks(tmp_path / "fill.cu") == GUESSED


def test_an_instance_is_known_by_its_arguments(tmp_path: Path) -> None:
    declared = "namespace a { template <class T> __global__ void fill(T* x); }\n"
    defined = "template <class T> __global__ void fill(T* x) { x[threadIdx.x] = T(); }\n"
    asked = "template __global__ void fill<float>(float*); template __global__ void fill<int>(int*);"
    main = "void run(float* x, int* y) { a::fill<float><<<1, 96>>>(x); a::fill<int><<<1, 32>>>(y); }"
    kernel = f'#include "fill.h"\nnamespace a {{ {defined}{asked} }}\n'
    write(tmp_path, fill_h=declared, fill_cu=kernel, main_cu=f'#include "fill.h"\n{main}')
    assert sorted(blocks(tmp_path / "fill.cu")) == [((32, 1, 1), True), ((96, 1, 1), True)]


def test_a_header_is_judged_as_the_source_that_includes_it_launches_it(tmp_path: Path) -> None:
    header = "#pragma once\n__global__ void fill(float* x) { x[threadIdx.x] = 1.0f; }\n"
    other = '#include "fill.h"\n__global__ void other(float* x) { x[threadIdx.x] = 1.0f; }\n'
    write(tmp_path, fill_h=header, main_cu='#include "fill.h"\nvoid run(float* x) { fill<<<1, 96>>>(x); }\n')
    write(tmp_path, other_cu=other)
    assert blocks(tmp_path / "fill.h") == blocks(tmp_path / "other.cu") == [((96, 1, 1), True)]


def test_a_header_that_lacks_types_by_itself_is_known_by_its_place(tmp_path: Path) -> None:
    header = "__global__ void fill(Item* x) { x[threadIdx.x].a = 1.0f; }\n"
    main = '#include "item.h"\n#include "fill.h"\nvoid run(Item* x) { fill<<<1, 96>>>(x); }\n'
    write(tmp_path, item_h="struct Item { float a, b; };\n", fill_h=header, main_cu=main)
    assert blocks(tmp_path / "fill.h") == [((96, 1, 1), True)]


def test_a_launch_in_a_header_is_found_through_a_source(tmp_path: Path) -> None:
    (tmp_path / "Makefile").touch()
    (tmp_path / "src").mkdir()
    launcher = f"#pragma once\n{DECLARED}inline void start(float* x) {{ fill<<<4, 96>>>(x, 300); }}\n"
    write(tmp_path, start_h=launcher, main_cu='#include "start.h"\nint main() { start(nullptr); }\n')
    write(tmp_path / "src", fill_h=DECLARED, fill_cu=KERNEL)
    assert blocks(tmp_path / "src" / "fill.cu") == [((96, 1, 1), True)]


def test_all_launches_count(tmp_path: Path) -> None:
    second = '#include "fill.h"\nvoid run(float* x, int n) { fill<<<(n + 31) / 32, 32>>>(x, n); }\n'
    write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, main_cu=MAIN, second_cu=second)
    assert blocks(tmp_path / "fill.cu") == [((128, 1, 1), True), ((32, 1, 1), True)]


def test_an_unknown_block_elsewhere_is_no_launch_shape(tmp_path: Path) -> None:
    second = '#include "fill.h"\nvoid run(float* x, int n, int block) { fill<<<4, block>>>(x, n); }\n'
    write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, second_cu=second)
    assert blocks(tmp_path / "fill.cu") == GUESSED


def test_sources_that_take_long_to_parse_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, main_cu=MAIN.replace("int main", '#include "big.h"\nint main'))
    (tmp_path / "big.h").write_text("int big;\n" * 100)
    assert blocks(tmp_path / "fill.cu") == [((128, 1, 1), True)]
    monkeypatch.setattr(project_module, "MAX_READ", 800)
    assert blocks(tmp_path / "fill.cu") == GUESSED


def test_a_large_project_is_searched_beside_the_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Makefile").touch()
    for name in ("src", "app"):
        (tmp_path / name).mkdir()
    write(tmp_path / "src", fill_h=DECLARED, fill_cu=KERNEL)
    write(tmp_path / "app", fill_h=DECLARED, main_cu=MAIN)
    assert blocks(tmp_path / "src" / "fill.cu") == [((128, 1, 1), True)]
    monkeypatch.setattr(project_module, "MAX_FILES", 3)
    assert blocks(tmp_path / "src" / "fill.cu") == GUESSED


def test_the_folder_above_a_build_file_is_searched_too(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "CMakeLists.txt").touch()
    write(kernels, fill_h=DECLARED, fill_cu=KERNEL)
    write(tmp_path, main_cu=MAIN.replace("fill.h", "kernels/fill.h"))
    assert blocks(kernels / "fill.cu") == [((128, 1, 1), True)]


# -- the cache -------------------------------------------------------------------------------------


def kept(folder: Path, path: Path) -> Outcome | None:
    return Cache(folder / ".cache").get(job(path, "CUD101"))


def keep(folder: Path, path: Path) -> None:
    Cache(folder / ".cache").put(job(path, "CUD101"), analyse(job(path, "CUD101")))
    assert kept(folder, path) is not None


def test_an_outcome_is_stale_when_the_launch_changes(tmp_path: Path) -> None:
    path = write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, main_cu=MAIN) / "fill.cu"
    keep(tmp_path, path)
    write(tmp_path, main_cu=MAIN.replace("128", "64"))
    assert kept(tmp_path, path) is None
    assert "block 64, launched" in findings(path, "CUD101")[0].message


def test_an_outcome_is_stale_when_a_file_appears_that_may_launch(tmp_path: Path) -> None:
    (tmp_path / "Makefile").touch()
    path = write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL) / "fill.cu"
    keep(tmp_path, path)
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "fill.o").touch()
    assert kept(tmp_path, path) is not None
    (tmp_path / "app").mkdir()
    write(tmp_path / "app", main_cu=MAIN.replace("fill.h", "../fill.h"))
    assert kept(tmp_path, path) is None
    assert "launched at main.cu:6" in findings(path, "CUD101")[0].message


def test_files_that_launch_their_own_kernels_rest_on_no_others(tmp_path: Path) -> None:
    own = KERNEL + "void run(float* x) { fill<<<4, 64>>>(x, 9); }\n"
    path = write(tmp_path, fill_h=DECLARED, fill_cu=own, main_cu=MAIN) / "fill.cu"
    keep(tmp_path, path)
    write(tmp_path, main_cu="\n" + MAIN)
    assert kept(tmp_path, path) is not None


# -- callers ---------------------------------------------------------------------------------------

WRAPPED = KERNEL + "void run(float* x, int n) { fill<<<(n + 127) / 128, 128>>>(x, n); %s}\n"
CALLER = """
#include <cstdio>
void run(float* x, int n);
int main() {
  float* x;
  cudaMalloc(&x, 12000);
  run(x, 1000);
  %s
  cudaFree(x);
}
"""
ASKS = 'if (cudaGetLastError() != cudaSuccess) printf("failed");'


@pytest.mark.parametrize(
    ("wait", "caller", "said"),
    [
        pytest.param("", CALLER % "", 1, id="no caller asks"),
        pytest.param("", CALLER % ASKS, 0, id="the caller asks"),
        pytest.param("", CALLER % "verify(x);", 0, id="another function may ask"),
        pytest.param("", (CALLER % "").replace("main", "start"), 0, id="the caller's callers may ask"),
        pytest.param("", "", 0, id="no caller is known"),
        pytest.param("cudaDeviceSynchronize();", CALLER % "", 1, id="nobody asks behind the wait"),
        pytest.param("cudaDeviceSynchronize();", CALLER % ASKS, 0, id="the caller asks behind the wait"),
        pytest.param("cudaDeviceSynchronize();", (CALLER % ASKS).replace("main", "start"), 0, id="some caller asks"),
    ],
)
def test_launches_left_to_callers(tmp_path: Path, wait: str, caller: str, said: int) -> None:
    caller = caller.replace("void run", "void verify(float* x);\nvoid run")
    write(tmp_path, fill_h=DECLARED, fill_cu=WRAPPED % wait, main_cu=caller)
    assert len(findings(tmp_path / "fill.cu", "CUD502")) == said


# -- the verifier ----------------------------------------------------------------------------------


def test_the_verifier_takes_launch_and_sizes_from_the_other_file(tmp_path: Path) -> None:
    path = write(tmp_path, fill_h=DECLARED, fill_cu=KERNEL, main_cu=MAIN) / "fill.cu"
    unit = Unit(parse_file(str(path)), elsewhere=Project(str(path)))
    plan = plan_launch(unit, unit.kernels[0], None)
    assert plan.launch == "<<<(8, 1, 1), (128, 1, 1), 0>>>"
    assert (plan.args[0].nbytes, plan.args[1].data) == (12_000, "e8030000")


def test_a_source_is_found_that_includes_a_file_through_another(tmp_path: Path) -> None:
    write(tmp_path, a_cuh="", b_h='#include "a.cuh"\n', c_cu='#include "b.h"\n', d_cu="# include <a.cuh>\n", e_cu="")
    assert [Path(p).name for p in Project(str(tmp_path / "a.cuh")).including()] == ["d.cu", "c.cu"]
