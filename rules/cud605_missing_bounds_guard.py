"""CUD605 missing-bounds-guard."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_launch import launch_flow, unguarded_accesses
from cudalint.lint.analysis.tile_bounds import PastTheTile, past_the_tile
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class MissingBoundsGuard(SourceRule):
    """Threads past the end access memory.

    ## What it does

    Looks at kernels that a launch in the same file gives a grid rounded up to whole blocks. Reports an access
    through a parameter at an index that rests on the thread's coordinate along that axis when nothing in the
    kernel decides by that coordinate, and a guard `if (i > n) return;` that lets the thread of index `n` pass
    although the grid was made for `n` elements. Also reports shared arrays of a fixed size (`tile[16][16]`) that
    the block of a launch in the same file indexes past their end.

    ## Why is this bad?

    The last block has threads without an element. They read and write past the end of the buffer: into what
    lies behind it, which is another allocation as a rule, so that nothing crashes.

    ## Example

    ```cuda
    __global__ void add(int* x, int v) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] += v;
    }
    add<<<(n + 127) / 128, 128>>>(x, v);
    ```

    ## Use instead

    ```cuda
    __global__ void add(int* x, int v, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += v;
    }
    add<<<(n + 127) / 128, 128>>>(x, v, n);
    ```

    ## When it does not apply

    A buffer that was allocated for whole blocks has room for the surplus threads; where that allocation is in
    the same file it is seen. Launches in other files are not seen, and nothing is said about exact grids.

    ## References

    - CUDA C++ Programming Guide, "Kernels" and "Thread Hierarchy"
    - Compute Sanitizer, "Memcheck Tool"
    """

    meta = Meta(
        code="CUD605",
        name="missing-bounds-guard",
        summary="threads past the end access memory",
        category="launch",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per kernel and axis, and per place past a shared array."""
        for found in unguarded_accesses(unit.once(launch_flow)):
            text = unit.program.text(found.access.span) or "the access"
            if found.bound is None:
                message = f"`{text}` is not guarded along {found.axis}, and the grid is rounded up to whole blocks"
                advice = f"pass the extent along {found.axis} and return where the index reaches it"
            else:
                limit = found.bound.parameter.name
                message = f"the guard lets the thread of index `{limit}` pass, and `{text}` is one past the end"
                advice = (
                    f"leave where the index is at least `{limit}` (`>=`)"
                    if found.bound.leaves
                    else f"let only indices below `{limit}` pass (`<`)"
                )
            labels = [Label(found.launch.span, "launched here with a grid that is rounded up")]
            if found.bound is not None:
                labels.append(Label(found.bound.node.span, "the guard"))
            yield self.finding(
                found.access.span,
                message,
                kernel=found.kernel.name,
                reason="the last block has threads without an element",
                help=advice,
                evidence={"axis": found.axis, "off_by_one": found.bound is not None},
                labels=labels,
                fix=Fix(Applicability.DISPLAY, advice),
            )
        for past in past_the_tile(unit):
            yield self._past(past)

    def _past(self, past: PastTheTile) -> Diagnostic:
        shape, tile = past.trace.shape, past.access.object
        block = " x ".join(str(extent) for extent in shape.block)
        place = f"index {past.element} along {past.axis}" if past.axis else f"element {past.element}"
        if past.access.size > tile.element.size:
            place = f"{past.access.size} bytes from {place} on,"
        message = (
            f"`{past.access.text}` is past the end of `{tile.name}` for thread ({', '.join(map(str, past.thread))}): "
            f"{place} of {past.count}, in blocks of {block}"
        )
        advice = "make the array as large as the launched block needs, or launch the block that it was made for"
        return self.finding(
            past.access.span,
            message,
            kernel=past.trace.kernel.name,
            reason="shared memory has no guard: what lies behind the array is overwritten, or the launch fails",
            help=advice,
            evidence={
                "thread": list(past.thread),
                "element": past.element,
                "elements": past.count,
                "block": list(shape.block),
            },
            labels=[Label(shape.site, "launched here")] if shape.site is not None else (),
            fix=Fix(Applicability.DISPLAY, advice),
        )
