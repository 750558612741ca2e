"""CUD104: an access at an address that is not a multiple of its alignment."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory_alignment import Misaligned, misaligned
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import spelled
from cudalint.rules.base import Meta, SourceRule


class MisalignedVectorAccess(SourceRule):
    """A memory access at an address that is not a multiple of what its type demands.

    ## What it does
    Reports an access through a pointer to a wider type (`float4` through `reinterpret_cast`, an `int` in a byte
    buffer) at an address that is not a multiple of that type's alignment, counted from the 256-byte aligned start
    of an allocation. It is certain if some lane is misaligned whatever the unknown values are. With lesser
    confidence it reports a vector access that is shifted as a whole by a run-time offset in elements, which
    nothing rounds to a multiple.

    ## Why is this bad?
    The device faults: "misaligned address" ends the kernel and the context with it.

    ## Example
    ```cuda
    float4 v = *reinterpret_cast<const float4*>(src + 1 + 4 * i);  // 4 bytes off
    ```

    ## Use instead
    ```cuda
    float4 v = make_float4(src[4 * i + 1], src[4 * i + 2], src[4 * i + 3], src[4 * i + 4]);
    ```

    ## When it does not apply
    Row lengths that are only known at run time are taken to be what the author needs them to be. An access behind
    a test of the address or of the offset is judged only where the test lets it through.

    ## References
    CUDA C++ Programming Guide, "Device Memory Accesses" (size and alignment requirement).
    """

    meta = Meta(
        code="CUD104",
        name="misaligned-vector-access",
        summary="An access at an address that its type does not allow",
        category="correctness",
        severity=Severity.ERROR,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each place in the source."""
        seen: set[Span] = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for found in misaligned(trace):
                    if found.access.span not in seen:
                        seen.add(found.access.span)
                        yield self._report(found)

    def _report(self, found: Misaligned) -> Diagnostic:
        """Put one misaligned access into words."""
        access, lanes = found.access, found.trace.lanes
        what = f"`{advice.text_of(access)}` needs an address that is a multiple of {found.demands}"
        if found.certain:
            i = found.lane
            thread = f"({lanes.tx[i]}, {lanes.ty[i]}, {lanes.tz[i]})"
            message = f"{what}; thread {thread} is {found.remainder} bytes off ({advice.under(found.trace.shape)})"
        else:
            message = f"{what}, but starts at a run-time offset that nothing makes a multiple"
        return self.finding(
            access.span,
            message,
            severity=Severity.ERROR if found.certain else Severity.WARNING,
            kernel=found.trace.kernel.name,
            reason="the device stops with a misaligned address error",
            help=f"use an offset that is a multiple of {found.demands} bytes, or access the elements of "
            f"`{spelled(access.expr.type)}` one by one",
            evidence={
                "alignment_bytes": found.demands,
                "bytes_off": found.remainder,
                "block": list(found.trace.shape.block),
            },
            confidence=Confidence.HIGH if found.certain else Confidence.MEDIUM,
        )
