"""CUD301 warp-divergent-branch."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.divergence import FEW_LANES, DivergentBranch, divergent_branches
from cudalint.lint.analysis.races_report import built_ins
from cudalint.lint.analysis.trace import ShapeSource, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule


class WarpDivergentBranch(SourceRule):
    """A branch that parts the lanes of nearly every warp, with work on its sides.

    ## What it does

    Executes the kernel and counts, warp by warp, how often the lanes part at a branch. Reported are branches
    whose condition follows from the thread index, that part a good share of the warps in the middle of the
    grid, and whose sides are too long to be replaced by predicated instructions: odd and even lanes with work
    of their own, or one lane that works alone while its warp waits. A condition that changes on warp borders
    (`threadIdx.x < 64`) parts no warp, and a bounds guard parts only the warps on the border of the grid:
    neither is reported. Conditions on loaded data are not judged.

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
            for trace in unit.traces(kernel):
                if not _plausible(unit, kernel, trace):
                    continue
                for found in divergent_branches(trace):
                    if found.branch.span not in told:
                        told.add(found.branch.span)
                        yield self._finding(kernel, trace, found)

    def _finding(self, kernel: Function, trace: Trace, found: DivergentBranch) -> Diagnostic:
        few = min(found.taken, found.active - found.taken) if found.two_sided else _workers(found)
        if few <= FEW_LANES and not found.two_sided:
            lanes = "one lane" if few == 1 else f"{few} lanes"
            message = f"{lanes} of the warp works alone here while the other {found.active - few} wait"
            help_text = "share the work among the lanes: a shuffle or tree reduction, a parallel scan"
        else:
            message = f"{found.taken} of {found.active} lanes of a warp take this branch in {found.rate:.0%} of warps"
            help_text = "let the condition change on warp borders, so that whole warps take one side"
        return self.finding(
            found.branch.span,
            message,
            kernel=kernel.name,
            reason="a warp runs both sides one after the other, each with part of its lanes",
            help=help_text,
            evidence={
                "divergent_share": round(found.rate, 3),
                "lanes_taken": found.taken,
                "lanes_active": found.active,
                "side_cost": found.cost,
                "block": list(trace.shape.block),
            },
            notes=(under(trace.shape),),
            confidence=Confidence.MEDIUM if trace.shape.source is ShapeSource.ASSUMED else Confidence.HIGH,
        )


def _workers(found: DivergentBranch) -> int:
    """The lanes on the dear side."""
    branch = found.branch
    return found.taken if branch.then_cost >= branch.else_cost else found.active - found.taken


def _plausible(unit: Unit, kernel: Function, trace: Trace) -> bool:
    return trace.shape.source is not ShapeSource.ASSUMED or "threadIdx" in built_ins(unit.program, kernel)
