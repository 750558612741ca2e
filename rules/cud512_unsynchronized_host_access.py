"""CUD512 unsynchronized-host-access."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hosteffects import LaunchCall
from cudalint.lint.analysis.hostflow_streams import Early, stream_findings
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class UnsynchronizedHostAccess(SourceRule):
    """The host uses memory that queued work may still be using.

    ## What it does

    Reports host code that reads or writes pinned memory while an asynchronous copy into or out of it may still be
    running, that releases it then, or that reads or writes managed or mapped memory while a kernel may still be
    writing it; and device memory that is handed to MPI while a kernel or copy may still be writing it. Anything that
    may wait in between, and every call whose body is out of sight, counts as a wait.
    Pageable memory is safe here: its copies return when the host may go on.

    ## Why is this bad?

    `cudaMemcpyAsync` returns before the copy has started. Reading its target gives what was there before; writing
    or releasing its source changes what arrives. It works by chance where the device is fast or idle. MPI knows
    nothing of streams, and sends what the buffer holds when it is called.

    ## Example

    ```cuda
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
    use(h[0]);
    ```

    ## Use instead

    ```cuda
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    use(h[0]);
    ```

    ## When it does not apply

    Where kernel and host talk through the memory on purpose: declare it `volatile`, or use `cuda::atomic`.

    ## References

    - CUDA C++ Programming Guide, "Asynchronous Concurrent Execution" and "Unified Memory Programming"
    - CUDA Runtime API, "API synchronization behavior"
    """

    meta = Meta(
        code="CUD512",
        name="unsynchronized-host-access",
        summary="the host uses memory that queued work may still be using",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per access of the host."""
        for found in unit.once(stream_findings).early.values():
            advice = "wait for the stream (cudaStreamSynchronize), or for an event behind that work, before this"
            yield self.finding(
                found.span,
                _message(found),
                reason="the work is only queued, and nothing since then waits for it",
                help=advice,
                evidence={"buffer": found.object.name, "work": found.work.name.strip("`"), "access": found.verb},
                labels=[
                    Label(found.work.span, f"{found.work.name} is queued here"),
                    *([Label(found.loop.head, "in this loop")] if found.loop is not None else []),
                ],
                fix=Fix(Applicability.DISPLAY, advice),
            )


def _message(found: Early) -> str:
    of = f"`{found.object.name}`, {found.object.kind.value}," if found.object.name else found.object.kind.value
    again = " of the iteration before" if found.loop is not None else ""
    does = "be writing" if found.writes else "be reading"
    who = "the kernel" if isinstance(found.work.item, LaunchCall) else "the copy"
    by = f"`{found.by}`" if found.by else "the host"
    return f"{by} {found.verb} {of} while {who} {found.work.name}{again} may still {does} it"
