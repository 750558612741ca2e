"""CUD406 redundant-syncthreads."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.barriers_idle import IdleBarrier, idle_barriers
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class RedundantSyncthreads(SourceRule):
    """A barrier that orders nothing.

    ## What it does

    Reports a `__syncthreads()` that follows another one with no access to memory between, and one that is the
    last statement of a kernel.

    ## Why it is slow

    All warps of the block wait for the slowest once more, and nothing is gained.

    ## Example

    ```cuda
    tile[t] = in[i];
    __syncthreads();
    __syncthreads();
    out[i] = tile[255 - t];
    ```

    ## Use instead

    ```cuda
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[255 - t];
    ```

    ## When it does not apply

    A barrier that keeps warps together on purpose, for the cache's sake: suppress with that reason.

    ## References

    - CUDA C++ Programming Guide, "Synchronization Functions"
    """

    meta = Meta(
        code="CUD406",
        name="redundant-syncthreads",
        summary="no memory is accessed between this barrier and the one before",
        category="synchronisation",
        severity=Severity.INFO,
        since="0.1.0",
        fix=Applicability.SAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each barrier that could go."""
        for idle in idle_barriers(unit.program):
            yield self._finding(unit.program, idle)

    def _finding(self, program: TranslationUnit, idle: IdleBarrier) -> Diagnostic:
        if idle.previous is None:
            message = "the kernel ends after this barrier, so that it orders nothing"
            labels: tuple[Label, ...] = ()
        else:
            message = "no memory is accessed between this barrier and the one before"
            labels = (Label(idle.previous, "the barrier before"),)
        return self.finding(
            idle.call.span,
            message,
            kernel=idle.function.name if idle.function.kind is FunctionKind.KERNEL else None,
            reason="all warps of the block wait for the slowest, and nothing is ordered by it",
            help="remove the barrier",
            fix=_removal(program, idle),
            labels=labels,
        )


def _removal(program: TranslationUnit, idle: IdleBarrier) -> Fix | None:
    """Remove the barrier with its line, when it stands alone on it."""
    span = idle.statement
    data = program.files.get(span.file)
    if data is None or span.macro is not None:
        return None
    start = data.rfind(b"\n", 0, span.offset) + 1
    end = data.find(b"\n", span.end_offset)
    if end < 0 or data[start : span.offset].strip() or data[span.end_offset : end].strip(b" \t\r;"):
        return None
    line = Span(span.file, span.line, 1, span.end_line + 1, 1, start, end + 1)
    return Fix(Applicability.SAFE, "remove the barrier", (Edit(line, ""),))
