"""Build files as their tools evaluate them: which options reach nvcc in a release build, and where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.buildfiles import Option, read
from cudalint.lint.buildfiles.cmake_genex import compare_versions, evaluate
from cudalint.lint.buildfiles.nvcc import architectures
from cudalint.lint.buildfiles.toolkits import oldest_architecture
from cudalint.lint.buildfiles.traced import UNKNOWN, Source, Traced, join
from cudalint.rules.cud701_device_debug_build import DeviceDebugBuild
from cudalint.rules.cud703_missing_or_removed_architecture import MissingOrRemovedArchitecture
from hypothesis import given, settings
from hypothesis import strategies as st

CUDA = (13, 0)


def options(text: str, name: str = "Makefile", folder: Path = Path()) -> list[Option]:
    """Every option that reaches nvcc, in order."""
    return [o for c in read(folder / name, text, CUDA) for o in c.options]


def names(text: str, name: str = "Makefile") -> list[str]:
    return [o.name for o in options(text, name)]


def debug(text: str, name: str) -> list[int]:
    """The lines of a file that pass -G."""
    return [f.span.line for f in DeviceDebugBuild().check(Path(name), text)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("F = -G\napp: a.cu\n\tnvcc $(F) a.cu\n", [1]),
        ("F := -O3\nF += $(EXTRA)\nEXTRA = -G\napp:\n\tnvcc $(F) a.cu\n", []),  # expanded before EXTRA is set
        ("F = -O3 $(EXTRA)\nEXTRA = -G\napp:\n\tnvcc $(F) a.cu\n", [2]),
        ("D =\nifdef D\nF = -G\nendif\napp:\n\tnvcc $(F) a.cu\n", []),
        ("D = 1\nifeq ($(D), 1)\nF = -G\nelse\nF = -O3\nendif\napp:\n\tnvcc $(F) a.cu\n", [3]),
        (
            "ifeq ($(dbg),1)\nF = -G\nelse ifeq ($(prof),1)\nF = -v\nelse\nF = -O3\nendif\na:\n\tnvcc $(F) a.cu\n",
            [],
        ),
        ("ifneq ($(shell which gdb),)\nF = -G\nendif\napp:\n\tnvcc $(F) a.cu\n", []),
        ("F = $(if $(DEBUG),-G,-O3)\napp:\n\tnvcc $(F) a.cu\n", []),
        ("F = $(filter-out -G,-O3 -G)\napp:\n\tnvcc $(F) a.cu\n", []),
        ("F = $(patsubst %,-%,G O3)\napp:\n\tnvcc $(F) a.cu\n", [1]),
        ("F-1 = -G\nD ?= 1\napp:\n\tnvcc $(F-$(D)) a.cu\n", [1]),
        ("app: F += -G\napp: a.cu\n\tnvcc $(F) a.cu\n", [1]),
        ("debug: F += -G\ndebug: a.cu\n\tnvcc $(F) a.cu\n", []),
        ("define F\n-G\nendef\napp:\n\techo done\n", []),
        ("app:\n\t@CXX=g++ ccache /opt/cuda/bin/nvcc -O3 \\\n\t  -G a.cu\n", [3]),
        ("app:\n\tnvcc -O3 a.cu && ctags -G a.cu\n", []),
        ("app:\n\tnvcc -Xcompiler '-O3 -G' a.cu # -G\n", []),
        ("GPU = 0\nifeq ($(GPU),1)\nF = -G\nendif\napp:\n\tnvcc $(F) a.cu\n", [3]),  # flags matter with CUDA on
        ("NVCC_FLAGS += -G\n", [1]),
        ("DEBUG_NVCC_FLAGS += -G\n", []),
    ],
)
def test_make(body: str, found: list[int]) -> None:
    assert debug(body, "Makefile") == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("set(CMAKE_CUDA_FLAGS -G)\n", [1]),
        ("set(CMAKE_CUDA_FLAGS_DEBUG -G)\n", []),
        ('set(CMAKE_CUDA_FLAGS_RELEASE "-O3;-G")\n', [1]),
        ('option(DBG "" ON)\nif(DBG)\nlist(APPEND CUDA_NVCC_FLAGS -G)\nendif()\n', [3]),
        ('option(DBG "")\nif(DBG)\nlist(APPEND CUDA_NVCC_FLAGS -G)\nendif()\n', []),
        ("if(SOMETHING)\nset(CMAKE_CUDA_FLAGS -G)\nendif()\n", []),
        ('if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")\nset(CMAKE_CUDA_FLAGS -G)\nendif()\n', [2]),
        ("if(CMAKE_BUILD_TYPE MATCHES Debug OR FALSE)\nset(CMAKE_CUDA_FLAGS -G)\nelse()\nset(A 1)\nendif()\n", []),
        ("if(UNIX)\nset(F -O3)\nelse()\nset(F -G)\nendif()\nadd_compile_options(${F})\n", []),
        ("set(F -G)\nset(F -O3)\nadd_compile_options(${F})\n", []),
        ("function(add name)\n  target_compile_options(${name} PRIVATE -G)\nendfunction()\n", [2]),
        ("macro(flags)\n  set(CMAKE_CUDA_FLAGS ${ARGN})\nendmacro()\nflags(-O3\n -G)\n", [5]),
        ('foreach(f -O3 -G)\n  string(APPEND CMAKE_CUDA_FLAGS " ${f}")\nendforeach()\n', [1]),
        ("set(A -O3 -G)\nlist(REMOVE_ITEM A -G)\nset(CMAKE_CUDA_FLAGS ${A})\n", []),
        ('string(REPLACE "-G" "" CMAKE_CUDA_FLAGS "-O3 -G")\n', []),
        ("cuda_add_library(a a.cu OPTIONS -O3 DEBUG -G RELEASE -lineinfo)\n", []),
        ("cuda_add_library(a a.cu OPTIONS -O3 -G)\n", [1]),
        ("add_custom_command(OUTPUT a COMMAND ${CUDA_NVCC_EXECUTABLE} -G a.cu)\n", [1]),
        ("#[[ set(CMAKE_CUDA_FLAGS -G) ]]\n# set(CMAKE_CUDA_FLAGS -G)\n", []),
        ("set_property(TARGET a PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-G>)\n", [1]),
        ("target_compile_options(a PRIVATE $<IF:$<CONFIG:Debug>,-G,-lineinfo>)\n", []),
        ('option(WITH_CUDA "" OFF)\nif(WITH_CUDA AND NOT (FALSE))\nset(CMAKE_CUDA_FLAGS -G)\nendif()\n', [3]),
        ("if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12)\nset(CMAKE_CUDA_FLAGS -G)\nendif()\n", [2]),
    ],
)
def test_cmake(body: str, found: list[int]) -> None:
    assert debug(body, "CMakeLists.txt") == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$<1:-G>", "-G"),
        ("$<$<COMPILE_LANGUAGE:CXX>:-G>", ""),
        ("$<$<AND:$<CONFIG:Release>,$<CUDA_COMPILER_ID:NVIDIA>>:-a;-b>", "-a;-b"),
        ("$<$<VERSION_LESS:$<CUDA_COMPILER_VERSION>,12.8>:-a>", ""),
        ("$<$<BOOL:OFF>:-a>$<$<OR:0,$<BOOL:yes>>:-b>", "-b"),
        ("$<$<TARGET_EXISTS:a>:-a>", UNKNOWN),
        ("-a$<", "-a" + UNKNOWN),
    ],
)
def test_generator_expressions(text: str, value: str) -> None:
    assert evaluate(Traced.made(text), "13.0").text == value


@pytest.mark.parametrize(
    ("left", "operator", "right", "value"),
    [
        ("13.0", "VERSION_LESS", "13", False),
        ("9.10", "VERSION_GREATER", "9.9", True),
        ("a", "VERSION_EQUAL", "1", None),
    ],
)
def test_versions(left: str, operator: str, right: str, value: bool | None) -> None:
    assert compare_versions(left, operator, right) is value


def test_python_follows_lists_and_appends() -> None:
    text = """flags = {"nvcc": ["-O3"]}
flags["nvcc"] += ["-lineinfo"]
extra = "-G -g".split()
flags["nvcc"].extend(extra)
if torch.cuda.is_available():
    flags["nvcc"].append("--use_fast_math")
CUDAExtension("a", ["a.cu"], extra_compile_args=flags)
load("b", ["b.cu"], extra_cuda_cflags=helper(["-maxrregcount=64"]))
"""
    found = options(text, "setup.py")
    assert [o.name for o in found] == ["optimize", "lineinfo", "device-debug", "g", "use_fast_math", "maxrregcount"]
    assert debug(text, "setup.py") == [3]


@pytest.mark.parametrize("broken", ["def f(:\n", "\0", "x = (" * 300])
def test_broken_python_gives_nothing(broken: str) -> None:
    assert not options(broken, "setup.py")


def test_meson_takes_cuda_arguments_only() -> None:
    text = """project('a', 'cuda')
if get_option('buildtype') == 'debug'
  add_project_arguments('-G', language: 'cuda')
else
  add_project_arguments('-lineinfo', '-O3', language: ['cpp', 'cuda'])
endif
add_project_arguments('-g', language: 'cpp')
library('a', 'a.cu', cuda_args: fast ? ['-G'] : [])
"""
    assert "device-debug" not in names(text, "meson.build")


def test_compile_commands_of_an_optimised_build() -> None:
    command = r'"command": "/usr/bin/nvcc -DNAME=\"é\" -O3 -G -c a.cu"'
    text = f'[{{"directory": "/b", {command}, "file": "a.cu"}}]'
    (found,) = DeviceDebugBuild().check(Path("compile_commands.json"), text)
    assert text.encode()[found.span.offset : found.span.end_offset] == b"-G"
    assert text[found.span.column - 1 : found.span.end_column - 1] == "-G"
    assert not debug(text.replace("-O3", "-O0"), "compile_commands.json")


def test_compile_commands_with_arguments() -> None:
    text = '[{"arguments": ["nvcc", "-O2", "-G", "-c", "a.cu"], "file": "a.cu"}, {"arguments": ["g++", "-G"]}]'
    assert debug(text, "compile_commands.json") == [1]


def test_pyproject_definitions() -> None:
    text = '[tool.scikit-build.cmake.define]\nCMAKE_CUDA_FLAGS = "-O3 -G"\nCMAKE_CUDA_FLAGS_DEBUG = "-G"\n'
    assert debug(text, "pyproject.toml") == [2]
    assert debug('[tool.x]\nargs = ["-DCMAKE_CUDA_FLAGS=-G"]\n', "pyproject.toml") == [2]
    assert not debug("[tool.x\n", "pyproject.toml")


def test_included_makefiles_give_values_but_no_findings(tmp_path: Path) -> None:
    (tmp_path / "common.mk").write_text("COMPILER = nvcc\nCOMMON = -G\n")
    text = "include common.mk\napp: a.cu\n\t$(COMPILER) $(COMMON) -maxrregcount=32 a.cu\n"
    found = options(text, folder=tmp_path)
    assert [(o.name, o.span is not None) for o in found] == [("device-debug", False), ("maxrregcount", True)]
    assert not list(DeviceDebugBuild().check(tmp_path / "Makefile", text))


def test_makefile_that_includes_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("include Makefile\nA = $(A)\nB = $(A)\napp:\n\tnvcc $(B) a.cu\n")
    assert options((tmp_path / "Makefile").read_text(), folder=tmp_path) == []


def test_fix_replaces_the_flag_alone() -> None:
    text = "# é\nF = -O3 \\\n    -G -arch=sm_90\napp:\n\tnvcc $(F) a.cu\n"
    (found,) = DeviceDebugBuild().check(Path("Makefile"), text)
    assert found.fix is not None
    (edit,) = found.fix.edits
    data = text.encode()
    data = data[: edit.span.offset] + edit.content.encode() + data[edit.span.end_offset :]
    assert data.decode() == text.replace("-G", "-lineinfo")


@pytest.mark.parametrize(
    ("cuda", "oldest"), [((10, 2), 30), ((11, 8), 35), ((12, 9), 50), ((13, 0), 75), ((14, 0), 75)]
)
def test_oldest_architecture(cuda: tuple[int, int], oldest: int) -> None:
    assert oldest_architecture(cuda) == oldest


@pytest.mark.parametrize(
    ("name", "value", "numbers"),
    [
        ("gpu-architecture", "sm_90a", [90]),
        ("generate-code", "arch=compute_70,code=[sm_70,sm_75]", [70, 70, 75]),
        ("gpu-architecture", "native", []),
        ("cuda-architecture", "100f-real", [100]),
        ("cuda-architecture", "all-major", []),
    ],
)
def test_architectures(name: str, value: str, numbers: list[int]) -> None:
    assert architectures(Option(name, value, None, None)) == numbers


def test_removed_architectures_are_one_finding() -> None:
    text = "set(CMAKE_CUDA_ARCHITECTURES 52 60 90)\nset_target_properties(a PROPERTIES CUDA_ARCHITECTURES 70)\n"
    (found,) = MissingOrRemovedArchitecture().check(Path("CMakeLists.txt"), text)
    assert found.evidence is not None
    assert found.evidence["architectures"] == [52, 60, 70]
    assert len(found.labels) == 2


@settings(max_examples=40)
@given(st.text(alphabet="$(){}:=,;# \t\n\\\"'-Gifeqndv+", max_size=120))
def test_readers_take_any_text(text: str) -> None:
    for name in ("Makefile", "CMakeLists.txt", "meson.build", "compile_commands.json", "BUILD"):
        for option in options(text, name):
            assert option.span is None or 0 <= option.span.offset <= option.span.end_offset <= len(text.encode())


@given(st.lists(st.text(max_size=5), max_size=5))
def test_joined_pieces_keep_their_places(pieces: list[str]) -> None:
    text = " ".join(pieces)
    starts = [sum(len(p) + 1 for p in pieces[:i]) for i in range(len(pieces))]
    traced = join([Traced.at(p, start) for p, start in zip(pieces, starts, strict=True)])
    assert traced.text == text
    for word in traced.split():
        span = Source("f", text).span_of(word)
        assert span is not None
        assert text.encode()[span.offset : span.end_offset].decode() == word.text
