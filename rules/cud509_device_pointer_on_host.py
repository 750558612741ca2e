"""CUD509 device-pointer-on-host."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_buffers import wrong_sides
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class DevicePointerOnHost(SourceRule):
    """A pointer is followed on the wrong side.

    ## What it does

    Reports host code that reads or writes through a pointer that `cudaMalloc` made, and host memory (`malloc`,
    `new`, `std::vector`, stack, static) that is given to a kernel or to `cudaMemset`. So are `__device__` and
    `__constant__` variables that are passed to a kernel by name.

    ## Why is this bad?

    Device memory is not mapped on the host: the access is a segmentation fault. Pageable host memory is not
    mapped on the device of most systems: the kernel fails with an illegal address, at some later call.

    ## Example

    ```cuda
    float* d;
    cudaMalloc(&d, bytes);
    d[0] = 1.0f;
    ```

    ## Use instead

    ```cuda
    float* d;
    cudaMalloc(&d, bytes);
    const float one = 1.0f;
    cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice);
    ```

    ## When it does not apply

    Systems where the device shares the host's page tables (heterogeneous memory management, Grace Hopper) can
    follow host pointers in kernels; code written for those alone may switch the rule off.

    ## References

    - CUDA C++ Programming Guide, "Device Memory" and "Unified Memory Programming"
    """

    meta = Meta(
        code="CUD509",
        name="device-pointer-on-host",
        summary="a pointer is followed on the side that cannot reach its memory",
        category="host",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per place."""
        for found in wrong_sides(unit.once(host_flow)):
            site = found.memory.site
            labels = [Label(site, "the memory is made here")] if site is not None and site.file else []
            yield self.finding(
                found.span,
                found.what,
                reason="the address means nothing on that side",
                help=found.help,
                evidence={"memory": found.memory.kind.name.lower(), "role": found.role},
                labels=labels,
                fix=Fix(Applicability.DISPLAY, found.help),
            )
