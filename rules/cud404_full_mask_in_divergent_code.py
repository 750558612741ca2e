"""CUD404 full-mask-in-divergent-code."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.races_report import thread_of, thread_text
from cudalint.lint.analysis.trace import ShapeSource, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.analysis.warpsync import AbsentLanes, absent_lanes, bad_widths
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class FullMaskInDivergentCode(SourceRule):
    """A warp operation whose mask names lanes that do not execute it.

    ## What it does

    Executes the kernel and compares the mask argument of `__syncwarp()`, `__shfl_*_sync()`, `__ballot_sync()`
    and their kin with the lanes that are really there. Reported is a mask that names a lane of the warp which
    took another way. A shuffle width that is not a power of two up to 32 is reported too.

    ## Why is this bad?

    Every lane that the mask names has to execute the same operation with the same mask. Otherwise the result is
    undefined and the warp may hang.

    ## Example

    ```cuda
    if (lane < 20)
        v += __shfl_down_sync(0xffffffffu, v, 1);
    ```

    ## Use instead

    ```cuda
    unsigned mask = __ballot_sync(0xffffffffu, lane < 20);
    if (lane < 20)
        v += __shfl_down_sync(mask, v, 1);
    ```

    ## When it does not apply

    A full mask is right where the whole warp takes the branch, as in `if (threadIdx.x < 32)`.

    ## References

    - CUDA C++ Programming Guide, "Warp Shuffle Functions" and "Warp Vote Functions"
    - NVIDIA Technical Blog, "Using CUDA Warp-Level Primitives"
    """

    meta = Meta(
        code="CUD404",
        name="full-mask-in-divergent-code",
        summary="the mask of a warp operation names lanes that do not execute it",
        category="synchronisation",
        severity=Severity.ERROR,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each warp operation."""
        told: set[Span] = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for absent in absent_lanes(trace):
                    if absent.sync.span not in told and trace.shape.source is not ShapeSource.ASSUMED:
                        told.add(absent.sync.span)
                        yield self._finding(kernel, trace, absent)
        for call, width in bad_widths(unit.program):
            yield self.finding(
                call.span,
                f"the width of a shuffle has to be a power of two up to 32, and this is {width}",
                reason="with another width the result is undefined",
                help="round the width up to a power of two",
                evidence={"width": width},
            )

    def _finding(self, kernel: Function, trace: Trace, absent: AbsentLanes) -> Diagnostic:
        here, away = thread_text(trace, absent.lane), thread_text(trace, absent.absent)
        return self.finding(
            absent.sync.span,
            f"`{absent.sync.name}` is executed by thread {here}, and its mask names thread {away} of the same warp, "
            "which took another way",
            kernel=kernel.name,
            reason="every lane that the mask names has to execute the same operation",
            help="compute the mask by `__ballot_sync()` before the condition, or move the operation out of it",
            evidence={
                "first": {"thread": thread_of(trace.lanes, absent.lane)},
                "second": {"thread": thread_of(trace.lanes, absent.absent)},
                "block": list(trace.shape.block),
            },
            notes=(under(trace.shape),),
            confidence=Confidence.HIGH if absent.certain else Confidence.MEDIUM,
        )
