"""CUD504 pageable-async-copy."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostfix_pinned import pinning_edits
from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_copies import pageable_copies
from cudalint.lint.analysis.hostflow_errors import error_flow
from cudalint.lint.analysis.hostvalues import Memory
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule

_HELP = (
    "allocate it with cudaMallocHost (or pin it with cudaHostRegister) and keep it alive and unchanged until the "
    "stream has passed the copy"
)


class PageableAsyncCopy(SourceRule):
    """An asynchronous copy from or to host memory that is not pinned.

    ## What it does

    Follows the host pointer of `cudaMemcpyAsync` back to where its memory comes from, through variables,
    arithmetic, members, casts and function calls, and reports it when that is `malloc`, `new`, a
    `std::vector`, the stack or a static array that is never registered. Where the origin is not known, or
    differs by way, nothing is said. Small copies, and those that the host waits for at once, are notes.

    ## Why it is slow

    The driver can only hand pinned memory to the copy engine. Pageable memory is first copied to a pinned
    buffer of the driver's, in pieces, while the host waits: the call does not return early, and the copy does
    not overlap with kernels.

    ## Example

    ```cuda
    float* h = (float*)malloc(bytes);
    cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, stream);
    ```

    ## Use instead

    ```cuda
    float* h;
    cudaMallocHost(&h, bytes);
    cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFreeHost(h);
    ```

    ## When it does not apply

    With pinned memory the call returns before the copy is done: the buffer has to stay alive, and unchanged,
    until the stream has passed it. Code that is only right because the pageable copy blocks needs a wait too.
    Copies that a stream capture puts into a graph are not reported: nothing is copied there and then.

    The fix is offered for a local pointer that its function allocates and frees, where the host waits for the copies
    before it touches the memory again. It is unsafe: what follows a copy on another stream may rest on its blocking.

    ## References

    - CUDA C++ Programming Guide, "Page-Locked Host Memory" and "Asynchronous Concurrent Execution"
    - CUDA Runtime API, "API synchronization behavior"
    """

    meta = Meta(
        code="CUD504",
        name="pageable-async-copy",
        summary="an asynchronous copy uses host memory that is not pinned",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per copy."""
        flow = unit.once(host_flow)
        macro = unit.once(error_flow).macro()
        for found in pageable_copies(flow):
            edits = pinning_edits(flow, found, macro)
            memory, call = found.memory, found.copy.call
            name = f"`{found.name}`" if found.name else "memory"
            origin = memory.kind.value if memory.kind is not Memory.NEW else "`new`"
            why = "the host waits while the driver stages it through a pinned buffer, and it overlaps with nothing"
            if found.reads and found.minor and not found.waited:
                why = "the driver copies so few bytes aside before the call returns; little is lost here"
            elif found.minor:
                why += "; little is lost here" + (", because the host waits next anyway" if found.waited else "")
            labels = [Label(memory.site, f"the memory is from {origin}")] if memory.site and memory.site.file else []
            labels += [Label(span, "and here") for span in found.more[:4]]
            more = f"; neither are {len(found.more)} more in this function" if found.more else ""
            direction = "from" if found.reads else "to"
            yield self.finding(
                call.span,
                f"`{call.name}` {direction} {name}, which is pageable ({origin}), is not asynchronous{more}",
                severity=Severity.INFO if found.minor else None,
                reason=why,
                help=_HELP,
                evidence={
                    "memory": memory.kind.name.lower(),
                    "bytes": found.bytes,
                    "waited": found.waited,
                    "copies": 1 + len(found.more),
                },
                labels=labels,
                fix=Fix(Applicability.UNSAFE if edits else Applicability.DISPLAY, _HELP, edits),
            )
