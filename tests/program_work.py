"""The small program of tests/data/program with its findings, for tests that verify inside a program."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.frontend import parse_file
from cudalint.lint.model.source import Span
from cudalint.verify.run import Work

PROGRAM = Path(__file__).parent / "data" / "program"


def copied(folder: Path) -> Path:
    """The program's sources in a folder of the test."""
    return Path(shutil.copytree(PROGRAM, folder / "program"))


def unit_of(folder: Path) -> Unit:
    """The unit of its main file."""
    return Unit(parse_file(str(folder / "main.cu")), Options())


def work(unit: Unit, index: int, code: str, kernel: str | None, name: str, old: str, new: str) -> Work:
    """A finding whose fix puts `new` for the one `old` in a file."""
    path = str(Path(unit.program.path).parent / name)
    content = unit.program.files[path]
    offset = content.index(old.encode())
    assert content.count(old.encode()) == 1
    line = content.count(b"\n", 0, offset) + 1
    span = replace(any_span(path), line=line, offset=offset, end_offset=offset + len(old.encode()))
    fix = Fix(Applicability.UNSAFE, "test", (Edit(span, new),))
    finding = Diagnostic(code, "test", Severity.WARNING, "test", span, kernel=kernel, fix=fix)
    return Work(index, finding, unit)


def any_span(path: str) -> Span:
    """A span at the start of a file."""
    return Span(path, 1, 1, 1, 1, 0, 0)


FIXES: Mapping[str, tuple[str, str, str, str, str]] = {
    "padded": ("CUD201", "transpose", "transpose.cuh", "T tile[TILE][TILE];", "T tile[TILE][TILE + 1];"),
    "single": ("CUD801", "scale", "main.cu", "1.000001;", "1.000001f;"),
    "wrong": ("CUD201", "transpose", "transpose.cuh", "= in[y * width + x];", "= in[y * width + x] + (x == 5);"),
    "faulting": ("CUD201", "transpose", "transpose.cuh", "out[y * width + x]", "out[-(1 << 30) - width]"),
    "hanging": ("CUD201", "transpose", "transpose.cuh", "    __syncthreads();", "    while (width) __nanosleep(99);"),
    "broken": ("CUD201", "transpose", "transpose.cuh", "    __syncthreads();", "    __no_such_call();"),
    "barrier": (
        "CUD401",
        "reverse",
        "main.cu",
        "    data[at] = piece",
        "    __syncthreads();\n    data[at] = piece",
    ),
    "wider": (
        "CUD101",
        "scale",
        "main.cu",
        "scale<<<(n * n + 255) / 256, 256>>>",
        "scale<<<(n * n + 127) / 128, 128>>>",
    ),
}
"""Rewrites of the program by name: rule, kernel, file, what is replaced, by what."""


def fixes(unit: Unit, *names: str) -> list[Work]:
    """Work for rewrites by name, in order."""
    return [work(unit, index, *FIXES[name]) for index, name in enumerate(names)]
