"""CUD405 global-memory-race."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.races import Reach
from cudalint.lint.analysis.races_fences import Unfenced, fence_fix
from cudalint.lint.analysis.races_report import (
    Claim,
    block_of,
    element_of,
    element_text,
    evidence,
    given_text,
    last_blocks,
    notes,
    plausible,
    race_claims,
    side_text,
    thread_of,
    thread_text,
)
from cudalint.lint.analysis.races_updates import ScatteredUpdate, Updates
from cudalint.lint.analysis.trace import AccessKind, Space, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class GlobalMemoryRace(SourceRule):
    """Threads race on global memory, in a block or between blocks.

    ## What it does

    Looks for two threads that touch the same bytes of global memory with nothing that orders them, at least one
    of them writing, and not both atomically: within a block between two barriers, and between blocks in the
    whole kernel, since only the end of the kernel (or a grid barrier) orders blocks. Found are sums into one
    element without an atomic, neighbours read and written in place, and partitions that overlap. Accesses whose
    index comes from memory, kernels that synchronise blocks by flags or locks, and different parameters that
    might point to the same buffer are left alone.

    One kind is told though the data decide: `hist[data[i]]++`, an element of global or shared memory that is read,
    changed and written back at an index that each thread loads. Nothing but the data can keep two threads apart.
    The index is followed through variables, pointers and device functions; conditions on other data that pick the
    threads silence it.

    A kernel that its file does not launch can be judged by itself, for the block and grid of `--block` and `--grid`
    and whatever it is passed. Then a distance in `a[i + offset]` is solved for, and told as information with the
    value that makes two threads meet, unless a guard, an `assert` or another stated condition excludes it; so is an
    update at the thread's index plus a loaded number. Where host code launches the kernel, or without these
    options, neither is told: what is passed is the host's to say.

    Told as well is the last block that reads too early: each block stores a result and counts itself by an atomic,
    and the block that counts last reads all results. Without a `__threadfence()` between the store and the atomic
    it may see the count and not yet the result.

    ## Why is this bad?

    Updates are lost and stale values are read, depending on which thread or block happens to come first.

    ## Example

    ```cuda
    *total += in[i];
    ```

    ## Use instead

    ```cuda
    atomicAdd(total, in[i]);
    ```

    ## When it does not apply

    Iterative methods that tolerate old or new neighbour values race on purpose: suppress with that reason. So do
    updates through an index that is known to differ from thread to thread: a permutation, one colour of a mesh.

    ## References

    - CUDA C++ Programming Guide, "Memory Fence Functions" and "Atomic Functions"
    - CUDA C++ Programming Guide, "Thread Hierarchy": blocks must be able to run in any order
    """

    meta = Meta(
        code="CUD405",
        name="global-memory-race",
        summary="two threads touch one element of global memory and nothing orders them",
        category="synchronisation",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.SAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each place where order is missing."""
        for claim in unit.once(race_claims):
            if claim.race.object.space is Space.GLOBAL and claim.race.reach is not Reach.WARP:
                yield self._finding(claim)
        told: set[Span] = set()
        updates = unit.once(_updates)
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for update in updates.scattered(trace):
                    if update.access.span not in told and plausible(unit, trace):
                        told.add(update.access.span)
                        yield self._scattered(update, trace)
        yield from self._last_blocks(unit)

    def _last_blocks(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each atomic that counts blocks whose results no fence orders before it."""
        told: set[Span] = set()
        lasts = unit.once(last_blocks)
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                if not plausible(unit, trace):
                    continue
                for found in lasts.unfenced(trace):
                    if found.count.span not in told:
                        told.add(found.count.span)
                        yield self._unfenced(unit, found, trace)

    def _unfenced(self, unit: Unit, found: Unfenced, trace: Trace) -> Diagnostic:
        element = element_text(found.store.object, found.offset)
        lanes = trace.lanes
        return self.finding(
            found.count.span,
            f"the last block reads `{element}`, which thread {thread_text(trace, found.writer)} of another block "
            "writes before its block is counted here, with no `__threadfence()` between",
            kernel=trace.kernel.name,
            reason="an atomic orders nothing but itself: the last block may see the count and not yet the result",
            help="call `__threadfence()` after the block's stores and before the atomic, or count through "
            "`cuda::atomic_ref` with `memory_order_acq_rel`",
            evidence={
                "first": {"thread": thread_of(lanes, found.writer), "block": block_of(lanes, found.writer)},
                "second": {"thread": thread_of(lanes, found.reader), "block": block_of(lanes, found.reader)},
                "element": element,
                "object": found.store.object.name,
                "space": found.store.object.space.value,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            fix=fence_fix(unit.program, found),
            labels=(
                Label(found.store.span, f"each block leaves its result in `{found.store.object.name}` here"),
                Label(found.load.span, "the last block reads the results of all here"),
            ),
            notes=(under(trace.shape),),
        )

    def _scattered(self, update: ScatteredUpdate, trace: Trace) -> Diagnostic:
        access = update.access
        where = "shared" if access.object.space is Space.SHARED else "global"
        part = " in part" if update.partly else ""
        return self.finding(
            access.span,
            f"`{access.text}` in {where} memory is updated without an atomic at an index that each thread "
            f"loads{part}: if two threads meet the same index, an update is lost",
            kernel=trace.kernel.name,
            reason="each thread reads the element, changes it and writes it back, and others do so in between",
            help="use an atomic function, or suppress this if the loaded indices are known to differ",
            evidence={
                "object": access.object.name,
                "space": access.object.space.value,
                "threads": update.threads,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            notes=(under(trace.shape),),
            severity=Severity.INFO if update.partly else None,
            confidence=Confidence.LOW if update.partly else Confidence.MEDIUM,
        )

    def _finding(self, claim: Claim) -> Diagnostic:
        race = claim.race
        element = element_of(claim)
        first, second = side_text(claim, race.first), side_text(claim, race.second)
        if race.first.access.span == race.second.access.span:
            message = f"{first} `{element}` and {second} it in the same statement"
            labels: tuple[Label, ...] = ()
        else:
            message = f"{second} `{element}` and {first} it, and nothing orders the two"
            labels = (Label(race.first.access.span, f"{first} `{element}` here"),)
        return self.finding(
            race.second.access.span,
            given_text(claim, message),
            kernel=claim.kernel.name,
            reason=_REASONS[race.reach],
            help=_help(claim),
            evidence=evidence(claim),
            labels=labels,
            notes=notes(claim),
            severity=claim.severity,
            confidence=claim.confidence,
        )


def _updates(unit: Unit) -> Updates:
    return Updates(unit.program)


_REASONS = {
    Reach.GRID: "blocks run in any order and at the same time; only the end of the kernel orders them",
    Reach.BLOCK: "threads of a block run in any order between two barriers",
}


def _help(claim: Claim) -> str:
    race = claim.race
    kinds = {race.first.access.kind, race.second.access.kind}
    if kinds == {AccessKind.STORE}:
        return "give each thread an element of its own, let one thread write, or use an atomic function"
    if race.first.access.span.line == race.second.access.span.line:
        return "use an atomic function, or write to another buffer than is read"
    if race.reach is Reach.GRID:
        return "write to another buffer than is read, or split the kernel in two"
    return "put a barrier between the two, or write to another buffer than is read"
