"""CUD604 grid-counted-in-threads."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostfix_grid import grid_edits
from cudalint.lint.analysis.hostflow_launch import launch_flow, thread_counted_grids
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class GridCountedInThreads(SourceRule):
    """A grid that is counted in threads.

    ## What it does

    Reports a grid that is a number of blocks multiplied by the block size (`(n + b - 1) / b * b`), and a grid
    of `n` blocks of several threads for a kernel that works on one element per thread and guards against that
    very `n`.

    ## Why is this bad?

    The first launch argument counts blocks. A guard keeps the surplus threads from doing harm, but the launch
    starts as many times too many blocks as a block has threads. Without a guard it writes far past the end.

    ## Example

    ```cuda
    scale<<<n, 256>>>(d, n);
    ```

    ## Use instead

    ```cuda
    scale<<<(n + 255) / 256, 256>>>(d, n);
    ```

    ## When it does not apply

    Kernels that give one element to a whole block index with blockIdx alone, and are not reported.

    ## References

    - CUDA C++ Programming Guide, "Thread Hierarchy"
    """

    meta = Meta(
        code="CUD604",
        name="grid-counted-in-threads",
        summary="a grid holds as many blocks as there should be threads",
        category="launch",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        flow = unit.once(launch_flow)
        faults = list(thread_counted_grids(flow))
        for fault in faults:
            edits = grid_edits(flow, fault, faults)
            yield self.finding(
                fault.launch.span,
                fault.message,
                kernel=fault.launch.launch.kernel,
                reason="the first launch argument counts blocks; the surplus blocks start and find nothing to do",
                help=fault.help,
                evidence=fault.evidence,
                fix=Fix(Applicability.UNSAFE if edits else Applicability.DISPLAY, fault.help, edits),
            )
