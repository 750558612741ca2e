"""CUD508 wrong-copy-size-or-direction."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_buffers import CopyFault, copy_faults
from cudalint.lint.analysis.hostflow_sizes import size_faults
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class WrongCopySizeOrDirection(SourceRule):
    """A copy's direction or size contradicts its buffers.

    ## What it does

    Knows how the memory behind both pointers of a copy was allocated, and reports a direction that contradicts it
    (a device pointer where a host pointer is due and the reverse), a size that is exactly the buffer's number of
    elements instead of bytes, and a size that is larger than what a buffer holds, of fills as well: by numbers,
    or because the allocation counts elements (`cudaMalloc(&d, n)`, then `n * sizeof(float)`). Reports sizes of
    allocations, copies and fills that are made of the `sizeof` of a pointer or of a `std::vector` where that of
    an element is due, plain copies to `__device__` and `__constant__` variables, copies to and from such symbols
    with the arguments swapped, and `cudaMemset` with a number that should fill elements of several bytes.

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

    Memory whose origin is not seen is not judged; managed memory fits every direction. Fill values that are
    written as bit patterns (`0xff`), and arrays of pointers, are left alone.

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
        """One finding per call."""
        flow = unit.once(host_flow)
        copies = {fault.span: fault for fault in copy_faults(flow)}
        for fault in copies.values():
            yield self._found(fault, "the copy fails, or moves something else than is meant")
        for size in size_faults(flow):
            if size.span not in copies:
                reason = "memory is wasted" if size.wasteful else "other bytes are set or moved than is meant"
                yield self._found(size, reason, Severity.WARNING if size.wasteful else None)

    def _found(self, fault: CopyFault, reason: str, severity: Severity | None = None) -> Diagnostic:
        return self.finding(
            fault.span,
            fault.what,
            severity=severity,
            reason=reason,
            help=fault.help,
            evidence=fault.evidence,
            fix=Fix(Applicability.DISPLAY, fault.help),
        )
