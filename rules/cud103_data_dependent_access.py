"""CUD103: the lanes of a warp take their addresses from memory."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory import Verdict, by_place, global_sites
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.rules.base import Meta, SourceRule


class DataDependentAccess(SourceRule):
    """A global access is a gather or scatter: its cost depends on the data.

    ## What it does
    Reports a global access whose address differs from lane to lane by a value that was itself read from memory:
    a gather or a scatter. What it costs depends on the data, which source code cannot show.

    ## Why it is slow
    If the indices are random, every lane needs its own 32-byte sector: eight times the traffic of a contiguous
    access of 4-byte elements. If they are sorted or nearly contiguous, it costs nothing extra.

    ## Example
    ```cuda
    out[i] = values[index[i]];  // where index[i] points decides the cost
    ```

    ## Use instead
    ```cuda
    // once, outside the hot path: sort or bucket by index, so that neighbours read neighbours
    out[order[i]] = values[sorted_index[i]];
    ```

    ## When it does not apply
    Tables that fit in the L1 cache, indices that are known to be sorted. An index that all lanes of a warp share
    is a broadcast and is not reported. The rule is off by default: it tells where to look, not what is wrong.

    ## References
    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
    """

    meta = Meta(
        code="CUD103",
        name="data-dependent-access",
        summary="A global access is a gather or scatter: its cost depends on the data",
        category="memory",
        severity=Severity.INFO,
        since="0.1.0",
        default=False,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each place in the source."""
        for site in by_place(unit.once(global_sites), lambda s: s.verdict is Verdict.DATA):
            yield self.finding(
                site.span,
                f"`{advice.text_of(site.access)}` takes a different address for each lane from memory: "
                f"a {'gather' if site.access.kind.value == 'load' else 'scatter'} ({advice.under(site.trace.shape)})",
                kernel=site.trace.kernel.name,
                reason="where the indices are far apart, every lane needs a 32-byte sector of its own",
                help="sort or bucket the indices, or stage the part that is used through shared memory",
                evidence={"block": list(site.trace.shape.block)},
            )
