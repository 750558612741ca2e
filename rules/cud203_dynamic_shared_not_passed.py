"""CUD203: a kernel uses dynamic shared memory, its launch gives none."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.memory_shared import demands
from cudalint.lint.analysis.trace import ShapeSource, Space
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class DynamicSharedNotPassed(SourceRule):
    """A kernel uses `extern __shared__` memory that its launch does not give.

    ## What it does
    Reports a launch whose third argument is missing or zero, of a kernel that accesses an `extern __shared__`
    array under this launch.

    ## Why is this bad?
    The array has no bytes: every access is out of bounds. The kernel faults or overwrites the static arrays of
    its block.

    ## Example
    ```cuda
    extern __shared__ float buffer[];  // in the kernel
    sum<<<blocks, 256>>>(in, out);     // gives it no bytes
    ```

    ## Use instead
    ```cuda
    sum<<<blocks, 256, 256 * sizeof(float)>>>(in, out);
    ```

    ## When it does not apply
    Kernels that touch the array only under a condition that this launch does not meet are not reported.

    ## References
    CUDA C++ Programming Guide, "Execution Configuration" and "__shared__".
    """

    meta = Meta(
        code="CUD203",
        name="dynamic-shared-not-passed",
        summary="A launch gives no bytes to a kernel that uses extern __shared__ memory",
        category="correctness",
        severity=Severity.ERROR,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each launch that gives too little."""
        for demand in demands(unit):
            shape = demand.trace.shape
            if shape.source is not ShapeSource.LAUNCH or shape.site is None or demand.dynamic != 0:
                continue
            used = next((a for a in demand.trace.accesses(Space.SHARED) if a.object.dynamic and a.mask.any()), None)
            if used is None or used.mask_taint:
                continue
            kernel = demand.trace.kernel.name
            yield self.finding(
                shape.site,
                f"`{kernel}` uses extern __shared__ `{used.object.name}`, but this launch gives it no bytes",
                kernel=kernel,
                reason="every access to the array is out of bounds",
                help="pass its size in bytes as the third launch argument",
                evidence={"array": used.object.name},
                labels=[Label(used.span, "first use")],
            )
