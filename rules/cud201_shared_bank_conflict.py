"""CUD201: lanes of a warp want different words of the same shared-memory bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.banks import Layout, better_layout
from cudalint.lint.analysis.memory import Site, Verdict, by_place, global_sites, shared_sites
from cudalint.lint.analysis.memory_gain import little_gain
from cudalint.lint.analysis.memory_groups import Told, buffer_and_stride, met_by_few, told
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.rewrite_rows import pad_rows, row_widths
from cudalint.lint.analysis.trace import OPAQUE, AccessKind
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Severity
from cudalint.rules.base import Meta, SourceRule


class SharedBankConflict(SourceRule):
    """Lanes of a warp meet in one bank of shared memory.

    ## What it does
    Reports a shared-memory access for which lanes of a warp want different 4-byte words of one bank, so that the
    hardware serves the request in several passes. The addresses of all lanes are evaluated for the block that
    the launch uses, with the phases of 8- and 16-byte accesses. Where padding the array helps, the finding names
    the padding that was found to work for every access to that array; in a flat array (`s[ty * 32 + tx]`) the fix
    rewrites every index, once the rewritten kernel was seen to access what the old one did. A scatter or gather by
    memory content is reported for information: what it costs depends on the data.

    ## Why it is slow
    Shared memory has 32 banks of 4 bytes, each of which delivers one word per pass. A 32-way conflict makes one
    access take 32 passes.

    ## Example
    ```cuda
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[j] = tile[threadIdx.x][threadIdx.y];  // a column: all lanes meet in one bank
    ```

    ## Use instead
    ```cuda
    __shared__ float tile[32][33];  // one word of padding shifts each row by a bank
    tile[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[j] = tile[threadIdx.x][threadIdx.y];
    ```

    ## When it does not apply
    Lanes that want the same word share it: `As[threadIdx.y][k]` in a tiled matrix product is a broadcast, and
    padding such a tile only makes it slower. Those accesses are not reported. Of the conflicts of one array with one
    stride in a kernel the costliest warns; the others are information only, as is a conflict of one or two lanes
    that lie apart from all others, at an end that wraps around, and as are conflicts that are a small part of what
    the kernel moves: under a tenth of its passes, or of two ways and not most of them. Where a thread reads a row
    element by element, the compiler may load vectors of 16 bytes; for a small conflict no padding is proposed that
    takes their alignment from the rows.

    ## References
    CUDA C++ Programming Guide, "Shared Memory" (banks of 32 bits); CUDA C++ Best Practices Guide, "Shared Memory
    and Memory Banks".
    """

    meta = Meta(
        code="CUD201",
        name="shared-bank-conflict",
        summary="Lanes of a warp meet in one bank of shared memory",
        category="memory",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each place in the source."""
        sites = unit.once(shared_sites)
        certain = by_place(sites, lambda s: s.verdict is Verdict.BAD)
        far = unit.once(global_sites)
        how = told(certain, buffer_and_stride, lambda s: _weight(s, sites, far))
        for site in certain:
            yield self._report(unit, site, sites, how[site])
        places = {s.span.start for s in certain}
        for site in by_place(sites, _scattered):
            if site.span.start not in places:
                yield self._scatter(site)

    def _report(self, unit: Unit, site: Site, sites: Sequence[Site], how: Told) -> Diagnostic:
        """Put one conflict into words, with the layout that removes it."""
        siblings = [s for s in sites if s.trace is site.trace and s.object.id == site.object.id]
        symbol = site.object.symbol
        rows = row_widths(site.trace.kernel, symbol) if symbol is not None else ()
        layout = better_layout(site, siblings, rows)
        ways = site.cost.ratio
        return self.finding(
            site.span,
            f"`{advice.text_of(site.access)}` is a {advice.number(ways)}-way bank conflict: "
            f"{advice.spacing(site)} ({advice.under(site.trace.shape)})",
            severity=Severity.WARNING if how.hot else Severity.INFO,
            kernel=site.trace.kernel.name,
            reason=f"each request takes {advice.number(ways)} times the passes that it needs",
            help=advice.layout_advice(site, layout),
            evidence={
                "ways": round(ways, 2),
                "conflicts_per_warp": max(c.worst for c in site.costs),
                "block": list(site.trace.shape.block),
                "lane_bytes": advice.lane_bytes(site),
            },
            notes=how.notes,
            labels=how.labels,
            fix=self._fix(unit, site, layout),
            lanes=advice.lane_map(site),
        )

    def _scatter(self, site: Site) -> Diagnostic:
        """Put an access whose words come from memory content into words."""
        ways = site.cost.ratio
        return self.finding(
            site.span,
            f"`{advice.text_of(site.access)}` takes its words from memory content: where that is unordered, about "
            f"{advice.number(round(ways))} lanes meet in one bank ({advice.under(site.trace.shape)})",
            severity=Severity.INFO,
            kernel=site.trace.kernel.name,
            reason="32 words drawn at random are spread unevenly over 32 banks",
            help="nothing, if the content is ordered; else consider exchanging values by shuffles, or sorting first",
            evidence={"ways": round(ways, 2), "block": list(site.trace.shape.block)},
            confidence=Confidence.LOW,
        )

    @staticmethod
    def _fix(unit: Unit, site: Site, layout: Layout | None) -> Fix | None:
        """The padding as an edit of the declaration, where that is all it takes, or of all indices with it."""
        edit = advice.padding_edit(unit.program, site, layout)
        edits: Rewrite | None = (edit,) if edit is not None else None
        if layout is not None and layout.row is not None:
            edits = pad_rows(unit, site, layout)
        if edits is None:
            return None
        message = advice.layout_advice(site, layout)
        return Fix(Applicability.UNSAFE, message, tuple(Edit(span, text) for span, text in edits))


def _weight(site: Site, sites: Sequence[Site], far: Sequence[Site]) -> tuple[bool, str]:
    """Whether a conflict is worth a change, and why not if it is not."""
    if met_by_few(site):
        return False, "only one or two lanes of a warp lie apart from the others, as at an end that wraps around"
    hot, why_not = advice.weight(site, sites)
    why_not = why_not or little_gain(site, sites, far)
    return hot and not why_not, why_not


def _scattered(site: Site) -> bool:
    """Whether the words that lanes access come from memory content, and all of them take part for certain."""
    access = site.access
    return site.verdict is Verdict.DATA and access.kind is not AccessKind.ATOMIC and not access.mask_taint & OPAQUE
