"""CUD506 sync-in-loop."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hosteffects import ApiCall, Item
from cudalint.lint.analysis.hostflow import host_flow, items_of
from cudalint.lint.analysis.hostflow_loops import LoopWait, loop_waits
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.lint.model.program import TranslationUnit
from cudalint.rules.base import Meta, SourceRule


class SyncInLoop(SourceRule):
    """A loop waits for the device in every iteration without need.

    ## What it does

    Reports `cudaDeviceSynchronize` and `cudaStreamSynchronize`, and blocking copies of at most 4 KiB to the
    host, in a loop that launches kernels, when nothing in the loop looks at what was waited for: no host
    read or write of memory that the device shares, no condition on the copied value, no clock, no function
    or virtual method whose body is out of sight.

    ## Why it is slow

    Kernels in one stream run in order by themselves. A wait drains the device and then the next launch has to
    travel to it again: several microseconds of idle device per iteration, more than many kernels take.

    ## Example

    ```cuda
    for (int s = 0; s < steps; ++s) {
        step<<<blocks, threads>>>(u, n);
        cudaDeviceSynchronize();
    }
    ```

    ## Use instead

    ```cuda
    for (int s = 0; s < steps; ++s)
        step<<<blocks, threads>>>(u, n);
    cudaDeviceSynchronize();
    ```

    ## When it does not apply

    A wait that bounds how far the host may run ahead, or that finds the failing kernel while debugging, is
    there on purpose: suppress the finding and say so.

    ## References

    - CUDA C++ Programming Guide, "Streams"
    - CUDA C++ Best Practices Guide, "Data Transfer Between Host and Device"
    """

    meta = Meta(
        code="CUD506",
        name="sync-in-loop",
        summary="a loop waits for the device in every iteration, though nothing in it needs that",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per wait."""
        for found in loop_waits(unit.once(host_flow)):
            if any(map(_unseen_method, items_of(found.loop.body))):
                continue  # it may be the clock that the wait is for
            if found.bytes is not None and not _written_in(unit.program, found):
                continue  # a function that returns its result to the host is called by the loop
            name, kernel = found.call.name, found.launch.launch.kernel
            if found.bytes is None:
                message = f"`{name}` in every iteration, but nothing in the loop needs the result of `{kernel}` yet"
                advice = "wait once after the loop: launches in one stream run in order by themselves"
            else:
                message = (
                    f"`{name}` fetches {found.bytes} bytes in every iteration and waits for `{kernel}`, "
                    "but the loop does not look at them"
                )
                advice = "collect the values in device memory and copy them once after the loop"
            yield self.finding(
                found.call.span,
                message,
                kernel=kernel,
                reason="the device runs dry while the host waits and then launches again",
                help=advice,
                evidence={"call": name, "bytes": found.bytes, "trip": found.loop.trip},
                labels=[Label(found.loop.head, "in this loop"), Label(found.launch.span, "launched here")],
                fix=Fix(Applicability.DISPLAY, advice),
            )


def _written_in(program: TranslationUnit, found: LoopWait) -> bool:
    """Whether a wait stands in the same function as its loop."""
    function, head = program.functions.get(found.call.function), found.loop.head
    if function is None:
        return True
    return function.span.file == head.file and function.span.offset <= head.offset < function.span.end_offset


def _unseen_method(item: Item) -> bool:
    """Whether a call is of a method of the project whose body is not in sight, as of an interface."""
    if not isinstance(item, ApiCall) or item.call.receiver is None or item.call.constructor:
        return False
    return not item.call.qualified.startswith(("std::", "thrust::", "cub::"))
