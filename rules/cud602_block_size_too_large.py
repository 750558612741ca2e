"""CUD602 block-size-too-large."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_launch import launch_flow, over_limits
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class BlockSizeTooLarge(SourceRule):
    """A launch whose extents the device rejects.

    ## What it does

    Reports launches whose extents are known to exceed a limit of every device: 1024 threads per block, 64 along
    z, 65535 blocks along y and z, or more threads than `__launch_bounds__` of the kernel allows. Also reports a
    block that grows with the data beside a fixed grid, which is what swapped launch arguments look like.

    ## Why is this bad?

    The kernel does not run. The launch says so only to `cudaGetLastError`; swapped arguments even work as long
    as the data is small.

    ## Example

    ```cuda
    int blocks = (n + 255) / 256;
    degree<<<256, blocks>>>(rows, deg, n);
    ```

    ## Use instead

    ```cuda
    int blocks = (n + 255) / 256;
    degree<<<blocks, 256>>>(rows, deg, n);
    ```

    ## When it does not apply

    Launches whose extents differ by way (`if`) are not judged.

    ## References

    - CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
    - CUDA C++ Best Practices Guide, "Thread and Block Heuristics"
    """

    meta = Meta(
        code="CUD602",
        name="block-size-too-large",
        summary="a launch that the device rejects for its extents",
        category="launch",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        for fault in over_limits(unit.once(launch_flow)):
            yield self.finding(
                fault.launch.span,
                fault.message,
                kernel=fault.launch.launch.kernel,
                reason="the launch is rejected and the kernel does not run",
                help=fault.help,
                evidence=fault.evidence,
                fix=Fix(Applicability.DISPLAY, fault.help),
            )
