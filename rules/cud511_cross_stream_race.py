"""CUD511 cross-stream-race."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_streams import Race, stream_findings
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule

_HELP = (
    "record an event behind the first and let the other stream wait for it (cudaEventRecord, cudaStreamWaitEvent), "
    "use one stream for both, or give each stream a buffer of its own"
)


class CrossStreamRace(SourceRule):
    """Two streams use one buffer, and nothing orders them.

    ## What it does

    Reports two launches, copies or fills on different streams of which one writes bytes that the other reads or
    writes, with no event, wait, or work on the legacy default stream between them; work on a non-blocking stream and
    a copy on the default stream, `cudaMemcpy` included, which does not wait for it; and loops whose iterations take
    a stream each from an array but write the same place. Only streams that the program is seen to create count,
    only buffers that it is seen to allocate, and only overlaps that are certain: a copy of the whole buffer, the
    same start, or an element that the kernel's first thread uses.

    ## Why is this bad?

    Work on different streams runs in any order and at the same time. What the buffer holds depends on which is
    faster, and changes with the device, the load and the profiler.

    ## Example

    ```cuda
    cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, copies);
    scale<<<blocks, threads, 0, compute>>>(d, n);
    ```

    ## Use instead

    ```cuda
    cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, copies);
    cudaEventRecord(arrived, copies);
    cudaStreamWaitEvent(compute, arrived, 0);
    scale<<<blocks, threads, 0, compute>>>(d, n);
    ```

    ## When it does not apply

    Where the order is kept by something out of sight, for example a kernel that waits for a flag.

    ## References

    - CUDA C++ Programming Guide, "Streams" and "Events"
    - CUDA Runtime API, "cudaStreamWaitEvent"
    """

    meta = Meta(
        code="CUD511",
        name="cross-stream-race",
        summary="two streams use one buffer without anything that orders them",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per later piece of work."""
        for found in unit.once(stream_findings).races.values():
            yield self.finding(
                found.second.span,
                _message(found),
                reason="work on different streams runs in any order, or at the same time",
                help=_HELP,
                evidence={"buffer": found.object.name, "work": found.second.name.strip("`")},
                labels=_labels(found),
                fix=Fix(Applicability.DISPLAY, _HELP),
            )


def _message(found: Race) -> str:
    second, name = found.second, f"`{found.object.name}`"
    if found.first.stream.varies is not None:
        return f"the iterations use one {name} on different streams: {second.name} of one meets that of another"
    again = " of the next iteration" if found.loop is not None else ""
    return (
        f"{second.name}{again} on {second.stream.name} uses {name} while {found.first.name} on "
        f"{found.first.stream.name} may still be running: nothing orders them"
    )


def _labels(found: Race) -> list[Label]:
    labels = [] if found.first.span == found.second.span else [Label(found.first.span, "the other is queued here")]
    if found.object.site is not None:
        labels.append(Label(found.object.site, f"`{found.object.name}` is made here"))
    loop = found.loop or found.first.stream.varies
    return [*labels, Label(loop.head, "in this loop")] if loop is not None else labels
