"""CUD302 thread-dependent-loop."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.divergence import UnequalLoop, unequal_loops
from cudalint.lint.analysis.trace import ShapeSource, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class ThreadDependentLoop(SourceRule):
    """A loop that the lanes of a warp run for different numbers of iterations.

    ## What it does

    Executes the kernel, counts the iterations of each lane, and reports loops whose bounds follow from the
    thread index so that lanes of one warp wait for the longest for a good share of the iterations. A strided
    loop whose lanes differ by one iteration at the end is not reported, nor are bounds that come from memory.

    ## Why it is slow

    A warp runs until its longest lane is done; the lanes that finished early idle.

    ## Example

    ```cuda
    for (int k = 0; k <= threadIdx.x; ++k)
        sum += v[k];
    ```

    ## Use instead

    ```cuda
    for (int offset = 1; offset < 32; offset *= 2) {
        float below = __shfl_up_sync(0xffffffffu, sum, offset);
        if (lane >= offset) sum += below;
    }
    ```

    ## When it does not apply

    When the loop is short, or the work of a triangular loop cannot be balanced between lanes.

    ## References

    - CUDA C++ Best Practices Guide, "Branching and Divergence"
    """

    meta = Meta(
        code="CUD302",
        name="thread-dependent-loop",
        summary="lanes of one warp run this loop for different numbers of iterations",
        category="divergence",
        severity=Severity.WARNING,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each loop."""
        told: set[Span] = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for found in unequal_loops(trace):
                    if found.loop.span not in told:
                        told.add(found.loop.span)
                        yield self._finding(kernel, trace, found)

    def _finding(self, kernel: Function, trace: Trace, found: UnequalLoop) -> Diagnostic:
        return self.finding(
            found.loop.span,
            f"the lanes of a warp run this loop {found.least} to {found.most} times, "
            f"so that only part of them works in {found.unequal:.0%} of the iterations",
            kernel=kernel.name,
            reason="a warp runs until its longest lane is done",
            help="balance the work between the lanes, or let the lanes of a warp share each iteration",
            evidence={
                "least_iterations": found.least,
                "most_iterations": found.most,
                "unequal_share": round(found.unequal, 3),
                "block": list(trace.shape.block),
            },
            notes=(under(trace.shape),),
            confidence=Confidence.MEDIUM if trace.shape.source is ShapeSource.ASSUMED else Confidence.HIGH,
        )
