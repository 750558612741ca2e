"""CUD105: neighbouring scalar accesses that one vector access could replace."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory_reuse import Vector, vectors
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.lint.model.types import spelled
from cudalint.rules.base import Meta, SourceRule


class ScalarAccessCouldVectorize(SourceRule):
    """Each thread accesses neighbouring elements one by one.

    ## What it does
    Reports two or four scalar accesses of a thread to neighbouring elements that together are an aligned vector,
    where the vectors of neighbouring threads lie side by side. The rule is off by default.

    ## Why it is slow
    Each scalar access touches all the sectors of the vectors again and takes an instruction of its own. A copy of
    `float4` ran 1.6 times as fast as a copy of `float` on an H200.

    ## Example
    ```cuda
    float a = in[2 * i], b = in[2 * i + 1];
    ```

    ## Use instead
    ```cuda
    float2 ab = reinterpret_cast<const float2*>(in)[i];
    ```

    ## When it does not apply
    Where the pointer may be passed with an offset that is not a multiple of the vector.

    ## References
    CUDA C++ Best Practices Guide, "Memory Optimizations"; CUDA C++ Programming Guide, "Built-in Vector Types".
    """

    meta = Meta(
        code="CUD105",
        name="scalar-access-could-vectorize",
        summary="Neighbouring scalar accesses could be one vector access",
        category="memory",
        severity=Severity.INFO,
        since="0.1.0",
        default=False,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each group of accesses."""
        seen = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for vector in vectors(trace):
                    if vector.first.span not in seen:
                        seen.add(vector.first.span)
                        yield self._report(vector)

    def _report(self, vector: Vector) -> Diagnostic:
        """Put one group into words."""
        site, count = vector.first, len(vector.sites)
        element = spelled(site.access.expr.type)
        return self.finding(
            site.span,
            f"each thread accesses {count} neighbouring elements of `{site.object.name}` one by one "
            f"({advice.under(site.trace.shape)})",
            kernel=site.trace.kernel.name,
            reason=f"each of the {count} accesses touches all the sectors of the {count}",
            help=f"access them as one vector of {count} `{element}`",
            evidence={"elements": count, "bytes": count * site.access.size, "block": list(site.trace.shape.block)},
            labels=[Label(s.span, "neighbouring element") for s in vector.sites[1:]],
        )
