"""Building a program for verification: nvcc's command lines, cubins with and without a fix, copies of the folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from cudalint.verify.build import BuildError
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_build import (
    Command,
    compile_cubin,
    cubin_words,
    find_kernel,
    link_cubin,
    moved,
    parse_words,
    plain_name,
    read_commands,
)
from cudalint.verify.program_copy import copy_project, project_folder, with_contents

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is missing")


def command(*words: str, folder: str = "/p") -> Command:
    return Command(Path(folder), "nvcc", tuple(parse_words(words)))


# ---- nvcc's command lines --------------------------------------------------------------------------------------


def test_values_of_options_are_no_sources() -> None:
    made = command("-Xcompiler", "-Wall", "-o", "main.cu.o", "-c", "a.cu", "-I", "inc.cu", "b.cpp", "-DX=1", "-lm")
    assert made.sources == [Path("/p/a.cu")]
    assert command("-x", "cu", "b.cpp").sources == [Path("/p/b.cpp")]
    assert command("--x=cu", "b.cpp").sources == [Path("/p/b.cpp")]


def test_separate_compilation_is_known() -> None:
    for words in (["-dc"], ["-rdc=true"], ["-rdc", "true"], ["--relocatable-device-code=true"]):
        assert command(*words, "a.cu").separate
    assert not command("-rdc=false", "-c", "a.cu").separate


def test_a_cubin_is_built_with_the_flags_of_the_build_but_for_one_card() -> None:
    made = command(
        *("-O3", "-std=c++17", "-arch=sm_60", "-Xcompiler", "-fopenmp", "-DN=4", "-Iinc", "-I", "more"),
        *("-gencode", "arch=compute_80,code=sm_80", "-MD", "-MT", "a.o", "-MF", "a.d", "-lcublas", "-L/x"),
        *("--use_fast_math", "--options-file", "inc.rsp", "-c", "a.cu", "-o", "a.o", "-cudart", "shared"),
    )
    words = cubin_words(made, Path("/p/a.cu"), Path("/t/k.cubin"), "sm_90")
    assert words[1:] == [
        *("-O3", "-std=c++17", "-Xcompiler", "-fopenmp", "-DN=4", "-Iinc", "-I", "more", "--use_fast_math"),
        *("--options-file", "inc.rsp", "-cubin", "-arch=sm_90", "-w", "-o", "/t/k.cubin", "/p/a.cu"),
    ]
    assert words[0].endswith("nvcc")


def test_an_architecture_with_features_of_its_own_is_kept() -> None:
    made = command("-gencode", "arch=compute_90a,code=sm_90a", "a.cu")
    assert "-arch=sm_90a" in cubin_words(made, Path("/p/a.cu"), Path("k"), "sm_90")


def test_a_command_moves_with_its_tree() -> None:
    made = moved(command("-I/p/inc", "-I", "/o/more", "-I/p2", "a.cu"), (Path("/p"), Path("/o")), Path("/q/r"))
    assert made.folder == Path("/q/r")
    assert [w.text for w in made.words] == [("-I/q/r/inc",), ("-I", "/q/r/more"), ("-I/p2",), ("a.cu",)]


def test_options_files_are_read_so_that_their_paths_move(tmp_path: Path) -> None:
    (tmp_path / "inc.rsp").write_text(f'-I"{tmp_path}/a b" -DX=1\n')
    (tmp_path / "nvcc-1").write_text(f"{tmp_path}\0nvcc\0--options-file\0inc.rsp\0-c\0a.cu\0")
    (made,) = read_commands(tmp_path)
    assert [w.text for w in made.words] == [(f"-I{tmp_path}/a b",), ("-DX=1",), ("-c",), ("a.cu",)]
    assert moved(made, [tmp_path], Path("/q")).words[0].text == ("-I/q/a b",)


def test_command_lines_are_read_in_order_and_once(tmp_path: Path) -> None:
    for name, text in (("nvcc-2-7", "/p\0nvcc\0b.cu\0"), ("nvcc-1-9", "/p\0/x/nvcc\0-c\0a.cu\0")):
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "nvcc-3-7").write_bytes(b"/p\0nvcc\0b.cu\0")
    assert [(c.nvcc, c.sources) for c in read_commands(tmp_path)] == [
        ("/x/nvcc", [Path("/p/a.cu")]),
        ("nvcc", [Path("/p/b.cu")]),
    ]


def test_names_of_internal_linkage_compare() -> None:
    assert plain_name("_ZL5skernPf") == plain_name("_Z5skernPf")
    host, device = "_ZN12_GLOBAL__N_15akernEPi", "_ZN32_GLOBAL__N__06135f01_4_a_cu_main5akernEPi"
    assert plain_name(host) == plain_name(device)
    assert plain_name(f"__nv_static_21__06135f01_4_a_cu_main_{device}") == plain_name(device)
    assert plain_name("_Z2tkIfLi3EEvPT_") == "_Z2tkIfLi3EEvPT_"
    assert plain_name("_Z5otherPf") != plain_name("_Z5skernPf")


@needs_nvcc
def test_cubins_of_a_source_apart_and_linked(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("static __global__ void mine(float *p) { *p = 1; }\nvoid f() { mine<<<1, 1>>>(nullptr); }\n")
    made = command("-c", "a.cu", folder=str(tmp_path))
    cubin = compile_cubin(made, source, tmp_path / "k.cubin", "_ZL4minePf", "sm_90", 60.0)
    assert cubin is not None
    assert cubin.kernel == "_Z4minePf"
    assert find_kernel(cubin.path, "_Z5otherPf") is None
    linked = link_cubin(
        [command("-dc", "a.cu", folder=str(tmp_path))], tmp_path / "l.cubin", "_Z4minePf", "sm_90", 60
    )
    assert linked is not None
    assert linked.kernel.endswith("_Z4minePf")
    assert len(linked.hash) == 8
    source.write_text("__global__ void mine(float *p) { nothing(); }\n")
    with pytest.raises(BuildError, match="nothing"):
        compile_cubin(made, source, tmp_path / "k.cubin", "_Z4minePf", "sm_90", 60.0)


# ---- copies of the project -------------------------------------------------------------------------------------


def test_the_project_folder_is_that_of_the_nearest_build_file(tmp_path: Path) -> None:
    (tmp_path / "top/src/deep").mkdir(parents=True)
    source = tmp_path / "top/src/deep/a.cu"
    assert project_folder(source) == source.parent
    (tmp_path / "top/Makefile").touch()
    assert project_folder(source) == tmp_path / "top"


def project(folder: Path) -> Path:
    made = folder / "above" / "mine"
    (made / "inc").mkdir(parents=True)
    (folder / "above" / "common").mkdir()
    (folder / "above" / "common" / "c.h").write_text("common")
    (made / "a.cu").write_text("one")
    (made / "inc" / "a.h").write_text("head")
    return made


def test_a_copy_has_sources_and_links_to_its_neighbours_but_no_old_build(tmp_path: Path) -> None:
    origin = project(tmp_path)
    (origin / "a.o").touch()
    (origin / "CMakeCache.txt").touch()
    (origin / ".git").mkdir()
    (origin / ".git" / "x").touch()
    (origin / "main").write_bytes(b"\x7fELF")
    (origin / "main").chmod(0o755)
    (origin / "run.sh").write_text("#!/bin/sh\n")
    (origin / "run.sh").chmod(0o755)
    (origin / "link").symlink_to("inc")
    copy = copy_project(origin, tmp_path / "t")
    assert sorted(p.name for p in copy.place.iterdir()) == ["a.cu", "inc", "link", "run.sh"]
    assert os.access(copy.place / "run.sh", os.X_OK)
    assert (copy.place / "link" / "a.h").read_text() == "head"
    assert (copy.place / ".." / "common" / "c.h").read_text() == "common"
    assert copy.inside(origin / "inc" / "a.h") == copy.place / "inc" / "a.h"
    with pytest.raises(NotVerifiableError, match="--verify-program-folder"):
        copy.inside(tmp_path / "elsewhere.cu")


def test_a_large_folder_is_not_copied(tmp_path: Path) -> None:
    origin = project(tmp_path)
    (origin / "big").write_bytes(bytes(1000))
    with pytest.raises(NotVerifiableError, match="more than"):
        copy_project(origin, tmp_path / "t", limit=900)


def test_the_digest_follows_contents(tmp_path: Path) -> None:
    origin = project(tmp_path)
    first = copy_project(origin, tmp_path / "t1").digest
    assert copy_project(origin, tmp_path / "t2").digest == first
    (origin / "inc" / "a.h").write_text("other")
    assert copy_project(origin, tmp_path / "t3").digest != first


def test_a_fixed_copy_leaves_the_others_alone(tmp_path: Path) -> None:
    origin = project(tmp_path)
    copy = copy_project(origin, tmp_path / "t")
    (copy.place / "generated.h").write_text("made by the build")
    (copy.place / "CMakeFiles").mkdir()
    (copy.place / "CMakeFiles" / "flags.rsp").write_text("-DX")
    fixed = with_contents(copy, tmp_path / "f", {origin / "a.cu": b"two"})
    assert (fixed.place / "a.cu").read_text() == "two"
    assert (fixed.place / "generated.h").is_file()
    assert (fixed.place / "CMakeFiles" / "flags.rsp").is_file()
    assert (fixed.place / ".." / "common" / "c.h").is_file()
    assert (copy.place / "a.cu").read_text() == (origin / "a.cu").read_text() == "one"
