"""CUD513 timing-without-warm-up."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_time import cold_measurements
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class TimingWithoutWarmUp(SourceRule):
    """The first launch of a kernel is measured.

    ## What it does

    Notes measurements in `main`, by two readings of a host clock or by two events, of a single launch of a kernel
    that the program has not launched before. Launches that a loop repeats between the two readings, and
    measurements that a loop repeats, are not noted.

    ## Why is this bad?

    The first launch of a kernel also loads its code to the device (since CUDA 12 this happens as late as that), and
    the first launch of all may still set up the context; caches and clocks are cold. What is measured can be many
    times what later launches take.

    ## Example

    ```cuda
    cudaEventRecord(start);
    solve<<<blocks, threads>>>(d, n);
    cudaEventRecord(stop);
    ```

    ## Use instead

    ```cuda
    solve<<<blocks, threads>>>(d, n);
    cudaEventRecord(start);
    for (int r = 0; r < repeats; ++r)
        solve<<<blocks, threads>>>(d, n);
    cudaEventRecord(stop);
    ```

    ## When it does not apply

    Where the time of the whole program, start-up included, is what is asked for. That is common, so this rule has
    to be selected.

    ## References

    - CUDA C++ Programming Guide, "Lazy Loading"
    - CUDA C++ Best Practices Guide, "Timing"
    """

    meta = Meta(
        code="CUD513",
        name="timing-without-warm-up",
        summary="a measurement includes the first launch of a kernel",
        category="host",
        severity=Severity.INFO,
        since="0.1.0",
        default=False,
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        for found in cold_measurements(unit.once(host_flow)):
            kernel = found.launch.launch.kernel
            advice = "launch the kernel once before the measurement starts, and measure several launches"
            yield self.finding(
                found.launch.span,
                f"the first launch of `{kernel}` is measured: this includes loading it",
                kernel=kernel,
                reason="a kernel's code is loaded when it is launched for the first time, and caches are cold",
                help=advice,
                evidence={"kernel": kernel},
                labels=[Label(found.begin, "the measurement starts here"), Label(found.end, "and ends here")],
                fix=Fix(Applicability.DISPLAY, advice),
            )
