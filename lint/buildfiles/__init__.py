"""What build files hand to nvcc in a release build, read from their structure."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cudalint.lint.buildfiles.nvcc import Compilation, Option

__all__ = ["Compilation", "Option", "read"]


@lru_cache(maxsize=8)
def read(path: Path, text: str, toolkit: tuple[int, int]) -> tuple[Compilation, ...]:
    """The compilations that a build file describes, by the kind of file; none for a kind that is not known."""
    name = path.name
    if name == "CMakeLists.txt" or name.endswith(".cmake"):
        from cudalint.lint.buildfiles import cmake

        return cmake.read(path, text, toolkit)
    if (
        name in {"Makefile", "makefile", "GNUmakefile"}
        or name.startswith("Makefile.")
        or name.endswith((".mk", ".mak"))
    ):
        from cudalint.lint.buildfiles import make

        return make.read(path, text)
    if name in {"setup.py", "BUILD", "BUILD.bazel"} or name.endswith(".bzl"):
        from cudalint.lint.buildfiles import starlark

        return starlark.read(path, text)
    if name == "meson.build":
        from cudalint.lint.buildfiles import meson

        return meson.read(path, text)
    if name in {"compile_commands.json", "pyproject.toml"}:
        from cudalint.lint.buildfiles import data

        return data.compile_commands(path, text) if name == "compile_commands.json" else data.pyproject(path, text)
    return ()
