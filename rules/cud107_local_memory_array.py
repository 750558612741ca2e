"""CUD107: a local array with an index that is only known at run time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cudalint.lint.analysis import advice
from cudalint.lint.analysis.trace import Access, Space, Taint, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.rules.base import Meta, SourceRule


class LocalMemoryArray(SourceRule):
    """A local array is indexed by a value that is only known at run time.

    ## What it does
    Reports an array that is local to a thread and indexed by something that the compiler cannot know: a thread's
    own number, a parameter, memory content. The rule is off by default.

    ## Why it is slow
    Registers cannot be indexed. The whole array goes to local memory, which lies in device memory behind the
    caches, and every access to it is a load or a store.

    ## Example
    ```cuda
    float best[8];
    best[key[i] & 7] = value;
    ```

    ## Use instead
    ```cuda
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        if (k == (key[i] & 7)) best[k] = value;
    ```

    ## When it does not apply
    Large tables that do not fit into registers anyway; arrays in rarely executed code.

    ## References
    CUDA C++ Programming Guide, "Device Memory Accesses" (local memory).
    """

    meta = Meta(
        code="CUD107",
        name="local-memory-array",
        summary="A local array with a run-time index lives in local memory",
        category="memory",
        severity=Severity.INFO,
        since="0.1.0",
        default=False,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each array, at the first access that sends it to memory."""
        seen = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for access in trace.accesses(Space.LOCAL):
                    symbol = access.object.symbol
                    if symbol is not None and symbol.span not in seen and _indexed_at_run_time(access):
                        seen.add(symbol.span)
                        yield self._report(trace, access)

    def _report(self, trace: Trace, access: Access) -> Diagnostic:
        """Put one array into words."""
        array = access.object
        return self.finding(
            access.span,
            f"`{array.name}` ({array.size} bytes per thread) is indexed by a run-time value: it goes to local memory",
            kernel=trace.kernel.name,
            reason="registers cannot be indexed; local memory lies in device memory",
            help="index it by constants in unrolled loops, or keep it in shared memory",
            evidence={"bytes": array.size, "access": advice.text_of(access)},
        )


def _indexed_at_run_time(access: Access) -> bool:
    """Whether lanes use different elements, or the index rests on what only the run shows."""
    if not access.object.extents or access.address_taint & (Taint.UNKNOWN | Taint.APPROXIMATE):
        return False
    lanes = access.address[access.mask]
    return bool(access.address_taint) or len(np.unique(lanes)) > 1
