"""CUD505 host-timing-without-sync."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_time import pending_events, unwaited_measurements
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class HostTimingWithoutSync(SourceRule):
    """A clock is read while the measured kernel may still be running.

    ## What it does

    Looks for two readings of a host clock (`std::chrono`, `clock`, `gettimeofday`, `clock_gettime`,
    `omp_get_wtime`, or a function of the project that reads one) of which one is subtracted from the other,
    with a kernel launch between them and nothing after the launch that waits for the device. Also reports
    `cudaEventElapsedTime` for an event that was just recorded and never waited for.

    ## Why is this bad?

    A launch returns at once. Without a wait the difference is the time it takes to launch, a few microseconds
    whatever the kernel does. `cudaGetLastError` does not wait.

    ## Example

    ```cuda
    auto t0 = std::chrono::steady_clock::now();
    solve<<<blocks, threads>>>(d, n);
    auto t1 = std::chrono::steady_clock::now();
    report(t1 - t0);
    ```

    ## Use instead

    ```cuda
    auto t0 = std::chrono::steady_clock::now();
    solve<<<blocks, threads>>>(d, n);
    cudaDeviceSynchronize();
    auto t1 = std::chrono::steady_clock::now();
    report(t1 - t0);
    ```

    ## When it does not apply

    Where the cost of launching is what is measured, suppress the finding with that reason; launches of a kernel
    with an empty body, and those that a stream capture puts into a graph, are not reported. Blocking copies and
    `cudaFree` wait as well, and so may a function whose body is out of sight: after one nothing is reported.

    ## References

    - CUDA C++ Best Practices Guide, "Timing"
    - CUDA Runtime API, "Event Management"
    """

    meta = Meta(
        code="CUD505",
        name="host-timing-without-sync",
        summary="a clock is read while the kernel it measures may still be running",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per second reading."""
        flow = unit.once(host_flow)
        for found in unwaited_measurements(flow):
            kernel = found.launch.launch.kernel
            yield self.finding(
                found.span,
                f"`{found.clock}` is read while `{kernel}` may still be running: this measures its launch",
                kernel=kernel,
                reason="a launch returns before the kernel runs, and nothing since then waits for it",
                help="call cudaDeviceSynchronize() before this reading, or time with events",
                evidence={"clock": found.clock, "function": found.function},
                labels=[Label(found.begin, "started here"), Label(found.launch.span, f"`{kernel}` is launched here")],
                fix=_fix(found.span, unit),
            )
        for event in pending_events(flow):
            advice = "call cudaEventSynchronize on the stop event before asking for the time"
            yield self.finding(
                event.call.span,
                "`cudaEventElapsedTime` is asked before the stop event is reached: it fails with cudaErrorNotReady",
                reason="cudaEventRecord only queues the event, and nothing since then waits for it",
                help=advice,
                evidence={"clock": "cudaEventElapsedTime"},
                labels=[Label(event.record.span, "recorded here")],
                fix=Fix(Applicability.DISPLAY, advice),
            )


def _fix(reading: Span, unit: Unit) -> Fix:
    """A wait on a line of its own before the statement that reads the clock, where that statement starts a line."""
    advice = "wait for the device before reading the clock"
    data = unit.program.files.get(reading.file, b"")
    start = data.rfind(b"\n", 0, reading.offset) + 1
    lead = data[start : reading.offset]
    indent = lead[: len(lead) - len(lead.lstrip())].decode("utf-8", "replace")
    before = data[:start].rstrip()[-1:]
    if reading.macro or before not in (b";", b"}", b"{") or b"{" in lead or b"for" in lead or b"if" in lead:
        return Fix(Applicability.DISPLAY, advice)
    place = Span(reading.file, reading.line, 1, reading.line, 1, start, start)
    return Fix(Applicability.UNSAFE, advice, (Edit(place, f"{indent}cudaDeviceSynchronize();\n"),))
