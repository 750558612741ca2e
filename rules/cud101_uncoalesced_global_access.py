"""CUD101: a warp's global access touches far more memory than it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory import Site, Verdict, by_place, global_sites, of_record
from cudalint.lint.analysis.memory_groups import Told, buffer_and_stride, minor, shown_at, told
from cudalint.lint.analysis.rewrite import exchange_axes
from cudalint.lint.analysis.rewrite_chunk import interleave_chunks
from cudalint.lint.analysis.rewrite_stage import stage_rows, worth_staging
from cudalint.lint.analysis.rewrite_tile import stage_through_tile
from cudalint.lint.analysis.rewrite_vector import store_as_vector
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class UncoalescedGlobalAccess(SourceRule):
    """A warp's global access touches far more sectors than it needs.

    ## What it does
    Reports a global load, store or atomic for which a warp touches at least twice as many 32-byte sectors as the
    bytes of its active lanes need. The addresses of all lanes are evaluated for the block that the launch uses,
    so `%`, `/`, shifts and guards count as the hardware sees them. A stride that is only known at run time is
    judged for several values, and reported only if it is wasteful for all of them.

    ## Why it is slow
    Global memory moves whole sectors. Lanes that are a row apart move 32 bytes each to use four of them, so the
    access takes up to eight times the bandwidth and eight times the cache.

    ## Example
    ```cuda
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    out[row * cols + c] = in[row * cols + c];  // neighbouring threads are a row apart
    ```

    ## Use instead
    ```cuda
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    out[row * cols + c] = in[row * cols + c];  // neighbouring threads are neighbours in memory
    ```

    The fix exchanges the axes of a block, stages a transposition through a tile in shared memory, joins stores to
    neighbouring elements to one vector store, which needs a pointer that is aligned to the vector, lets the
    threads of a block take in turn the elements that each had a chunk of, where the iterations are independent, or
    lets each warp move the rows that its threads walk through a tile in shared memory, piece by piece.

    ## When it does not apply
    Addresses that all lanes of a warp share are broadcasts and fine, also where they are far apart from warp to
    warp. Where a transposition is needed, stage a tile through shared memory. Accesses that run once per
    thread beside a hot loop are reported as information only, and so are those with the same cause as a costlier
    one in their kernel: the same buffer, with lanes the same distance apart.

    ## References
    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"; Nsight Compute documentation, "Memory
    Workload Analysis" (sectors per request).
    """

    meta = Meta(
        code="CUD101",
        name="uncoalesced-global-access",
        summary="A warp's global access touches far more sectors than it needs",
        category="memory",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each place in the source."""
        sites = unit.once(global_sites)
        found = by_place(sites, lambda s: s.verdict is Verdict.BAD and not of_record(s))
        how = told(found, buffer_and_stride, lambda s: _weight(s, sites))
        for site in found:
            yield self._report(unit, site, how[site], self._fix(unit, site, sites))

    @staticmethod
    def _fix(unit: Unit, site: Site, sites: Sequence[Site]) -> Fix | None:
        """The rewrite that keeps every result: axes exchanged, stores joined, elements in turn, values staged."""
        kernel = site.trace.kernel
        edits = exchange_axes(unit, kernel, sites)
        message = "exchange x and y in the kernel and its launch"
        if edits is None:
            edits = stage_through_tile(unit, kernel, site)
            message = "stage the values through a padded tile in shared memory"
        if edits is None:
            edits = store_as_vector(unit, site)
            message = "store the neighbouring elements as one vector"
        if edits is None:
            edits = interleave_chunks(unit, site)
            message = "let the threads of a block take the elements of their chunks in turn"
        if edits is None and worth_staging(unit, site):
            edits = stage_rows(unit, site)
            message = (
                "let each warp move its threads' rows through a tile in shared memory, which needs blocks of whole "
                "warps along x and rows that nothing else in the loop writes"
            )
        if edits is None:
            return None
        return Fix(Applicability.UNSAFE, message, tuple(Edit(span, text) for span, text in edits))

    def _report(self, unit: Unit, site: Site, how: Told, fix: Fix | None) -> Diagnostic:
        """Put one wasteful access into words."""
        cost, shape = site.cost, site.trace.shape
        used, ideal = cost.used / cost.requests, cost.ideal / cost.requests
        span, labels = shown_at(unit.program, site)
        return self.finding(
            span,
            f"`{advice.text_of(site.access)}` touches {advice.number(used)} sectors per warp where "
            f"{advice.number(ideal)} would do: {advice.spacing(site)} ({advice.under(shape)})",
            severity=Severity.WARNING if how.hot else Severity.INFO,
            kernel=site.trace.kernel.name,
            reason="global memory moves whole 32-byte sectors; the rest of each is moved for nothing",
            help=advice.fitting_change(site),
            evidence=advice.global_evidence(site),
            notes=how.notes,
            labels=(*labels, *how.labels),
            fix=fix,
            lanes=advice.lane_map(site),
        )


def _weight(site: Site, sites: Sequence[Site]) -> tuple[bool, str]:
    """Whether an access is worth a change, and why not if it is not."""
    hot, why_not = advice.weight(site, sites)
    why_not = why_not or minor(site)
    return hot and not why_not, why_not
