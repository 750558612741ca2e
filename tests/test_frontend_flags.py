"""Flags: nvcc's, a compilation database's, a makefile's."""

from __future__ import annotations

import json
from pathlib import Path

from cudalint.lint.frontend import parse_file
from cudalint.lint.frontend.compiledb import find_compile_commands, flags_for
from cudalint.lint.frontend.flags import translate


def test_what_matters_is_kept_and_the_rest_is_dropped() -> None:
    flags = [
        "-O3", "-std=c++20", "-gencode", "arch=compute_70,code=sm_70", "-arch=sm_90a", "-Iinc", "-I", "sub",
        "--expt-relaxed-constexpr", "-rdc=true", "-Xcompiler", "-fPIC,-DX=1", "-o", "x.o", "-c", "a.cu", "-DY", "-D",
        "Z=2", "-UQ", "-isystem", "/q", "-use_fast_math", "-include", "foo.h", "-x", "cu", "-lineinfo", "-Xptxas",
        "-v", "--compiler-options=-DW", "-ccbin", "g++", "--include-path=/r", "-MF", "a.d",
    ]  # fmt: skip
    assert translate(flags) == (
        "-std=c++20", "-I", "inc", "-I", "sub", "-DX=1", "-DY", "-DZ=2", "-UQ", "-isystem", "/q", "-include", "foo.h",
        "-DW", "-I", "/r", "-D__CUDA_ARCH__=900",
    )  # fmt: skip


def test_the_default_stream_per_thread_is_a_macro(tmp_path: Path) -> None:
    per_thread = ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",)
    assert translate(["-default-stream", "per-thread", "-O2"]) == per_thread
    assert translate(["--default-stream=per-thread"]) == per_thread
    assert translate(["--default-stream=legacy"]) == ()
    (tmp_path / "Makefile").write_text("NVCCFLAGS = -O3 --default-stream per-thread\n")
    (tmp_path / "a.cu").write_text("int x;\n")
    assert parse_file(str(tmp_path / "a.cu")).flags == per_thread


def test_paths_are_relative_to_the_commands_directory(tmp_path: Path) -> None:
    (tmp_path / "flags.rsp").write_text("-Iextra -DR")
    translated = translate(["-I", "inc", "-I/abs", "--options-file", "flags.rsp"], tmp_path)
    assert translated == ("-I", f"{tmp_path}/inc", "-I", "/abs", "-I", f"{tmp_path}/extra", "-DR")


def test_no_flag_makes_the_translation_fail() -> None:
    assert translate(["-I"]) == ()
    assert translate(["-std=weird", "@missing", "--options-file", "-gencode", "", "-D"])[:1] != ("-std=weird",)


def test_compile_commands_are_found_above_and_in_build(tmp_path: Path) -> None:
    source = tmp_path / "src" / "a.cu"
    source.parent.mkdir()
    source.write_text("")
    (tmp_path / "build").mkdir()
    database = tmp_path / "build" / "compile_commands.json"
    database.write_text(
        json.dumps(
            [{"directory": str(tmp_path / "build"), "file": "../src/a.cu", "command": "nvcc -I../inc -DA=1 -c x"}]
        )
    )
    assert find_compile_commands(source) == database
    assert flags_for(source) == ("-I", f"{tmp_path}/inc", "-DA=1")
    assert flags_for(source.parent / "header.cuh") == ("-I", f"{tmp_path}/inc", "-DA=1")


def test_a_broken_database_gives_no_flags(tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text("{not json")
    assert flags_for(tmp_path / "a.cu") == ()


def test_the_search_for_a_database_ends_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text("[]")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert find_compile_commands(tmp_path / "repo" / "a.cu") is None


def test_macros_of_the_makefile_apply_without_flags(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(
        "T ?= double\nCFLAGS = -O3 -DREAL=$(T) -DUSER=$(GIVEN)\nifdef DEBUG\nCFLAGS += -DREAL2=float\nendif\n"
    )
    source = tmp_path / "a.cu"
    source.write_text("__global__ void k(REAL *a) { a[0] = 1; }\n")
    unit = parse_file(source)
    assert unit.flags == ("-DREAL=double",)
    assert unit.notes == ()
    assert parse_file(source, search=False).notes != ()


def test_include_folders_of_the_makefile_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "shared.cuh").write_text("#define VALUE 3\n")
    (tmp_path / "a" / "Makefile").write_text("FLAGS := -I../b\n")
    source = tmp_path / "a" / "a.cu"
    source.write_text('#include "shared.cuh"\n__global__ void k(int *a) { a[0] = VALUE; }\n')
    assert parse_file(source).notes == ()


def test_flags_reach_the_parser(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("__global__ void k(int *a) {\n#ifdef WIDE\n  a[0] = 1;\n#endif\n}\n")
    body = parse_file(source, flags=("-DWIDE",)).kernels()[0].body
    assert body is not None
    assert len(body.body) == 1
