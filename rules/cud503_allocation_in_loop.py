"""CUD503 allocation-in-loop."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostfix_hoist import hoist_edits
from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_loops import LoopAllocation, loop_allocations
from cudalint.lint.analysis.hostvalues import Memory
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule

MAX_LABELS = 4


class AllocationInLoop(SourceRule):
    """A loop allocates and frees in every iteration.

    ## What it does

    Reports an allocation of device, managed or pinned memory, or the making of a stream, event, plan or library
    handle, that a loop repeats together with its release, directly or in a function that it calls. A release is
    also the end of a `thrust::device_vector` or of an object of the project whose destructor frees what its
    constructor allocated, and a `cudaFree` at the start of the next iteration. The size must not depend on a
    counter that the loop steps through: a sweep over sizes is not reported. Neither are loops that fill a table
    of pointers, loops over devices, stream-ordered allocations and loops known to run at most 16 times.

    ## Why it is slow

    `cudaMalloc` costs from a few microseconds to milliseconds, `cudaFree` waits until the device is idle, so
    that nothing overlaps across iterations; pinning memory costs more than most copies it speeds up.

    ## Example

    ```cuda
    for (int s = 0; s < steps; ++s) {
        float* tmp;
        CUDA_CHECK(cudaMalloc(&tmp, bytes));
        step<<<blocks, threads>>>(u, tmp, n);
        CUDA_CHECK(cudaFree(tmp));
    }
    ```

    ## Use instead

    ```cuda
    float* tmp;
    CUDA_CHECK(cudaMalloc(&tmp, bytes));
    for (int s = 0; s < steps; ++s)
        step<<<blocks, threads>>>(u, tmp, n);
    CUDA_CHECK(cudaFree(tmp));
    ```

    ## When it does not apply

    Where the size grows without bound from one iteration to the next, keep one buffer and reallocate only when
    it is too small. A benchmark that measures allocation itself should suppress the finding.

    ## References

    - CUDA C++ Best Practices Guide, "Memory Allocation"
    - CUDA C++ Programming Guide, "Stream Ordered Memory Allocator"
    """

    meta = Meta(
        code="CUD503",
        name="allocation-in-loop",
        summary="a loop allocates and frees in every iteration what it could keep",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per allocation."""
        flow = unit.once(host_flow)
        for found in loop_allocations(flow):
            edits = hoist_edits(flow, found)
            call, made = found.call, found.call.made
            assert made is not None
            labels = [
                Label(found.loop.head, "in every iteration of this loop"),
                *([Label(found.release.span, f"given back here by `{found.release.name}`")] if found.release else []),
                *(Label(c.span, f"`{c.name}` too") for c in found.more[:MAX_LABELS]),
            ]
            yield self.finding(
                found.span,
                _message(found),
                reason=_reason(made.kind),
                help=_help(found),
                evidence={
                    "call": call.name,
                    "release": found.release.name if found.release else "destructor",
                    "trip": found.loop.trip,
                    "allocations": 1 + len(found.more),
                },
                labels=labels,
                fix=Fix(
                    Applicability.UNSAFE if edits else Applicability.DISPLAY,
                    _help(found),
                    edits,
                ),
            )


def _message(found: LoopAllocation) -> str:
    made = found.call.made
    assert made is not None
    more = f" (and {len(found.more)} more)" if found.more else ""
    trip = f", {found.loop.trip} times" if found.loop.trip else ""
    if found.release is None:
        return f"`{found.owner}`{more} allocates and frees {made.kind.value} in every iteration{trip}"
    size = " of the same size" if found.invariant and made.kind is not Memory.RESOURCE else ""
    return f"`{found.call.name}` of `{made.name}`{more}{size} is repeated and undone in every iteration{trip}"


def _reason(kind: Memory) -> str:
    if kind is Memory.PINNED:
        return "pinning and unpinning memory costs more than most copies that it speeds up"
    if kind is Memory.RESOURCE:
        return "making a handle costs tens of microseconds and more, and destroying it may wait for the device"
    return "freeing device memory waits until the device is idle, so iterations cannot overlap"


def _help(found: LoopAllocation) -> str:
    made = found.call.made
    assert made is not None
    if made.kind is Memory.RESOURCE:
        return "make it once before the loop and destroy it after"
    if found.release is None:
        return "construct it once before the loop and use it again; resize it only when it is too small"
    if not found.invariant:
        return "keep one buffer outside the loop and make it larger only when it is too small"
    pool = "" if made.kind is Memory.PINNED else ", or use cudaMallocAsync and cudaFreeAsync"
    return f"allocate once before the loop and free after it{pool}"
