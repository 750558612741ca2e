"""CUD510 implicit-stream-sync."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_streams import Serialised, stream_findings
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule

_HELP = (
    "give it one of the created streams, or make these with cudaStreamCreateWithFlags(…, cudaStreamNonBlocking) and "
    "order what has to be ordered with events"
)


class ImplicitStreamSync(SourceRule):
    """Work on the default stream keeps work on other streams from overlapping.

    ## What it does

    Reports a launch, copy or fill on the legacy default stream that stands between work on two streams made with
    `cudaStreamCreate`, where all three use different buffers, so that nothing asks for that order; and one in a
    loop whose iterations take a stream each from an array. Nothing is said when the host waits in between anyway,
    when the streams are made with `cudaStreamNonBlocking`, or when the program is built with
    `-default-stream per-thread`.

    ## Why it is slow

    The legacy default stream waits for all work on blocking streams, and they wait for it: one launch without a
    stream argument, and the streams around it run one after another.

    ## Example

    ```cuda
    for (int i = 0; i < count; ++i) {
        cudaMemcpyAsync(d + i * chunk, h + i * chunk, bytes, cudaMemcpyHostToDevice, streams[i]);
        scale<<<blocks, threads>>>(d + i * chunk, chunk);
        cudaMemcpyAsync(h + i * chunk, d + i * chunk, bytes, cudaMemcpyDeviceToHost, streams[i]);
    }
    ```

    ## Use instead

    ```cuda
    for (int i = 0; i < count; ++i) {
        cudaMemcpyAsync(d + i * chunk, h + i * chunk, bytes, cudaMemcpyHostToDevice, streams[i]);
        scale<<<blocks, threads, 0, streams[i]>>>(d + i * chunk, chunk);
        cudaMemcpyAsync(h + i * chunk, d + i * chunk, bytes, cudaMemcpyDeviceToHost, streams[i]);
    }
    ```

    ## When it does not apply

    Where the default stream is used on purpose to join all streams. Work that shares a buffer with the streams
    around it is taken to need the order, outside of loops over streams.

    ## References

    - CUDA Runtime API, "Stream synchronization behavior"
    - CUDA C++ Programming Guide, "Default Stream" and "Implicit Synchronization"
    """

    meta = Meta(
        code="CUD510",
        name="implicit-stream-sync",
        summary="work on the default stream keeps work on other streams from overlapping",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per piece of work on the default stream."""
        for found in unit.once(stream_findings).serialised.values():
            yield self.finding(
                found.work.span,
                f"{found.work.name} is on the default stream, which waits for {_waited_for(found)} and they for it",
                reason="the legacy default stream and blocking streams wait for each other",
                help=_HELP,
                evidence={"work": found.work.name.strip("`"), "in_loop": found.loop is not None},
                labels=_labels(found),
                fix=Fix(Applicability.DISPLAY, _HELP),
            )


def _waited_for(found: Serialised) -> str:
    if found.loop is not None:
        return "the streams of all iterations"
    return f"{found.before.stream.name} and {found.after.stream.name}"


def _labels(found: Serialised) -> list[Label]:
    labels = [Label(found.before.span, f"{found.before.name} is on {found.before.stream.name}")]
    if found.loop is not None:
        return [*labels, Label(found.loop.head, "each iteration takes another stream")]
    after = found.after
    return [*labels, Label(after.span, f"{after.name} on {after.stream.name} could overlap with it")]
