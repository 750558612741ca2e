"""The precompiled prelude changes nothing but the time, and trouble with it is never an error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cudalint.lint.frontend import parse_file, pch
from cudalint.lint.frontend.hostparts import declarations
from cudalint.lint.frontend.index import Parsed
from cudalint.lint.model.program import TranslationUnit

RULES = Path(__file__).parent / "rules"
SAMPLES = [path for code in ("cud101", "cud301", "cud501") for path in sorted((RULES / code).glob("*.cu"))[:2]]
SOURCE = b"""
#include <vector>
#include <cassert>
#include "cuda_fp16.h"
#ifndef WIDTH
#define WIDTH 4
#endif
#define EACH(i, n) for (int i = threadIdx.x; i < n; i += blockDim.x)
template <typename T> __global__ void scale(T *out, const T *in, int n) {
  __shared__ T tile[WIDTH * 32];
  EACH(i, n) {
    tile[i % 32] = in[i];
    __syncthreads();
    out[i] = sqrtf(tile[i % 32]) + __shfl_down_sync(0xffffffffu, out[i], 1);
  }
  assert(n > 0);
}
__constant__ float weights[WIDTH];
void run(float *out, float *in, int n) {
  std::vector<float> host(n);
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<dim3(n / 256), 256>>>(out, in, n);
  nosuch(cudaSuccess);
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the precompiled preludes of a test are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "cudalint" / "preludes"
    pch._made.cache_clear()


def _command_lines(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of each parse from here on."""
    seen: list[list[str]] = []

    class Watched(Parsed):
        def __init__(self, path: str, arguments: list[str], *rest: object, **named: object) -> None:
            seen.append(arguments)
            super().__init__(path, arguments, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(pch, "Parsed", Watched)
    return seen


def _both(path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...] = ()) -> tuple[TranslationUnit, ...]:
    """A file's unit with the precompiled prelude and with the text of it."""
    seen = _command_lines(monkeypatch)
    kept = parse_file(path, flags=flags)
    assert "-include-pch" in seen[-1]
    with monkeypatch.context() as context:
        context.setattr(pch, "_precompiled", lambda _: None)
        text = parse_file(path, flags=flags)
    assert "-include-pch" not in seen[-1]
    return kept, text


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_samples_read_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, text = _both(path, monkeypatch)
    assert repr(kept) == repr(text)
    assert declarations(kept) == declarations(text)


@pytest.mark.parametrize(
    "flags",
    [(), ("-std=c++20",), ("-DWIDTH=8", "-UEACH"), ("-DNDEBUG",), ("-D__CUDA_ARCH__=900", "-include", "extra.h")],
    ids=" ".join,
)
def test_flags_mean_the_same(flags: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(SOURCE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "extra.h").write_text("inline void nosuch(cudaError_t) {}\n", encoding="utf-8")
    kept, text = _both(source, monkeypatch, flags)
    assert repr(kept) == repr(text)
    assert bool(kept.notes) == ("-include" not in flags)


def test_macros_that_the_prelude_mentions_have_one_of_their_own(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(SOURCE)
    for flags in (("-DWIDTH=8",), ("-DOTHER",), ("-DNDEBUG",)):
        parse_file(tmp_path / "a.cu", flags=flags)
    assert len(list(folder.iterdir())) == 2


def test_a_project_header_in_the_place_of_one_of_ours_is_read(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("__global__ void k(int *p) { p[0] = OURS; }\n", encoding="utf-8")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "limits.h").write_text("#define OURS 7\n", encoding="utf-8")
    assert not parse_file(source, flags=(f"-I{tmp_path / 'inc'}",)).notes


def test_one_that_cannot_be_read_is_passed_over(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(SOURCE)
    before = parse_file(source)
    (kept,) = folder.iterdir()
    kept.write_bytes(b"torn")
    assert repr(parse_file(source)) == repr(before)
    assert not kept.exists()
    assert repr(parse_file(source)) == repr(before)
    pch._made.cache_clear()
    parse_file(source)
    assert kept.exists()


def test_an_error_in_a_flag_says_nothing_against_it(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(SOURCE)
    assert any("gone.h" in note.message for note in parse_file(source, flags=("-include", "gone.h")).notes)
    assert len(list(folder.iterdir())) == 1


def test_without_a_folder_to_write_to_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "a.cu").write_bytes(SOURCE)
    seen = _command_lines(monkeypatch)
    assert parse_file(tmp_path / "a.cu").functions
    assert "-include-pch" not in seen[-1]


def test_old_ones_are_dropped_and_clean_drops_all(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(12):
        (folder / f"{number}.pch").write_bytes(b"")
    (tmp_path / "a.cu").write_bytes(SOURCE)
    parse_file(tmp_path / "a.cu")
    assert len(list(folder.iterdir())) == 8
    assert max(folder.iterdir(), key=lambda path: path.stat().st_size).stat().st_size > 100_000
    assert pch.clean() == folder
    assert not folder.exists()
    assert pch.clean() is None
