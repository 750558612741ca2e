"""Headers and macros without flags: build files, generated headers, includes that a file relies on."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.buildfiles import cmake_project
from cudalint.lint.config import Configs
from cudalint.lint.engine import Engine, Request
from cudalint.lint.frontend import parse_file
from cudalint.lint.model.program import NoteKind

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] = WIDTH; }\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_macros_come_from_the_cmake_files_above_a_source(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": "set(W 64)\nadd_subdirectory(src)\n",
            "src/CMakeLists.txt": "add_library(l a/k.cu)\ntarget_compile_definitions(l PRIVATE WIDTH=${W})\n",
            "src/a/k.cu": KERNEL,
        },
    )
    unit = parse_file(tmp_path / "src/a/k.cu")
    assert unit.notes == ()
    assert "-DWIDTH=64" in unit.flags


def test_flags_that_are_given_replace_macros_of_build_files(tmp_path: Path) -> None:
    write(tmp_path, {"CMakeLists.txt": "add_definitions(-DWIDTH=64)\n", "k.cu": KERNEL})
    assert parse_file(tmp_path / "k.cu", flags=["-DWIDTH=2"]).flags == ("-DWIDTH=2",)


def test_a_header_that_cmake_would_make_is_made_from_its_template(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": (
                'option(USE_IT "" ON)\nif(USE_IT)\n  set(WIDE 8)\nelse()\n  set(WIDE 4)\nendif()\n'
                "configure_file(cmake/config.h.in ${CMAKE_CURRENT_BINARY_DIR}/made/config.h @ONLY)\n"
            ),
            "cmake/config.h.in": "#define WIDTH @WIDE@\n#cmakedefine01 USE_IT\n#cmakedefine NOT_IT\n",
            "src/k.cu": f"#include <made/config.h>\n#if !USE_IT || defined(NOT_IT)\n#error wrong\n#endif\n{KERNEL}",
        },
    )
    unit = parse_file(tmp_path / "src/k.cu")
    assert unit.notes == ()
    assert all(Path(name).is_file() for name in unit.files), "a made-up file must not pass for a project's"


def test_conditions_that_the_files_do_not_decide_count_as_false() -> None:
    text = (
        "if(ARCH LESS 60)\n add_definitions(-DOLD)\nelse()\n add_compile_definitions(NEW=1 UNKNOWN=${X})\nendif()\n"
    )
    assert cmake_project.read([("/p/CMakeLists.txt", text)]).defines == ("-DNEW=1",)


def test_folders_of_targets_are_resolved() -> None:
    text = (
        "project(P)\ntarget_include_directories(t PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/deps $<BUILD_INTERFACE:inc>)\n"
    )
    assert cmake_project.read([("/p/CMakeLists.txt", text)]).folders == ("/p/deps", "/p/inc")


def test_a_wrapper_of_a_toolkit_header_does_not_hide_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "vendors/other.h": "#include <other.h>\n",
            "vendors/cuda.h": "#include <cuda.h>\n",
            "k.cu": '#ifdef OTHER\n#include "vendors/other.h"\n#endif\n#include "vendors/cuda.h"\nCUresult r;\n',
        },
    )
    assert parse_file(tmp_path / "k.cu").notes == ()


@pytest.mark.parametrize("header", ["cuda_fp4.h", "charconv", "concepts", "cuda/functional", "cuda/cmath", "cwchar"])
def test_toolkit_and_standard_headers_are_there(tmp_path: Path, header: str) -> None:
    write(tmp_path, {"k.cu": f"#include <{header}>\n"})
    assert parse_file(tmp_path / "k.cu", flags=["-std=c++20"]).notes == ()


def test_standard_names_lead_to_their_headers(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": "#include <gone.h>\nvoid f(std::vector<int> v) { std::sort(v.begin(), v.end()); }\n"})
    assert [note.message for note in parse_file(tmp_path / "k.cu").notes] == ["headers not found: gone.h"]


def test_what_a_missing_header_entails_is_counted_with_it(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": '#include "gone.h"\ngone f(gone a);\n__global__ void k(int *a) { a[0] = GONE; }\n'})
    notes = {note.kind: note for note in parse_file(tmp_path / "k.cu").notes}
    assert set(notes) == {NoteKind.MISSING_HEADER, NoteKind.UNKNOWN_NAME}
    assert notes[NoteKind.MISSING_HEADER].message == (
        "headers not found: gone.h (2 errors in host code may follow from that)"
    )
    assert notes[NoteKind.UNKNOWN_NAME].in_kernel


def test_a_source_is_judged_as_the_one_that_includes_it_reads_it(tmp_path: Path) -> None:
    part = "__global__ void k(float *a, const float *b) { a[threadIdx.x * N] = b[threadIdx.x]; }\n"
    main = '#define N 32\n#include "part.cu"\nvoid f(float *a) { k<<<1, 64>>>(a, a); }\n'
    write(tmp_path, {"main.cu": main, "part.cu": part})
    with Engine(Configs({"select": ("CUD0", "CUD101"), "jobs": 1}, isolated=True)) as engine:
        together = engine.run(Request((tmp_path,), use_cache=False)).findings
        alone = engine.run(Request((tmp_path / "part.cu",), use_cache=False)).findings
    assert [d.code for d in together if d.filename.endswith("part.cu")] == ["CUD101"]
    assert "launched at main.cu:3" in next(d.message for d in together if d.code == "CUD101")
    assert [d.code for d in alone] == ["CUD000"]


def test_launches_in_methods_of_a_header_are_seen(tmp_path: Path) -> None:
    header = """\
template <class K> void start(K kernel, float *a) { kernel<<<4, 96>>>(a); }
template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }
struct Base { virtual void go(float *a) = 0; };
template <class T> struct Impl : Base { void go(float *a) override { start(k<T>, a); } };
"""
    write(tmp_path, {"impl.h": header, "main.cu": '#include "impl.h"\nBase *make() { return new Impl<float>; }\n'})
    unit = Unit(parse_file(tmp_path / "main.cu"))
    assert [shape.block for kernel in unit.kernels for shape in unit.shapes(kernel)] == [(96, 1, 1)]
