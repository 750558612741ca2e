"""How much shared memory the blocks of a kernel need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.trace import Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Call, Symbol
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.walk import walk

STATIC_LIMIT = 48 * 1024
"""Bytes of shared memory per block without opting in (CUDA C++ Programming Guide, technical specifications)."""
OPT_IN_LIMIT = 227 * 1024
"""Bytes of shared memory per block after opting in, on the devices that have most (compute capability 9.0)."""


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """Bytes of shared memory under one launch shape; `dynamic` is None when the launch's figure is not known."""

    trace: Trace
    static: int
    dynamic: int | None
    largest: Symbol | None


def demands(unit: Unit) -> Iterator[Demand]:
    """The demand of every kernel under each of its launch shapes."""
    for kernel in unit.kernels:
        for trace in unit.traces(kernel):
            arrays = [o for o in trace.objects if o.space is Space.SHARED and not o.dynamic and o.size]
            largest = max(arrays, key=lambda o: o.size or 0, default=None)
            static = sum(o.size or 0 for o in arrays)
            yield Demand(trace, static, trace.shape.shared_bytes, largest.symbol if largest else None)


def opts_in(program: TranslationUnit) -> bool:
    """Whether host code anywhere raises the limit of a kernel."""
    names = {"cudaFuncSetAttribute", "cuFuncSetAttribute"}
    bodies = (f.body for f in program.functions.values() if f.body)
    return any(isinstance(node, Call) and node.name in names for body in bodies for node in walk(body))
