"""CUD402 syncthreads-in-divergent-code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.barriers import SplitBarrier, Why, guards_exactly, split_barriers
from cudalint.lint.analysis.barriers_border import Border, borders
from cudalint.lint.analysis.barriers_exits import Exits
from cudalint.lint.analysis.barriers_fix import reach_fix
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.races_report import block_of, built_ins, other_blocks, thread_of, thread_text
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
    border: Border | None = None


class SyncthreadsInDivergentCode(SourceRule):
    """A block-wide barrier that only part of the block reaches.

    ## What it does

    Executes the kernel and reports a barrier that some threads of a block wait at while others of the same
    block took another way: a condition that depends on the thread index or on data loaded per thread, a return,
    `break` or `continue` before the barrier that only some threads take, a loop with a barrier whose number of
    iterations differs between threads. Conditions that are the same for the whole block are fine: kernel
    parameters, `blockIdx`, a value that all threads load from one address, the result of `__syncthreads_or()`.

    Where the parts do not hang together, the fix moves the barrier out of its condition, or guards the work instead
    of returning. More threads wait then than before, so the fix is applied on request only (`--unsafe-fixes`).

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
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each condition that keeps threads from a barrier."""
        told: set[Span] = set()
        exits = unit.once(_exits)
        for kernel in unit.kernels:
            for found in _in_kernel(unit, kernel, exits):
                key = found.split.cause.span if found.split.cause is not None else found.split.sync.span
                if key not in told:
                    told.add(key)
                    yield self._finding(unit, found)

    def _finding(self, unit: Unit, found: _Found) -> Diagnostic:
        split, trace = found.split, found.trace
        scope = "grid" if split.sync.kind is SyncKind.GRID else "block"
        return self.finding(
            split.sync.span,
            _message(found, scope),
            severity=Severity.WARNING if split.exited or found.border or split.why is not Why.SEEN else None,
            kernel=found.kernel.name,
            reason=f"all threads of the {scope} have to reach the same barrier",
            help=_help(split),
            evidence={
                "first": {"thread": thread_of(trace.lanes, split.here), "reaches": True},
                "second": {"thread": thread_of(trace.lanes, split.away), "reaches": False},
                "exited": split.exited,
                "decided_by": Why.BORDER.value if found.border else split.why.value,
                "block": list(trace.shape.block),
                "launch": under(trace.shape),
            },
            fix=reach_fix(unit.program, trace, split) or Fix(Applicability.DISPLAY, _help(split)),
            labels=_labels(found),
            notes=(*_more(split), under(trace.shape)),
            confidence=Confidence.HIGH if split.why is Why.SEEN and not found.border else Confidence.MEDIUM,
        )


def _exits(unit: Unit) -> Exits:
    return Exits(unit.program)


def _in_kernel(unit: Unit, kernel: Function, exits: Exits) -> Iterator[_Found]:
    """The split barriers of a kernel, those on the border of an exactly known grid among them."""
    for trace in unit.traces(kernel):
        if trace.shape.source is ShapeSource.ASSUMED and "threadIdx" not in built_ins(unit.program, kernel):
            continue
        splits = split_barriers(trace, exits)
        last = tuple(n - 1 for n in trace.shape.grid if n is not None)
        if not splits and len(last) == 3 and any(last) and guards_exactly(trace, exits):
            trace = execute(unit.program, kernel, trace.shape, where=[(last[0], last[1], last[2])])
            splits = split_barriers(trace, exits)
        if not trace.shape.block_known and any(s.why is Why.SEEN for s in splits):
            others = [{s.sync.span for s in split_barriers(t, exits)} for t in other_blocks(unit, trace)]
            sure = set.intersection(*others) if others else set()
            splits = tuple(s for s in splits if s.why is not Why.SEEN or s.sync.span in sure)
        for split in splits:
            if split.why is not Why.BORDER:
                yield _Found(kernel, trace, split)
        for border in borders(unit.program, trace, exits, splits, unit.options.argv):
            yield _Found(kernel, border.trace, border.split, border)


def _message(found: _Found, scope: str) -> str:
    split, trace = found.split, found.trace
    if split.why is Why.DATA and split.cause is not None:
        return f"whether a thread reaches this barrier depends on data that it loads: `{split.cause.text}`"
    here, away = thread_text(trace, split.here), thread_text(trace, split.away)
    if scope == "grid":
        here += f" of block {block_of(trace.lanes, split.here)[0]}"
        away += f" of block {block_of(trace.lanes, split.away)[0]}"
    what = "has returned before" if split.exited else "does not reach it"
    message = f"thread {here} waits at this barrier and thread {away} of the same {scope} {what}"
    if found.border is not None:
        message += f" when {' = '.join(found.border.names)} = {found.border.size}"
    return message


def _labels(found: _Found) -> tuple[Label, ...]:
    split = found.split
    if split.cause is None:
        return ()
    if split.why is Why.DATA:
        varies = "rests on data that each thread loads"
    elif found.border is not None:
        varies = "parts the block that the size ends in"
    else:
        varies = "differs between the threads of a block"
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
