"""The flagged and the fixed kernel, each with its launch: planned alike, on known or on made-up sizes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from cudalint.lint.analysis.rewrite import exchanges_axes
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.types import RecordType
from cudalint.verify.assume import FEWER, SIZES, Assumed, Choice, assumed_spec, other_choices
from cudalint.verify.plan import Plan, launch_misfits, plan_launch
from cudalint.verify.spec import Spec
from cudalint.verify.values import NotVerifiableError

MADE_UP_TOTAL = 1 << 31
"""2 GiB in all buffers: more is not needed for a timing on made-up sizes."""

MOST = 1 << 34
"""16 GiB: what the host code itself asks for may be this much."""

MAX_CHOICES = 12
"""Other made-up sizes that are tried where the first do not fit each other."""

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


CAREFULLY = ("integers in buffers are 0 or 1",)


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
        if not self._launched_alike():
            return None
        for records in reversed(FEWER):  # small numbers in records are the kinds and counts that a kernel knows
            with suppress(NotVerifiableError):
                return self._fitting(Choice(CAREFUL_SIZE, records), careful=True)
        return None

    def _made_up(self) -> Sides | None:
        """Both sides with the largest made-up sizes that fit."""
        large = None
        for choice in self._choices() if self._launched_alike() else ():
            with suppress(NotVerifiableError):
                made = self._fitting(choice)
                if made is None or made[0].plan.moved <= MADE_UP_TOTAL:
                    return made
                large = made if large is None or made[0].plan.moved < large[0].plan.moved else large
        return large if large is not None and large[0].plan.moved <= MOST else None

    def _choices(self) -> list[Choice]:
        """Sizes to make up, the largest first; smaller ones in records only where there are records."""
        records = FEWER if any(isinstance(p.type, RecordType) for p in self.kernel.params) else FEWER[:1]
        return [Choice(size, few) for few in records for size in SIZES]

    def _fitting(self, choice: Choice, *, careful: bool = False) -> Sides | None:
        """Both sides on made-up sizes that fit each other, as far as such are found near a choice."""
        assumed = assumed_spec(self.own, self.kernel, choice)
        if assumed is None:
            return None
        made = self._on(assumed, careful=careful)
        if launch_misfits(self.own, self.kernel, assumed.spec, records=assumed.records):
            for other in islice(other_choices(self.own, self.kernel, choice), MAX_CHOICES):
                better = assumed_spec(self.own, self.kernel, other)
                with suppress(NotVerifiableError):
                    if better and not launch_misfits(self.own, self.kernel, better.spec, records=better.records):
                        sides = self._on(better, careful=careful)
                        if sides[0].plan.moved <= MADE_UP_TOTAL:
                            return sides
        return made

    def _on(self, assumed: Assumed, *, careful: bool = False) -> Sides:
        spec, records = assumed.spec, assumed.records
        words = (*assumed.words, *CAREFULLY) if careful else assumed.words or BUFFERS_ONLY
        before = plan_launch(self.own, self.kernel, spec, assumed=words, records=records, careful=careful)
        if self._exchanged() and spec.grid is not None and spec.block is not None:
            (gx, gy, gz), (bx, by, bz) = spec.grid, spec.block
            spec = replace(spec, grid=(gy, gx, gz), block=(by, bx, bz))
        after = plan_launch(self.other, self._fixed(), spec, assumed=words, records=records, careful=careful)
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
