"""CUD607 uninitialised-shared-read."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.shared_unwritten import Unwritten, unwritten_reads
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class UninitialisedSharedRead(SourceRule):
    """A block reads shared memory that none of its threads has written.

    ## What it does

    Reports elements of a shared array that a launched block reads although no thread of it can have written them
    before, and arrays and counters that the kernel only updates (`atomicAdd`) or reads, without any store. The usual
    reason is a launch with fewer threads than a hard-coded tile has elements, where each thread fills one. Only reads
    count that change what the kernel writes to global memory: it is executed with other content in those bytes.

    ## Why is this bad?

    Shared memory starts with whatever the block before left there. The result is wrong, and often differs from run
    to run; after a fresh start it may happen to be zero, so that a test passes.

    ## Example

    ```cuda
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile[threadIdx.y][k];
    // launched with dim3(16, 16)
    ```

    ## Use instead

    ```cuda
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile[threadIdx.y][k];
    // launched with dim3(32, 32)
    ```

    ## When it does not apply

    Partial tiles at the border, which a guard leaves unset, are not reported: whether they are read depends on sizes
    that are not known. Nothing is said of kernels with inline assembly that accesses memory, or with calls out of
    sight, and of launches whose block is not known only that an array is never set.

    ## References

    - CUDA C++ Programming Guide, "Shared Memory"
    - Compute Sanitizer, "Initcheck Tool"
    """

    meta = Meta(
        code="CUD607",
        name="uninitialised-shared-read",
        summary="a block reads shared memory that none of its threads has written",
        category="launch",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per array of a kernel."""
        for found in unwritten_reads(unit):
            yield self._never(found) if found.never else self._partly(found)

    def _never(self, found: Unwritten) -> Diagnostic:
        name = found.access.object.name
        advice = f"set `{name}` at the start of the kernel, and call __syncthreads() before it is used"
        return self._reported(found, f"`{name}` is used, but the kernel never sets it", advice)

    def _partly(self, found: Unwritten) -> Diagnostic:
        name = found.access.object.name
        block = " x ".join(map(str, found.trace.shape.block))
        thread = ", ".join(map(str, found.thread))
        more = f", as {found.missing - 1} more are," if found.missing > 1 else ""
        message = (
            f"`{found.access.text}` reads element {found.element} of `{name}` in thread ({thread}){more} and no "
            f"thread of the block has written it, in blocks of {block}"
        )
        advice = "launch the block that the array was made for, or let each thread fill as many elements as it takes"
        return self._reported(found, message, advice)

    def _reported(self, found: Unwritten, message: str, advice: str) -> Diagnostic:
        shape = found.trace.shape
        labels = [Label(shape.site, "launched here")] if shape.site is not None and not found.never else []
        if found.store is not None:
            labels.append(Label(found.store.span, "the last store before it leaves this out"))
        return self.finding(
            found.access.span,
            message,
            kernel=found.trace.kernel.name,
            reason="shared memory starts with what the block before left there",
            help=advice,
            evidence={
                "thread": list(found.thread),
                "element": found.element,
                "elements": found.missing,
                "never_set": found.never,
                "block": list(shape.block),
            },
            labels=labels,
            fix=Fix(Applicability.DISPLAY, advice),
        )
