"""Which files a run checks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cudalint.lint.config import Configs
from cudalint.lint.discovery import Discovery, FileKind, discover


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("__global__ void k() {}\n" if "kernel" in name else "\n", encoding="utf-8")


def found(root: Path, *arguments: Path, **overrides: object) -> Discovery:
    return discover(arguments or (root,), Configs(overrides, isolated=True))


def names(root: Path, discovery: Discovery) -> list[str]:
    return [str(file.path.relative_to(root.resolve())) for file in discovery.files]


def test_folders_are_searched_for_sources_kernel_headers_and_build_files(tmp_path: Path) -> None:
    tree(tmp_path, "a.cu", "b.cuh", "kernel.h", "plain.h", "kernel.inl", "kernel.cpp", "readme.md", "kernel.txt")
    tree(tmp_path, "CMakeLists.txt", "sub/Makefile", "sub/x.cmake", "setup.py", "other.py", "compile_commands.json")
    tree(tmp_path, "meson.build", "BUILD", "BUILD.bazel")
    result = found(tmp_path)
    assert set(names(tmp_path, result)) == {
        *("a.cu", "b.cuh", "kernel.h", "kernel.inl", "CMakeLists.txt", "sub/Makefile", "sub/x.cmake"),
        *("setup.py", "compile_commands.json", "meson.build", "BUILD", "BUILD.bazel"),
    }
    kinds = {file.path.name: file.kind for file in result.files}
    assert (kinds["a.cu"], kinds["b.cuh"], kinds["BUILD"]) == (FileKind.SOURCE, FileKind.HEADER, FileKind.BUILD)


def test_shown_paths_are_spelled_as_the_user_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "src/a.cu", "b.cu")
    monkeypatch.chdir(tmp_path)
    assert [file.shown for file in found(tmp_path, Path("src"), Path("b.cu")).files] == ["src/a.cu", "b.cu"]
    assert [file.shown for file in found(tmp_path, Path()).files] == ["b.cu", "src/a.cu"]


def test_gitignore_is_respected_at_every_level(tmp_path: Path) -> None:
    tree(tmp_path, "a.cu", "out/b.cu", "sub/c.cu", "sub/d.cu", "sub/keep/c.cu", "x/gen.cu")
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("gen.cu\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("/out/\nc.cu\n", encoding="utf-8")
    (tmp_path / "sub" / "keep").mkdir(exist_ok=True)
    (tmp_path / "sub" / "keep" / ".gitignore").write_text("!c.cu\n", encoding="utf-8")
    assert names(tmp_path, found(tmp_path)) == ["a.cu", "sub/d.cu", "sub/keep/c.cu"]
    assert names(tmp_path, found(tmp_path, tmp_path / "sub")) == ["sub/d.cu", "sub/keep/c.cu"]
    assert len(found(tmp_path, respect_gitignore=False).files) == 6


def test_named_files_are_checked_whatever_they_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tree(tmp_path, "a.cpp", "b.h", "venv/c.cu")
    files = [tmp_path / name for name in ("a.cpp", "b.h", "venv/c.cu")]
    result = found(tmp_path, *files)
    assert [file.kind for file in result.files] == [FileKind.SOURCE, FileKind.HEADER, FileKind.SOURCE]
    assert all(file.named for file in result.files)
    assert names(tmp_path, found(tmp_path, *files, force_exclude=True)) == ["a.cpp", "b.h"]


def test_exclude_replaces_and_extend_exclude_adds(tmp_path: Path) -> None:
    tree(tmp_path, "a.cu", "venv/b.cu", "old/c.cu")
    assert names(tmp_path, found(tmp_path)) == ["a.cu", "old/c.cu"]
    assert names(tmp_path, found(tmp_path, extend_exclude=("old",))) == ["a.cu"]
    assert names(tmp_path, found(tmp_path, exclude=("a.*",))) == ["old/c.cu", "venv/b.cu"]


def test_a_file_reached_twice_is_checked_once(tmp_path: Path) -> None:
    tree(tmp_path, "a.cu")
    (tmp_path / "link.cu").symlink_to("a.cu")
    assert names(tmp_path, found(tmp_path, tmp_path / "a.cu", tmp_path)) == ["a.cu"]


def test_link_loops_and_broken_links_end(tmp_path: Path) -> None:
    tree(tmp_path, "a.cu")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.cu").symlink_to("self.cu")
    (tmp_path / "gone.cu").symlink_to("nowhere.cu")
    assert names(tmp_path, found(tmp_path)) == ["a.cu"]
    result = found(tmp_path, tmp_path / "self.cu", tmp_path / "gone.cu")
    assert len(result.errors) == 2
    assert "link" in result.errors[0]


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    assert found(tmp_path, tmp_path / "pipe.cu").errors == [f"{tmp_path / 'pipe.cu'}: is no regular file"]
    assert found(tmp_path).files == []


def test_missing_and_empty_are_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = found(tmp_path, tmp_path / "nope.cu", tmp_path / "empty")
    assert result.errors == [f"{tmp_path / 'nope.cu'}: does not exist"]
    assert "no CUDA sources" in result.warnings[0]
