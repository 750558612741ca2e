"""CUD606 tiny-launches-in-loop."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_loops import tiny_launches
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class TinyLaunchesInLoop(SourceRule):
    """A loop of launches that are too small to be worth one each.

    ## What it does

    Notes launches of at most 1024 threads in all, with known extents, of a kernel without loops, in a host loop
    whose iterations do nothing else than launch.

    ## Why it is slow

    A launch costs a few microseconds of host time and about as much on the device, whatever the kernel does. A
    kernel of a block or two runs for less than that.

    ## Example

    ```cuda
    for (int s = 0; s < steps; ++s)
        relax<<<1, 256>>>(u, s);
    ```

    ## Use instead

    Let the kernel loop over the steps itself where one block does all the work, or capture the loop in a CUDA
    graph and launch that:

    ```cuda
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int s = 0; s < steps; ++s)
        relax<<<1, 256, 0, stream>>>(u, s);
    cudaStreamEndCapture(stream, &graph);
    ```

    ## When it does not apply

    Where the loop runs rarely. Kernels that loop may run long, however few their threads, and are not noted.
    Neither are launches that a capture puts into a graph already, nor a kernel that a loop between two readings
    of a clock repeats with the same arguments: that measures it.

    ## References

    - CUDA C++ Programming Guide, "CUDA Graphs"
    """

    meta = Meta(
        code="CUD606",
        name="tiny-launches-in-loop",
        summary="a loop launches kernels of few threads one by one",
        category="launch",
        severity=Severity.INFO,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        for found in tiny_launches(unit.once(host_flow)):
            kernel = found.launch.launch.kernel
            trip = f" {found.loop.trip} times" if found.loop.trip else ""
            advice = "loop inside the kernel, or capture the launches in a CUDA graph"
            yield self.finding(
                found.launch.span,
                f"`{kernel}` is launched{trip} in a loop with {found.threads} threads in all",
                kernel=kernel,
                reason="a launch costs more than so few threads take",
                help=advice,
                evidence={"threads": found.threads, "trip": found.loop.trip},
                labels=[Label(found.loop.head, "in this loop")],
                fix=Fix(Applicability.DISPLAY, advice),
            )
