"""CUD106: a block reads the same elements from global memory again and again."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory import judged
from cudalint.lint.analysis.memory_reuse import Untiled, untiled
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class UntiledReuse(SourceRule):
    """The threads of a block read the same elements of two operands again and again.

    ## What it does
    Reports a long loop in which every element of at least two read-only arrays is read by eight or more threads
    of a block, in a kernel that uses no shared memory: the inner loop of a naive matrix product.

    ## Why it is slow
    Each read is a request to the cache. A tile in shared memory is read from global memory once per block, and the
    threads share it.

    ## Example
    ```cuda
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    ```

    ## Use instead
    ```cuda
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    ```

    ## When it does not apply
    Small operands that stay in the L1 cache; a library call (cuBLAS) that does the same.

    ## References
    CUDA C++ Programming Guide, "Shared Memory" (matrix multiplication); CUDA C++ Best Practices Guide, "Shared
    Memory in Matrix Multiplication".
    """

    meta = Meta(
        code="CUD106",
        name="untiled-reuse",
        summary="Threads of a block read the same global elements again and again",
        category="memory",
        severity=Severity.INFO,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each loop."""
        seen = set()
        for trace, sites in unit.once(judged).items():
            for found in untiled(trace, sites):
                if found.loop not in seen:
                    seen.add(found.loop)
                    yield self._report(found)

    def _report(self, found: Untiled) -> Diagnostic:
        """Put one loop into words."""
        site = found.sites[0]
        names = sorted({s.object.name for s in found.sites})
        listed = " and ".join(f"`{n}`" for n in names[:2])
        least = advice.number(min(found.reuse))
        return self.finding(
            found.loop,
            f"each element of {listed} is read by at least {least} threads of a block from global memory "
            f"({advice.under(site.trace.shape)})",
            kernel=site.trace.kernel.name,
            reason="every one of these reads is a request to the cache",
            help="stage tiles of the operands in shared memory and let the block share them",
            evidence={"reads_per_element": round(min(found.reuse), 1), "block": list(site.trace.shape.block)},
            labels=[
                Label(s.span, f"read {advice.number(r)} times per block")
                for s, r in zip(found.sites, found.reuse, strict=True)
            ],
        )
