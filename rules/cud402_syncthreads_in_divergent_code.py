"""CUD402 syncthreads-in-divergent-code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.barriers import SplitBarrier, split_barriers
from cudalint.lint.analysis.races_report import block_of, built_ins, thread_of, thread_text
from cudalint.lint.analysis.trace import ShapeSource, SyncKind, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Fix, Label, Severity
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    kernel: Function
    trace: Trace
    split: SplitBarrier


class SyncthreadsInDivergentCode(SourceRule):
    """A block-wide barrier that only part of the block reaches.

    ## What it does

    Executes the kernel and reports a barrier that some threads of a block wait at while others of the same
    block took another way: a condition that depends on the thread index or on data loaded per thread, a return,
    `break` or `continue` before the barrier that only some threads take, a loop with a barrier whose number of
    iterations differs between threads. Conditions that are the same for the whole block are fine: kernel
    parameters, `blockIdx`, a value that all threads load from one address, the result of `__syncthreads_or()`.

    ## Why is this bad?

    `__syncthreads()` is defined only if all threads of the block reach the same call. Otherwise the block may
    hang, or barriers pair up wrongly and data is read before it is written. Threads that have returned are
    tolerated by current NVIDIA hardware, but not by the programming model, and not by other platforms.

    ## Example

    ```cuda
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    ```

    ## Use instead

    ```cuda
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    ```

    ## When it does not apply

    When every launch has exactly as many threads as elements, no thread takes the early way: suppress with
    that reason, or let the host pass a size that the linter can see.

    ## References

    - CUDA C++ Programming Guide, "Synchronization Functions"
    - PTX ISA, "bar, barrier"
    - Compute Sanitizer, "Synccheck Tool"
    """

    meta = Meta(
        code="CUD402",
        name="syncthreads-in-divergent-code",
        summary="part of the block does not reach this barrier",
        category="synchronisation",
        severity=Severity.ERROR,
        since="0.1.0",
        fix=Applicability.DISPLAY,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each condition that keeps threads from a barrier."""
        told: set[Span] = set()
        for kernel in unit.kernels:
            for trace in unit.traces(kernel):
                for split in split_barriers(trace):
                    key = split.cause.span if split.cause is not None else split.sync.span
                    if key in told or not _plausible(unit, kernel, trace):
                        continue
                    told.add(key)
                    yield self._finding(_Found(kernel, trace, split))

    def _finding(self, found: _Found) -> Diagnostic:
        split, trace = found.split, found.trace
        here, away = thread_text(trace, split.here), thread_text(trace, split.away)
        what = "has returned before" if split.exited else "does not reach it"
        scope = "block"
        if split.sync.kind is SyncKind.GRID:
            scope = "grid"
            here += f" of block {block_of(trace.lanes, split.here)[0]}"
            away += f" of block {block_of(trace.lanes, split.away)[0]}"
        return self.finding(
            split.sync.span,
            f"thread {here} waits at this barrier and thread {away} of the same {scope} {what}",
            severity=Severity.WARNING if split.exited else None,
            kernel=found.kernel.name,
            reason=f"all threads of the {scope} have to reach the same barrier",
            help=_help(split),
            evidence={
                "first": {"thread": thread_of(trace.lanes, split.here), "reaches": True},
                "second": {"thread": thread_of(trace.lanes, split.away), "reaches": False},
                "exited": split.exited,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            fix=Fix(Applicability.DISPLAY, _help(split)),
            labels=_labels(split),
            notes=(*_more(split), under(trace.shape)),
            confidence=Confidence.HIGH if split.certain and not split.exited else Confidence.MEDIUM,
        )


def _plausible(unit: Unit, kernel: Function, trace: Trace) -> bool:
    """An assumed block says nothing about a kernel that never asks for its thread index."""
    return trace.shape.source is not ShapeSource.ASSUMED or "threadIdx" in built_ins(unit.program, kernel)


def _labels(split: SplitBarrier) -> tuple[Label, ...]:
    if split.cause is None:
        return ()
    varies = "differs between the threads of a block" if split.certain else "rests on data that each thread loads"
    return (Label(split.cause.span, f"this condition {varies}"),)


def _more(split: SplitBarrier) -> tuple[str, ...]:
    if not split.more:
        return ()
    lines = ", ".join(str(span.line) for span in split.more[:6])
    return (f"the same condition splits the barriers on lines {lines}{', …' if len(split.more) > 6 else ''}",)


def _help(split: SplitBarrier) -> str:
    if split.exited:
        return "let every thread reach the barrier: guard the loads and stores instead of returning"
    return "move the barrier out of the condition, or make the condition the same for the whole block"
