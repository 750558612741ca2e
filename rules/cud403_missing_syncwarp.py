"""CUD403 missing-syncwarp."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.races import Reach
from cudalint.lint.analysis.races_report import (
    Claim,
    element_of,
    evidence,
    notes,
    race_claims,
    side_text,
)
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.analysis.warpsync import SpinLoop, spin_loops
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class MissingSyncwarp(SourceRule):
    """Threads of one warp exchange data through memory without `__syncwarp()`.

    ## What it does

    Reports two lanes of one warp that touch the same element of memory in different instructions, at
    least one writing, with no `__syncwarp()`, shuffle or vote between: code that relies on the lanes of a warp
    running in lockstep. It also reports a loop that waits for another thread by re-reading a variable that is
    neither volatile nor read atomically.

    ## Why is this bad?

    Since Volta each thread has its own program counter, and the lanes of a warp need not run in lockstep. Nor
    did the compiler ever promise to keep the order of loads and stores between lanes: without `volatile` it may
    keep a value in a register, with it the lanes may still drift apart. A plain load in a waiting loop may be
    moved out of the loop, which then never ends.

    ## Example

    ```cuda
    if (t < 16) {
        s[t] += s[t + 16];
        s[t] += s[t + 8];
    }
    ```

    ## Use instead

    ```cuda
    float v = s[lane];
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    ```

    ## When it does not apply

    Lanes that only touch their own element need no barrier. Code that is only ever built for architectures
    before Volta and reads through `volatile` works there.

    ## References

    - CUDA C++ Programming Guide, "Independent Thread Scheduling" and "__syncwarp"
    - Volta Tuning Guide, "Independent Thread Scheduling"
    - NVIDIA Technical Blog, "Using CUDA Warp-Level Primitives"
    """

    meta = Meta(
        code="CUD403",
        name="missing-syncwarp",
        summary="lanes of a warp exchange data through memory without a warp barrier",
        category="synchronisation",
        severity=Severity.WARNING,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each place where a warp barrier is missing, and for each unguarded waiting loop."""
        for claim in unit.once(race_claims):
            if claim.race.reach is Reach.WARP:
                yield self._race(claim)
        for loop in spin_loops(unit.program):
            yield self._spin(loop)

    def _race(self, claim: Claim) -> Diagnostic:
        race = claim.race
        element = element_of(claim)
        first, second = side_text(claim, race.first), side_text(claim, race.second)
        return self.finding(
            race.second.access.span,
            f"{second} `{element}` and {first} it before, in one warp with no `__syncwarp()` between",
            kernel=claim.kernel.name,
            reason="since Volta the lanes of a warp need not run in lockstep, so either may come first",
            help="exchange through `__shfl_*_sync()`, or read into a register, `__syncwarp()`, write, `__syncwarp()`",
            evidence=evidence(claim),
            labels=(Label(race.first.access.span, f"{first} `{element}` here"),),
            notes=notes(claim),
            confidence=claim.confidence,
        )

    def _spin(self, loop: SpinLoop) -> Diagnostic:
        return self.finding(
            loop.head,
            f"this loop waits for another thread by a plain read of `{loop.text}`",
            kernel=loop.function,
            reason="the compiler may read it once, before the loop, and then the loop never ends",
            help="read through `volatile`, `cuda::atomic_ref` with acquire order, or an atomic function, and put a "
            "fence after the loop",
            evidence={"variable": loop.text},
        )
