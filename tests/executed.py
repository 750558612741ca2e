"""Execute a small kernel through the front end, and what it did to a buffer, for tests."""

from __future__ import annotations

from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.trace import (
    Access,
    AccessKind,
    ArgValue,
    LaunchShape,
    ShapeSource,
    Trace,
)
from cudalint.lint.frontend import parse_file


def run(
    source: str,
    block: tuple[int, int, int] = (64, 1, 1),
    grid: tuple[int | None, int | None, int | None] = (4, 1, 1),
    args: tuple[ArgValue, ...] = (),
    kernel: str = "k",
    blocks: int = 2,
) -> Trace:
    program = parse_file("test.cu", content=source.encode())
    assert not program.notes, [n.message for n in program.notes]
    found = next(f for f in program.kernels() if f.name == kernel)
    return execute(program, found, LaunchShape(block, grid, ShapeSource.OPTION, args), blocks=blocks)


def numbers(*values: int | float | None) -> tuple[ArgValue, ...]:
    return tuple(ArgValue(number=v) for v in values)


def accesses(trace: Trace, name: str, kind: AccessKind | None = None) -> list[Access]:
    return [a for a in trace.accesses() if a.object.name == name and kind in (None, a.kind)]


def stored(trace: Trace, name: str = "out") -> Access:
    (found,) = accesses(trace, name, AccessKind.STORE)
    return found


def elements(access: Access, size: int = 4) -> list[int]:
    return [int(a) // size for a in access.address[access.mask]]
