"""CUD508 wrong-copy-size-or-direction."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_buffers import copy_faults
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class WrongCopySizeOrDirection(SourceRule):
    """A copy's direction or size contradicts its buffers.

    ## What it does

    Knows how the memory behind both pointers of a copy was allocated, and reports a direction that
    contradicts it (a device pointer where a host pointer is due and the reverse), a size that is exactly the
    buffer's number of elements instead of bytes, and a size that is larger than what a buffer holds.

    ## Why is this bad?

    A wrong direction fails, or silently becomes right only because the driver looks at the addresses. A count
    of elements copies a quarter of a float array, and the rest keeps its old content.

    ## Example

    ```cuda
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    ```

    ## Use instead

    ```cuda
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    ```

    ## When it does not apply

    Memory whose origin is not seen is not judged; managed memory fits every direction.

    ## References

    - CUDA Runtime API, "Memory Management"
    """

    meta = Meta(
        code="CUD508",
        name="wrong-copy-size-or-direction",
        summary="a copy's direction or size contradicts its buffers",
        category="host",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per copy."""
        for fault in copy_faults(unit.once(host_flow)):
            yield self.finding(
                fault.copy.call.span,
                fault.what,
                reason="the copy fails, or moves something else than is meant",
                help=fault.help,
                evidence=fault.evidence,
                fix=Fix(Applicability.DISPLAY, fault.help),
            )
