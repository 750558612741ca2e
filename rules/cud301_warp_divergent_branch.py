"""CUD301 warp-divergent-branch."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.divergence import DivergentBranch, divergent_branches
from cudalint.lint.analysis.exec_facts import facts_of
from cudalint.lint.analysis.races_report import built_ins
from cudalint.lint.analysis.trace import Branch, ShapeSource, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class WarpDivergentBranch(SourceRule):
    """A branch that parts the lanes of nearly every warp, with work on its sides.

    ## What it does

    Executes the kernel and counts, for each branch whose condition follows from the thread index, how many warps
    run each side, and how many whole warps would do for the lanes that take it. Reported are branches at which
    nearly every warp parts, that make up a good part of the kernel, and where regrouping the lanes would spare
    30 % of the work or more: odd and even lanes with work of their own, a reduction whose active lanes spread
    over all warps. One lane that runs a long loop while its block waits is told as information.

    Not reported are conditions that change on warp borders (`threadIdx.x < 64`), sides so short that compilers
    predicate them, guards (bounds, halos of a tile), and conditions on loaded data.

    ## Why it is slow

    A warp executes both sides one after the other, each with part of its lanes. With two heavy sides, half of
    the machine idles.

    ## Example

    ```cuda
    if (threadIdx.x % 2 == 0) out[i] = expensive(in[i]);
    else                      out[i] = costly(in[i]);
    ```

    ## Use instead

    ```cuda
    if (threadIdx.x / 32 % 2 == 0) out[i] = expensive(in[i]);
    else                           out[i] = costly(in[i]);
    ```

    ## When it does not apply

    When the branch runs seldom next to the rest of the kernel, or the two sides cannot be given to whole warps.
    A thread that works alone is right where what it does cannot be shared.

    ## References

    - CUDA C++ Best Practices Guide, "Branching and Divergence"
    - CUDA C++ Programming Guide, "SIMT Architecture"
    """

    meta = Meta(
        code="CUD301",
        name="warp-divergent-branch",
        summary="the lanes of a warp part at this branch and run its sides one after the other",
        category="divergence",
        severity=Severity.WARNING,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding for each branch."""
        told: set[Span] = set()
        for kernel in unit.kernels:
            for trace, found in _everywhere(unit, kernel):
                if found.branch.span not in told:
                    told.add(found.branch.span)
                    yield self._finding(kernel, trace, found)

    def _finding(self, kernel: Function, trace: Trace, found: DivergentBranch) -> Diagnostic:
        if found.alone:
            few = min(found.taken, found.active - found.taken)
            lanes = "one lane works" if few == 1 else f"{few} lanes work"
            message = f"{lanes} alone in a loop of {found.alone} iterations while the block waits"
            help_text = "share the work among the lanes: a shuffle or tree reduction, a parallel scan"
        else:
            message = (
                f"{found.taken} of {found.active} lanes of a warp take this branch, in {found.rate:.0%} of warps"
            )
            help_text = "let the condition change on warp borders, so that whole warps take one side"
        return self.finding(
            found.branch.span,
            message,
            severity=Severity.INFO if found.alone else None,
            kernel=kernel.name,
            reason=_reason(found),
            help=help_text,
            evidence={
                "divergent_share": round(found.rate, 3),
                "spared_share": round(found.spared, 3),
                "lanes_taken": found.taken,
                "lanes_active": found.active,
                "side_cost": found.cost,
                "kernel_share": round(found.weight, 3),
                "block": list(trace.shape.block),
            },
            notes=(under(trace.shape),),
            confidence=Confidence.MEDIUM if trace.shape.source is ShapeSource.ASSUMED else Confidence.HIGH,
        )


def _reason(found: DivergentBranch) -> str:
    if found.alone:
        return "a warp runs at the pace of its slowest lane, and the block at that of its slowest warp"
    return (
        "a warp runs both sides one after the other, each with part of its lanes: whole warps would spare "
        f"{found.spared:.0%} of that work"
    )


def _everywhere(unit: Unit, kernel: Function) -> Iterator[tuple[Trace, DivergentBranch]]:
    """The branches that part the warps under every launch that comes by, each with the first launch.

    What parts them under one launch only is a guard, against a size that suits the other launches better.
    """
    cost = facts_of(unit.program).cost(kernel.body)
    traces = [t for t in unit.traces(kernel) if _plausible(unit, kernel, t)]
    found = [{f.branch.span: f for f in divergent_branches(t, cost)} for t in traces]
    passed = [{e.span for e in t.events if isinstance(e, Branch)} for t in traces]
    for trace, here in zip(traces, found, strict=True):
        for span, branch in here.items():
            if all(span in other for other, seen in zip(found, passed, strict=True) if span in seen):
                yield trace, branch


def _plausible(unit: Unit, kernel: Function, trace: Trace) -> bool:
    return trace.shape.source is not ShapeSource.ASSUMED or "threadIdx" in built_ins(unit.program, kernel)
