"""CUD202: a block wants more shared memory than it can have."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.memory_shared import OPT_IN_LIMIT, STATIC_LIMIT, Demand, demands, opts_in
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.rules.base import Meta, SourceRule


class SharedMemoryTooLarge(SourceRule):
    """A block needs more shared memory than the device gives.

    ## What it does
    Adds up the shared arrays of a kernel and the bytes that its launch asks for. Static arrays above 48 KB do not
    link. Together with dynamic shared memory a block can have 48 KB, or up to 227 KB on the largest devices if
    `cudaFuncSetAttribute` raised the limit.

    ## Why is this bad?
    Too large a static array is an error of the assembler. Too large a launch fails at run time, often unnoticed:
    the kernel just does not run.

    ## Example
    ```cuda
    kernel<<<grid, 256, 64 * 1024>>>(out);  // fails: above 48 KB
    ```

    ## Use instead
    ```cuda
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    kernel<<<grid, 256, 64 * 1024>>>(out);
    ```

    ## When it does not apply
    A file in which `cudaFuncSetAttribute` appears is taken to raise the limit for its launches.

    ## References
    CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Shared Memory".
    """

    meta = Meta(
        code="CUD202",
        name="shared-memory-too-large",
        summary="A block needs more shared memory than the device gives",
        category="correctness",
        severity=Severity.ERROR,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each kernel with too large arrays, and for each launch that asks for too much."""
        raised = opts_in(unit.program)
        seen = set()
        for demand in demands(unit):
            site = demand.trace.shape.site
            if site is not None and site.file not in unit.program.files:
                continue  # whether the limit is raised there is not known
            found = self._judge(demand, raised)
            if found is not None and found.span not in seen:
                seen.add(found.span)
                yield found

    def _judge(self, demand: Demand, raised: bool) -> Diagnostic | None:
        """Compare the demand with the limits."""
        name = demand.trace.kernel.name
        evidence = {"static_bytes": demand.static, "dynamic_bytes": demand.dynamic}
        if demand.static > STATIC_LIMIT and demand.largest is not None:
            return self.finding(
                demand.largest.span,
                f"the shared arrays of `{name}` take {demand.static} bytes; {STATIC_LIMIT} is the limit",
                kernel=name,
                reason="the assembler refuses more",
                help="make the arrays smaller, or use dynamic shared memory with a raised limit",
                evidence={**evidence, "limit": STATIC_LIMIT},
            )
        total, site = demand.static + (demand.dynamic or 0), demand.trace.shape.site
        limit = OPT_IN_LIMIT if raised else STATIC_LIMIT
        if not demand.dynamic or site is None or total <= limit:
            return None
        return self.finding(
            site,
            f"this launch of `{name}` needs {total} bytes of shared memory per block; {limit} is the limit",
            kernel=name,
            reason="the launch fails and the kernel does not run",
            help="raise the limit with cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
            "bytes)"
            if total <= OPT_IN_LIMIT
            else "make the tiles smaller",
            evidence={**evidence, "limit": limit},
        )
