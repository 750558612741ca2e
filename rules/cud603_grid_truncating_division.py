"""CUD603 grid-truncating-division."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostfix_grid import grid_edits
from cudalint.lint.analysis.hostflow_launch import LaunchFault, empty_grids, launch_flow, truncated_grids
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class GridTruncatingDivision(SourceRule):
    """A grid that is rounded down.

    ## What it does

    Reports a grid of `n / block` for a kernel that works on one element per thread and guards against that very
    `n`, where nothing says that `n` is a multiple of the block. Also notes, with low confidence, a grid that is
    rounded up from a container's size where nothing looks whether the container is empty.

    ## Why is this bad?

    Integer division drops the remainder: the last `n % block` elements are not processed, and the results are
    only incomplete, not wrong enough to crash. With fewer elements than a block the grid is empty, and the
    launch is rejected.

    ## Example

    ```cuda
    advance<<<n / 256, 256>>>(u, n);
    ```

    ## Use instead

    ```cuda
    advance<<<(n + 255) / 256, 256>>>(u, n);
    ```

    ## When it does not apply

    Kernels that stride over the grid take any grid, and are not reported. Neither are divisions of a product
    with the block size, or behind a test of the remainder.

    ## References

    - CUDA C++ Programming Guide, "Thread Hierarchy"
    """

    meta = Meta(
        code="CUD603",
        name="grid-truncating-division",
        summary="a grid rounded down leaves the last elements out",
        category="launch",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        flow = unit.once(launch_flow)
        faults = list(truncated_grids(flow))
        for fault in faults:
            edits = grid_edits(flow, fault, faults)
            yield self._found(fault, "integer division drops the remainder", edits)
        for fault in empty_grids(flow):
            reason = "a grid of zero blocks is an invalid configuration"
            yield self._found(fault, reason, (), Severity.INFO, Confidence.LOW)

    def _found(
        self,
        fault: LaunchFault,
        reason: str,
        edits: tuple[Edit, ...],
        severity: Severity | None = None,
        confidence: Confidence | None = None,
    ) -> Diagnostic:
        return self.finding(
            fault.launch.span,
            fault.message,
            severity=severity,
            kernel=fault.launch.launch.kernel,
            reason=reason,
            help=fault.help,
            evidence=fault.evidence,
            fix=Fix(Applicability.UNSAFE if edits else Applicability.DISPLAY, fault.help, edits),
            confidence=confidence,
        )
