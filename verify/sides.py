"""The flagged and the fixed kernel, each with its launch: planned alike, on known or on made-up sizes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from cudalint.lint.analysis.rewrite import exchanges_axes
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.verify.assume import SIZES, Assumed, assumed_spec
from cudalint.verify.plan import Plan, plan_launch
from cudalint.verify.spec import Spec
from cudalint.verify.values import NotVerifiableError

MADE_UP_TOTAL = 1 << 31
"""2 GiB in all buffers: more is not needed for a timing on made-up sizes."""

MOST = 1 << 34
"""16 GiB: what the host code itself asks for may be this much."""

CAREFUL_SIZE = 64
"""What unknown integers become when larger ones made the flagged kernel fail."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two kernels: `name` is before or after."""

    name: str
    unit: Unit
    plan: Plan


Sides = tuple[Side, Side]


BUFFERS_ONLY = ("sizes of buffers",)
"""What is assumed where the launch and all numbers are known, but not how large some buffer is."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What is to be planned: the units before and after the fix, and the kernel as it was."""

    finding: Diagnostic
    own: Unit
    other: Unit
    kernel: Function

    def planned(self, spec: Spec | None, *, assume: bool) -> Sides:
        """Both sides with what the host code and the user say, else with made-up sizes where `assume` allows them.

        Raises:
            NotVerifiableError: something is missing.
        """
        said = (self.finding.evidence or {}).get("block")
        block = tuple(said) if isinstance(said, list | tuple) and said else None
        try:
            before = Side("before", self.own, plan_launch(self.own, self.kernel, spec, block))
            return before, Side("after", self.other, plan_launch(self.other, self._fixed(), spec))
        except NotVerifiableError:
            made = self._made_up() if spec is None and assume else None
            if made is None:
                raise
            return made

    def careful(self) -> Sides | None:
        """Both sides with inputs that hardly any kernel trips over."""
        assumed = assumed_spec(self.own, self.kernel, CAREFUL_SIZE)
        if assumed is None or not self._launched_alike():
            return None
        with suppress(NotVerifiableError):
            words = (*assumed.words, "integers in buffers are 0 or 1")
            return self._on(Assumed(assumed.spec, words), careful=True)
        return None

    def _made_up(self) -> Sides | None:
        """Both sides with the largest made-up sizes that fit."""
        large = None
        for size in SIZES if self._launched_alike() else ():
            assumed = assumed_spec(self.own, self.kernel, size)
            if assumed is None:
                return None
            with suppress(NotVerifiableError):
                made = self._on(assumed)
                if made[0].plan.moved <= MADE_UP_TOTAL:
                    return made
                large = made
        return large if large is not None and large[0].plan.moved <= MOST else None

    def _on(self, assumed: Assumed, *, careful: bool = False) -> Sides:
        spec, words = assumed.spec, assumed.words or BUFFERS_ONLY
        before = plan_launch(self.own, self.kernel, spec, assumed=words, careful=careful)
        if self._exchanged() and spec.grid is not None and spec.block is not None:
            (gx, gy, gz), (bx, by, bz) = spec.grid, spec.block
            spec = replace(spec, grid=(gy, gx, gz), block=(by, bx, bz))
        after = plan_launch(self.other, self._fixed(), spec, assumed=words, careful=careful)
        return Side("before", self.own, before), Side("after", self.other, after)

    def _exchanged(self) -> bool:
        edits = self.finding.fix.edits if self.finding.fix is not None else ()
        return exchanges_axes(self.own.program, [(e.span, e.content) for e in edits])

    def _launched_alike(self) -> bool:
        """Whether the launch after the fix follows from the one before: the fix leaves it, or exchanges its axes."""
        return self._exchanged() or not self._edits_host()

    def _edits_host(self) -> bool:
        hosts = [f.span for f in self.own.program.functions.values() if f.kind is FunctionKind.HOST]
        edits = self.finding.fix.edits if self.finding.fix is not None else ()
        return any(h.file == e.span.file and h.offset <= e.span.offset < h.end_offset for h in hosts for e in edits)

    def _fixed(self) -> Function:
        """The kernel after the fix. Raises NotVerifiableError."""
        kernel = self.kernel
        for one in self.other.kernels:
            if one.qualified == kernel.qualified and one.template_args == kernel.template_args:
                return one
        raise NotVerifiableError(f"{kernel.name} is no longer found after the fix")
