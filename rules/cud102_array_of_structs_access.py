"""CUD102: a warp reads one field of an array of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudalint.lint.analysis import advice
from cudalint.lint.analysis.memory import Site, Verdict, by_place, global_sites, of_record
from cudalint.lint.analysis.memory_groups import Told, minor, shown_at, told
from cudalint.lint.analysis.rewrite_align import align_record
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.model.types import spelled
from cudalint.rules.base import Meta, SourceRule


class ArrayOfStructsAccess(SourceRule):
    """A warp's access to an array of records moves mostly other fields.

    ## What it does
    Reports a global access to a field of an array of records, or to a whole record that moves field by field,
    for which a warp touches at least twice as many 32-byte sectors as its active lanes need.

    ## Why it is slow
    The lanes of a warp are a whole record apart, so each 32-byte sector brings mostly other fields along. With a
    record of 32 bytes or more every lane needs its own sector.

    ## Example
    ```cuda
    struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
    out[i] = particles[i].mass;  // 32 bytes moved for every 4 used
    ```

    ## Use instead
    ```cuda
    struct Particles { float *x, *y, *z, *vx, *vy, *vz, *mass, *charge; };
    out[i] = particles.mass[i];  // a structure of arrays: all bytes are used
    ```

    ## When it does not apply
    Records of 8 or 16 bytes that are aligned to their size (`float2`, `float4`, `alignas(16)`) move as one vector
    when the whole record is used, and are not reported. The fix aligns a record whose size is a multiple of 8 or 16
    bytes, where that alone turns its fields into vectors; nothing about its layout changes. Of the
    accesses to one record in a kernel the costliest warns; the others are information only.

    ## References
    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and "Strided Accesses".
    """

    meta = Meta(
        code="CUD102",
        name="array-of-structs-access",
        summary="A warp's access to an array of records moves mostly other fields",
        category="memory",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield one finding for each place in the source."""
        sites = unit.once(global_sites)
        found = by_place(sites, lambda s: s.verdict is Verdict.BAD and of_record(s) is not None)
        how = told(found, of_record, lambda s: _weight(s, sites))
        for site in found:
            yield self._report(unit, site, how[site], self._fix(unit, site))

    @staticmethod
    def _fix(unit: Unit, site: Site) -> Fix | None:
        """A larger alignment, where that alone makes vectors of the record's fields."""
        record = of_record(site)
        made = align_record(unit, site, record) if record is not None else None
        if record is None or made is None:
            return None
        wanted, edits = made
        message = f"align `{spelled(record)}` to {wanted} bytes, so that it moves as vectors"
        return Fix(Applicability.UNSAFE, message, tuple(Edit(span, text) for span, text in edits))

    def _report(self, unit: Unit, site: Site, how: Told, fix: Fix | None) -> Diagnostic:
        """Put one access to an array of records into words."""
        cost, record = site.cost, of_record(site)
        assert record is not None
        used, ideal = cost.used / cost.requests, cost.ideal / cost.requests
        span, labels = shown_at(unit.program, site)
        return self.finding(
            span,
            f"`{advice.text_of(site.access)}` touches {advice.number(used)} sectors per warp where "
            f"{advice.number(ideal)} would do: lanes are one `{spelled(record)}` of {record.size} bytes apart "
            f"({advice.under(site.trace.shape)})",
            severity=Severity.WARNING if how.hot else Severity.INFO,
            kernel=site.trace.kernel.name,
            reason="global memory moves whole 32-byte sectors, and most of each holds fields that are not used here",
            help=fix.message
            if fix is not None
            else f"keep the fields of `{spelled(record)}` in arrays of their own, or move whole records as aligned "
            "vectors of 8 or 16 bytes",
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
