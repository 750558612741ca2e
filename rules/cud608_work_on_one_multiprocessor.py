"""CUD608: a launch of one block that works through a large array by itself."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cudalint.lint.analysis.trace import OPAQUE, Access, ShapeSource, Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Severity
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule

ALONE = 1 << 14
"""Accesses from which on a single thread is taken to matter: an estimate, 1 ms at some 50 ns for each."""
BY_BLOCK = 1 << 20
"""The same for a block, whose threads overlap their accesses: an estimate as well."""


class WorkOnOneMultiprocessor(SourceRule):
    """One block, or one thread, works through a large array.

    ## What it does

    Reports launches of a single block whose threads go through a global array in loops of known length: from
    16,384 accesses on for one thread, from 1,048,576 on for a block. Indices that rest on what is loaded (a chain
    of pointers) are not reported.

    ## Why is this bad?

    A block runs on one multiprocessor, a thread on one lane of it. All others stay idle: an H200 has 132.

    ## Example

    ```cuda
    __global__ void scale(float* a, int n)
    {
        for (int i = 0; i < n; i++) a[i] *= 2.0f;
    }

    scale<<<1, 1>>>(a, 1 << 20);
    ```

    ## Use instead

    ```cuda
    __global__ void scale(float* a, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) a[i] *= 2.0f;
    }

    scale<<<(n + 255) / 256, 256>>>(a, 1 << 20);
    ```

    ## When it does not apply

    Work that is sequential by nature, where moving the data to the host would cost more; measurements of latency.

    ## References

    - CUDA C++ Best Practices Guide, "Occupancy" and "Thread and Block Heuristics"
    """

    meta = Meta(
        code="CUD608",
        name="work-on-one-multiprocessor",
        summary="one block works through a large array while the rest of the card is idle",
        category="launch",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch."""
        told: set[Span] = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                site = trace.shape.site
                if site is None or site in told or not _one_block(trace):
                    continue
                count, access = _most(trace)
                if access is None or count < (ALONE if trace.shape.threads == 1 else BY_BLOCK):
                    continue
                told.add(site)
                yield self._found(trace, site, count, access)

    def _found(self, trace: Trace, site: Span, count: int, access: Access) -> Diagnostic:
        who = "one thread goes" if trace.shape.threads == 1 else f"one block of {trace.shape.threads} threads goes"
        advice = "give each thread an element of its own, and launch as many blocks as that takes"
        return self.finding(
            site,
            f"{who} through `{access.object.name}` alone, in {count:,} accesses",
            kernel=trace.kernel.name,
            reason="a block runs on one multiprocessor; all others of the card are idle meanwhile",
            help=advice,
            evidence={"threads": trace.shape.threads, "accesses": count, "object": access.object.name},
            fix=Fix(Applicability.DISPLAY, advice),
        )


def _one_block(trace: Trace) -> bool:
    shape = trace.shape
    return shape.source is ShapeSource.LAUNCH and shape.block_known and shape.grid == (1, 1, 1)


def _most(trace: Trace) -> tuple[int, Access | None]:
    """How often the busiest access to an array that it goes through is made, and that: loops of known length only."""
    best: tuple[int, Access | None] = (0, None)
    first: dict[Span, Access] = {}
    for access in trace.accesses(Space.GLOBAL):
        trips = [frame.trip for frame in access.frames]
        if not trips or access.address_taint & OPAQUE:
            continue
        before = first.setdefault(access.span, access)
        lane = int(access.mask.argmax())
        if before is access or not before.mask[lane] or access.address[lane] == before.address[lane]:
            continue  # an element that stays, or not seen to move yet
        count = prod(t or 0 for t in trips) * trace.shape.threads
        if count > best[0]:
            best = (count, access)
    return best
