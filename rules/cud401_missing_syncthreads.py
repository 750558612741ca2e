"""CUD401 missing-syncthreads."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.races import Reach
from cudalint.lint.analysis.races_fix import barrier_fix
from cudalint.lint.analysis.races_report import (
    Claim,
    also_text,
    element_of,
    evidence,
    later_iteration,
    race_claims,
    side_text,
)
from cudalint.lint.analysis.trace import Space
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Label, Severity
from cudalint.rules.base import Meta, SourceRule


class MissingSyncthreads(SourceRule):
    """Threads of a block race on shared memory.

    ## What it does

    Executes the kernel for all threads of representative blocks and looks, between each pair of barriers, for
    two threads that touch the same bytes of shared memory, at least one of them writing, and not both
    atomically. The finding names both threads, the element and both places. Loops are followed over their back
    edge (a read at the end of one iteration, a write at the start of the next) and device functions are
    followed at every call, so a block reduction that is safe once and races when it is called twice in a row
    is found. Stores of one and the same value by all threads are not reported.

    ## Why is this bad?

    Threads of a block run in any order between two barriers, and the compiler may move loads and stores. The
    result depends on which thread comes first: it is right on one GPU and one build, and wrong on the next.

    ## Example

    ```cuda
    tile[threadIdx.x] = in[i];
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
    ```

    ## Use instead

    ```cuda
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
    ```

    ## When it does not apply

    Threads that only touch their own element need no barrier. Where the order is kept by other means that the
    analysis cannot see (flags in shared memory, inline assembly), suppress the finding with the reason.

    ## References

    - CUDA C++ Programming Guide, "Synchronization Functions" and "Memory Fence Functions"
    - CUDA C++ Programming Guide, "Shared Memory"
    - Compute Sanitizer, "Racecheck Tool"
    """

    meta = Meta(
        code="CUD401",
        name="missing-syncthreads",
        summary="two threads of a block touch one element of shared memory with no barrier between",
        category="synchronisation",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each place where a barrier is missing."""
        for claim in unit.once(race_claims):
            race = claim.race
            if race.reach is Reach.BLOCK and race.object.space is Space.SHARED:
                yield self._finding(unit, claim)

    def _finding(self, unit: Unit, claim: Claim) -> Diagnostic:
        race = claim.race
        element = element_of(claim)
        first, second = side_text(claim, race.first), side_text(claim, race.second)
        if race.one_instruction:
            message = f"{first} and {second} `{element}` in the same statement, with different values"
        else:
            when = " in the next iteration" if later_iteration(race) else ""
            message = f"{second} `{element}`{when} and {first} it before, with no barrier between"
        return self.finding(
            race.second.access.span,
            message,
            kernel=claim.kernel.name,
            reason="threads of a block run in any order between two barriers, so either may come first",
            help=_help(claim),
            evidence=evidence(claim),
            fix=barrier_fix(unit.program, claim),
            labels=() if race.one_instruction else (Label(race.first.access.span, f"{first} `{element}` here"),),
            notes=(*also_text(claim), under(claim.trace.shape)),
            confidence=Confidence.HIGH if claim.certain else Confidence.MEDIUM,
        )


def _help(claim: Claim) -> str:
    race = claim.race
    if race.one_instruction:
        return "let one thread store, or give each thread an element of its own"
    if race.first.access.span.line == race.second.access.span.line and not later_iteration(race):
        return "read into a register, call `__syncthreads()`, then write"
    return "call `__syncthreads()` between the two, where all threads of the block reach it"
