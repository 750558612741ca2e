"""Make the two kernels loadable: NVRTC source for the worker, or a cubin from nvcc."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from cudalint.lint.model.program import TranslationUnit
from cudalint.verify.job import Build
from cudalint.verify.plan import Plan
from cudalint.verify.source import device_source, name_expression, original_tree_options, write_tree

NVCC_LIMIT_S = 120.0


class BuildError(Exception):
    """A kernel that does not build; the text is the compiler's first error."""


def nvrtc_build(program: TranslationUnit, plan: Plan, folder: Path) -> Build:
    """A build from what the kernel needs, written below `folder`. Raises OSError when that cannot be written."""
    source = device_source(program, plan.kernel, folder)
    options = ["-std=c++17", "--device-as-default-execution-space", *(f"-I{d}" for d in source.include_dirs)]
    options += [f"-I{d}" for d in toolkit_includes()]
    options += [f for f in program.flags if f.startswith(("-D", "-U"))]
    made = _frame(plan, options)
    return replace(made, source=source.text, expression=name_expression(program, plan.kernel))


def nvcc_build(program: TranslationUnit, plan: Plan, folder: Path) -> Build:
    """A cubin of the whole file with nvcc, for the card that is there.

    Raises:
        BuildError: no nvcc, a compile error, or no answer in time.
    """
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise BuildError("nvcc is not on PATH")
    source, cubin = write_tree(program.files, program.path, folder), folder / "kernel.cubin"
    defines = [f for f in program.flags if f.startswith(("-D", "-U", "-I"))]
    command = [nvcc, "-cubin", "-arch=native", "-std=c++17", "-w", *original_tree_options(program), *defines]
    try:
        done = subprocess.run(
            [*command, "-o", str(cubin), str(source)],
            capture_output=True,
            text=True,
            timeout=NVCC_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"nvcc took longer than {NVCC_LIMIT_S:.0f} s") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise BuildError(errors[0].strip() if errors else f"nvcc: exit status {done.returncode}")
    return replace(_frame(plan, []), cubin=str(cubin))


def _frame(plan: Plan, options: list[str]) -> Build:
    return Build(plan.grid, plan.block, plan.shared, plan.kernel.mangled, options=tuple(options))


def toolkit_includes() -> list[Path]:
    """Include folders of a CUDA toolkit: beside nvcc, where CUDA_HOME says, and of pip's CUDA wheels."""
    nvcc = shutil.which("nvcc")
    roots = [Path(nvcc).resolve().parent.parent] if nvcc else []
    roots += [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    found = [root / "include" for root in (*roots, Path("/usr/local/cuda"))]
    for base in map(Path, sys.path):
        found += [p for p in (base / "nvidia/cu13/include", base / "nvidia/cuda_runtime/include") if p.is_dir()]
    return [p for folder in found for p in (folder, folder / "cccl") if p.is_dir()]
