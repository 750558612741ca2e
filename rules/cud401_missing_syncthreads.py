"""CUD401 missing-syncthreads."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.races import Reach
from cudalint.lint.analysis.races_async import AsyncCalls, EarlyRead
from cudalint.lint.analysis.races_fix import barrier_fix
from cudalint.lint.analysis.races_repeated import RepeatedStore, repeated_stores
from cudalint.lint.analysis.races_report import (
    Claim,
    element_of,
    element_text,
    evidence,
    given_text,
    later_iteration,
    notes,
    plausible,
    race_claims,
    side_text,
    thread_of,
    thread_text,
)
from cudalint.lint.analysis.trace import Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class MissingSyncthreads(SourceRule):
    """Threads of a block race on shared memory.

    ## What it does

    Executes the kernel for all threads of representative blocks and looks, between each pair of barriers, for
    two threads that touch the same bytes of shared memory, at least one of them writing, and not both
    atomically. The finding names both threads, the element and both places. Loops are followed over their back
    edge (a read at the end of one iteration, a write at the start of the next) and device functions are
    followed at every call, so a block reduction that is safe once and races when it is called twice in a row
    is found. A store of one and the same value by all threads is not reported, but as information where all copy
    a whole array, element by element.

    Of a kernel that its file does not launch, judged for the block of `--block`, races are told as information that
    take one value of a distance in `s[t + offset]`, as CUD405 describes.

    An asynchronous copy (`__pipeline_memcpy_async`, `memcpy_async`) counts as under way until its thread has waited
    for it, and for other threads until a barrier after that. What is read earlier is reported, also where stages of
    a pipeline share a buffer.

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
        """One finding for each place where a barrier, or a wait for a copy, is missing."""
        early = unit.once(_early_reads)
        told = {(read.copy.span, read.load.span) for _, read in early}
        for claim in unit.once(race_claims):
            race = claim.race
            waits = (race.first.access.span, race.second.access.span) in told
            if race.reach is Reach.BLOCK and race.object.space is Space.SHARED and not waits:
                yield self._finding(unit, claim)
        for trace, read in early:
            yield self._early(trace, read)
        for trace, repeated in unit.once(_repeated_stores):
            yield self._repeated(trace, repeated)

    def _repeated(self, trace: Trace, repeated: RepeatedStore) -> Diagnostic:
        access = repeated.access
        first = element_text(access.object, repeated.start)
        return self.finding(
            access.span,
            f"all {repeated.threads} threads of the block store the same values to `{first}` and more elements "
            f"({repeated.elements} seen)",
            severity=Severity.INFO,
            kernel=trace.kernel.name,
            reason="the writes race; whichever comes last leaves the same, but each thread does the work of all",
            help="let each thread store elements of its own, then call `__syncthreads()`",
            evidence={
                "object": access.object.name,
                "space": access.object.space.value,
                "threads": repeated.threads,
                "elements": repeated.elements,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            notes=(under(trace.shape),),
        )

    def _early(self, trace: Trace, read: EarlyRead) -> Diagnostic:
        element = element_text(read.load.object, read.offset)
        reader, writer = thread_text(trace, read.reader), thread_text(trace, read.writer)
        if reader == writer:
            message = f"thread {reader} reads `{element}`, to which its asynchronous copy may still be under way"
        else:
            message = (
                f"thread {reader} reads `{element}`, to which the asynchronous copy of thread {writer} may still be "
                "under way: nothing waits for it before a barrier"
            )
        return self.finding(
            read.load.span,
            message,
            kernel=trace.kernel.name,
            reason="a copy is complete when the thread that started it has waited for it; a barrier waits for none",
            help=f"wait by `{read.completion.value}` before the barrier that precedes the read",
            evidence={
                "first": {"thread": thread_of(trace.lanes, read.writer), "text": read.copy.text},
                "second": {"thread": thread_of(trace.lanes, read.reader), "text": read.load.text},
                "element": element,
                "object": read.load.object.name,
                "space": read.load.object.space.value,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            labels=(Label(read.copy.span, "the copy is started here"),),
            notes=(under(trace.shape),),
        )

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
            given_text(claim, message),
            kernel=claim.kernel.name,
            reason="threads of a block run in any order between two barriers, so either may come first",
            help=_help(claim),
            evidence=evidence(claim),
            fix=None if claim.given else barrier_fix(unit.program, claim),
            labels=() if race.one_instruction else (Label(race.first.access.span, f"{first} `{element}` here"),),
            notes=notes(claim),
            severity=claim.severity,
            confidence=claim.confidence,
        )


def _early_reads(unit: Unit) -> tuple[tuple[Trace, EarlyRead], ...]:
    """The reads of asynchronous copies that come too early, one per line that reads: one wait is for all."""
    calls = AsyncCalls(unit.program)
    found: dict[tuple[str, int], tuple[Trace, EarlyRead]] = {}
    for kernel in unit.kernels:
        for trace in unit.traces(kernel) if calls.copies else ():
            for read in calls.early_reads(trace) if plausible(unit, trace) else ():
                found.setdefault((read.load.span.file, read.load.span.line), (trace, read))
    return tuple(found.values())


def _repeated_stores(unit: Unit) -> tuple[tuple[Trace, RepeatedStore], ...]:
    """The stores that all threads of a block make alike, one per place."""
    found: dict[Span, tuple[Trace, RepeatedStore]] = {}
    for kernel in unit.kernels:
        for trace in unit.traces(kernel):
            for repeated in repeated_stores(trace) if plausible(unit, trace) else ():
                found.setdefault(repeated.access.span, (trace, repeated))
    return tuple(found.values())


def _help(claim: Claim) -> str:
    race = claim.race
    if race.one_instruction:
        return "let one thread store, or give each thread an element of its own"
    if race.first.access.span.line == race.second.access.span.line and not later_iteration(race):
        return "read into a register, call `__syncthreads()`, then write"
    return "call `__syncthreads()` between the two, where all threads of the block reach it"
