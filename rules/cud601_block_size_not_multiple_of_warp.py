"""CUD601 block-size-not-multiple-of-warp."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_launch import launch_flow, partial_warps
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.rules.base import Meta, SourceRule

QUARTER = 0.25
"""Share of idle lanes from which the finding is a warning."""


class BlockSizeNotMultipleOfWarp(SourceRule):
    """A block that is not made of whole warps.

    ## What it does

    Reports launches of many blocks whose block size is known, is not a multiple of 32, and leaves at least a
    tenth of the lanes idle: one thread per block (31 of 32 lanes), 48 (16 of 64), 100 (28 of 128). A few blocks
    that set something up are not reported.

    ## Why it is slow

    The hardware schedules whole warps. A warp with idle lanes costs as much as a full one.

    ## Example

    ```cuda
    rows<<<batch, 1>>>(out, in, length);
    ```

    ## Use instead

    ```cuda
    rows<<<batch, 128>>>(out, in, length);
    ```

    ## When it does not apply

    Where the algorithm ties the block to a small odd extent (a 7 by 7 window per block), several of them can
    often share a block; where they cannot, suppress the finding with the reason. Kernels that exchange values
    inside a warp (`__shfl_sync`) chose the width of their groups, and are not reported.

    ## References

    - CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
    - CUDA C++ Best Practices Guide, "Thread and Block Heuristics"
    """

    meta = Meta(
        code="CUD601",
        name="block-size-not-multiple-of-warp",
        summary="a block leaves lanes of its last warp idle",
        category="launch",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        flow = unit.once(launch_flow)
        for fault, share in partial_warps(flow):
            yield self.finding(
                fault.launch.span,
                fault.message,
                severity=None if share >= QUARTER else Severity.INFO,
                kernel=fault.launch.launch.kernel,
                reason="warps are scheduled whole: idle lanes cost as much as busy ones",
                help=fault.help,
                evidence=fault.evidence,
                fix=Fix(Applicability.DISPLAY, fault.help),
            )
