"""CUD507 resource-leak."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow import host_flow
from cudalint.lint.analysis.hostflow_leaks import leaks
from cudalint.lint.analysis.hostvalues import Object
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Fix, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class ResourceLeak(SourceRule):
    """Device memory, pinned memory or a handle is lost.

    ## What it does

    Follows what a function allocates into its own variables along every way through it, and reports ways on
    which it is neither released, returned, stored somewhere that outlives the function, nor given to something
    that may keep it: early returns, the function's end, and loops that overwrite the pointer with the next
    allocation. After a failed allocation nothing is owned. What `main` holds when it ends is not reported, and
    neither is what a function holds after which `main` does no more work on the device.

    ## Why is this bad?

    Device memory is not paged: what is lost stays lost until the process ends, and the error paths that lose
    it are the ones that run when memory is short.

    ## Example

    ```cuda
    if (cudaMalloc(&a, bytes) != cudaSuccess) return false;
    if (cudaMalloc(&b, bytes) != cudaSuccess) return false;
    ```

    ## Use instead

    ```cuda
    if (cudaMalloc(&a, bytes) != cudaSuccess) return false;
    if (cudaMalloc(&b, bytes) != cudaSuccess) {
        cudaFree(a);
        return false;
    }
    ```

    ## When it does not apply

    Pools and streams that are meant to live as long as the process: keep them in static or global variables,
    which are not reported. An owning class whose destructor releases is the best repair.

    ## References

    - CUDA Runtime API, "Memory Management", "Stream Management" and "Event Management"
    - C++ Core Guidelines, "R.1: Manage resources automatically using resource handles and RAII"
    """

    meta = Meta(
        code="CUD507",
        name="resource-leak",
        summary="device memory or a handle is lost on a way out of a function",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per way on which something is lost."""
        for leak in leaks(unit.once(host_flow)):
            names = _listed(leak.lost)
            is_, it = ("is", "it") if len(leak.lost) == 1 else ("are", "them")
            if leak.in_loop:
                message = f"{names} {is_} overwritten by the next iteration's allocation and never released"
                advice = f"release {it} at the end of each iteration, or allocate once before the loop"
            elif leak.at_end:
                message = f"{names} {is_} never released in `{leak.run.function.name}` and nothing else holds {it}"
                advice = f"release {it} before the function ends, or let an owning object hold {it}"
            else:
                more = f" and at {len(leak.more)} more of this function" if leak.more else ""
                message = f"{names} {is_} lost at this return{more}"
                advice = f"release {it} on this way too, or let an owning object hold {it}"
            made = leak.lost[0]
            sites = [o for o in leak.lost if o.site is not None and o.site != leak.span]
            yield self.finding(
                leak.span,
                message,
                reason=f"{made.api} is not undone when the function is left; only the end of the process frees it",
                help=advice,
                evidence={"lost": [o.name for o in leak.lost], "function": leak.run.function.qualified},
                labels=[
                    *(Label(o.site, f"`{o.name}` is made here") for o in sites if o.site is not None),
                    *(Label(s, "lost here too") for s in leak.more[:4]),
                ],
                fix=Fix(Applicability.DISPLAY, advice),
            )


def _listed(lost: tuple[Object, ...]) -> str:
    names = [f"`{o.name}`" for o in lost]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
