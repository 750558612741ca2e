"""CUD502 unchecked-kernel-launch."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_errors import (
    LaunchCheck,
    by_style,
    call_places,
    check_macro,
    launch_checks,
    launch_places,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule

MAX_LABELS = 4
_REASON = (
    "A launch returns nothing. When its configuration is rejected the kernel never runs and the output keeps its "
    "old content; no copy or synchronisation reports that, only cudaGetLastError does."
)


class UncheckedKernelLaunch(SourceRule):
    """Nothing asks whether a kernel launch was accepted.

    ## What it does

    Reports a `<<<…>>>` launch after which no way through the code reaches `cudaGetLastError()` or
    `cudaPeekAtLastError()` with a result that is looked at: in the same function, in its callers, in a macro
    or in a helper. One query after several launches, or after a loop of them, is enough; a query before the
    launch is not. A file that never asks is reported once, with the count.

    ## Why is this bad?

    A launch that asks for too many threads, too much shared memory or an empty grid is rejected without a
    sound. A checked copy afterwards reports faults of kernels that ran, but not that one did not run.

    ## Example

    ```cuda
    scale<<<blocks, threads>>>(d, n);
    CUDA_CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
    ```

    ## Use instead

    ```cuda
    scale<<<blocks, threads>>>(d, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
    ```

    ## When it does not apply

    Launches through `cudaLaunchKernel` and its kin return a status: see CUD501. Where a function out of sight
    is called after the launch, it is taken to ask.

    ## References

    - CUDA Runtime API, "Error Handling"
    - CUDA C++ Programming Guide, "Error Checking"
    """

    meta = Meta(
        code="CUD502",
        name="unchecked-kernel-launch",
        summary="nothing asks whether a kernel launch was accepted",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch, or one for a function or file that has many."""
        flow = unit.once(host_flow)
        launches = launch_checks(flow)
        single, whole = by_style(launch_places(flow), call_places(flow))
        macro = check_macro(flow)
        for index in single:
            one = launches[index]
            yield self._found(one, f"nothing asks whether the launch of `{one.launch.kernel}` was accepted", macro)
        for indexes in whole.values():
            first = launches[indexes[0]]
            total = sum(c.span.file == first.span.file for c in launches)
            labels = [Label(launches[i].span, "nor is this one") for i in indexes[1 : 1 + MAX_LABELS]]
            message = (
                f"nothing asks whether launches were accepted: {len(indexes)} of {total} in this file, "
                f"`{first.launch.kernel}` first"
            )
            yield self._found(first, message, macro, labels, len(indexes))

    def _found(
        self, check: LaunchCheck, message: str, macro: str | None, labels: list[Label] | None = None, count: int = 1
    ) -> Diagnostic:
        query = f"{macro}(cudaGetLastError())" if macro else "cudaGetLastError()"
        advice = f"add `{query};` after the launch" + ("" if macro else " and stop on anything but cudaSuccess")
        return self.finding(
            check.span,
            message,
            kernel=check.launch.kernel,
            reason=_REASON,
            help=advice,
            evidence={"function": check.function, "launches": count},
            fix=Fix(Applicability.DISPLAY, advice),
            labels=labels or (),
        )
