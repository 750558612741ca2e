"""Verify findings: plan, build, run in the worker, judge. Never raises for what a kernel does."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Edit
from cudalint.lint.fixes import apply_edits
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.verify.build import BuildError, nvcc_build, nvrtc_build
from cudalint.verify.calls import reached
from cudalint.verify.commandline import command_line
from cudalint.verify.counters import CountersError, measured, side_by_side
from cudalint.verify.job import Build, Job, Outcome
from cudalint.verify.judge import RACES, judge
from cudalint.verify.plan import NotVerifiableError, Plan, plan_doubts
from cudalint.verify.session import Session
from cudalint.verify.sides import Pair, Side, Sides
from cudalint.verify.spec import Spec, SpecError, from_comment
from cudalint.verify.verdict import Verdict, Verification

SPEC_LINES = 3
"""A verify comment stands at most this many lines above the kernel."""

Parse = Callable[[str, Mapping[str, bytes]], TranslationUnit]


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Settings of a verification run. `compiler` is auto (NVRTC, then nvcc), nvrtc or nvcc.

    `assume` makes up the sizes that neither the host code nor the user tells.
    """

    budget_s: float = 2.0
    device: int = 0
    compiler: str = "auto"
    seeds: int = 3
    specs: Mapping[str, Spec] | None = None
    argv: tuple[str, ...] | None = None
    counters: bool = False
    assume: bool = True


_ANALYSES = threading.Lock()
"""Parsing and the analyses keep state of their own: one thread at a time. GPUs and compilers run beside it."""


class Verifier:
    """Verifies findings one after another with one worker.

    `parse` makes the model of a file, with other contents for the files that are given by name.
    """

    def __init__(self, parse: Parse, options: VerifyOptions, session: Session) -> None:
        self._parse = parse
        self._options = options
        self._session = session

    def verify(self, finding: Diagnostic, unit: Unit) -> Verification:
        """The verdict on one finding of this unit; `not-verifiable` or `failed` with the reason at worst."""
        begin = time.monotonic()
        try:
            made = self._verify(finding, unit)
        except (NotVerifiableError, SpecError) as reason:
            made = Verification(Verdict.NOT_VERIFIABLE, str(reason))
        except OSError as error:
            made = Verification(Verdict.FAILED, f"the sources could not be written: {error}")
        except Exception as error:  # one finding must not end the run of the others
            failure = f"verification itself failed ({type(error).__name__}: {error}): please report this"
            made = Verification(Verdict.NOT_VERIFIABLE, failure)
        return replace(made, seconds=round(time.monotonic() - begin, 3))

    def _verify(self, finding: Diagnostic, unit: Unit) -> Verification:
        with _ANALYSES:
            pair, (before, after) = self._planned(finding, unit)
        with tempfile.TemporaryDirectory(prefix="cudalint-") as folder:
            outcome, compiler = self._run(finding, before, after, Path(folder))
            if (_tripped(outcome) or _unsteady(outcome)) and self._options.assume:
                with _ANALYSES:
                    careful = pair.careful()
                if careful is not None:
                    second, other = self._run(finding, *careful, Path(folder) / "careful")
                    if _tripped(outcome) or not (_tripped(second) or _unsteady(second)):
                        (before, after), outcome, compiler = careful, second, other
            with _ANALYSES:
                doubts = plan_doubts(before.unit, before.plan) if _unsteady(outcome) else ()
            made = judge(finding.code, outcome, _described(before.plan, compiler), doubts)
            if self._options.counters and not outcome.error:
                made = replace(made, counters=self._counters(finding, before, Path(folder)))
        return made

    def _planned(self, finding: Diagnostic, unit: Unit) -> tuple[Pair, Sides]:
        """The flagged and the fixed kernel, each with its unit and its launch."""
        changed = self._parse(unit.program.path, fixed_contents(finding, unit))
        kernel = _kernel(unit, finding)
        spec = self._spec(kernel, unit.program.files.get(kernel.span.file, b""))
        reasons = []
        for assume in dict.fromkeys((False, self._options.assume)):
            for argv in self._command_lines(unit, spec):
                options = replace(unit.options, argv=argv)
                flagged, fixed = (Unit(program, options, unit.elsewhere) for program in (unit.program, changed))
                pair = Pair(finding, flagged, fixed, kernel)
                try:
                    before, after = pair.planned(spec, assume=assume)
                except NotVerifiableError as error:
                    reasons.append(error)
                    continue
                if [a.nbytes for a in before.plan.args] != [a.nbytes for a in after.plan.args]:
                    raise NotVerifiableError("the fix changes the kernel's arguments or their sizes")
                return pair, (before, after)
        raise reasons[0]

    def _counters(self, finding: Diagnostic, side: Side, folder: Path) -> dict[str, Any]:
        """Predicted beside measured counters of the flagged kernel; the reason where they cannot be read."""
        with _ANALYSES:
            traces = side.unit.traces(side.plan.kernel)
            trace = next((t for t in traces if t.shape.block == side.plan.block), None)
            build = nvrtc_build(side.unit.program, side.plan, folder / "counters")
        if trace is None:
            return {"error": "the kernel has no trace for this launch"}
        try:
            return dict(side_by_side(trace, measured(self._job(finding, side.plan, [build, build]))))
        except CountersError as error:
            return {"error": str(error)}

    def _command_lines(self, unit: Unit, spec: Spec | None) -> list[tuple[str, ...]]:
        """The command lines that the program is taken to be run with, the likeliest first."""
        said = spec.argv if spec is not None else None
        argv = self._options.argv or said or command_line(Path(unit.program.path))
        return [argv] if argv is not None else [unit.options.argv, ("program",)]

    def _spec(self, kernel: Function, content: bytes) -> Spec | None:
        lines = content.decode("utf-8", "replace").splitlines()
        first = kernel.span.line - 1
        for line in lines[max(0, first - SPEC_LINES) : first + 1]:
            if (spec := from_comment(line)) is not None:
                return spec
        return (self._options.specs or {}).get(kernel.name)

    def _run(self, finding: Diagnostic, before: Side, after: Side, folder: Path) -> tuple[Outcome, str]:
        """Run with NVRTC, and again with nvcc when NVRTC cannot build the sources."""
        choice = self._options.compiler
        outcome = Outcome(error="no compiler was tried", stage="build")
        if choice in {"auto", "nvrtc"}:
            with _ANALYSES:
                built = [nvrtc_build(s.unit.program, s.plan, folder / s.name) for s in (before, after)]
            outcome = self._session.run(self._job(finding, before.plan, built))
        if outcome.stage not in {"build", "load"} or choice == "nvrtc":
            return outcome, "nvrtc"
        try:
            built = [nvcc_build(s.unit.program, s.plan, folder / f"nvcc-{s.name}") for s in (before, after)]
        except BuildError as error:
            reason = f"NVRTC: {outcome.error}; nvcc: {error}" if choice == "auto" else str(error)
            return Outcome(error=reason, stage="build"), "nvcc"
        return self._session.run(self._job(finding, before.plan, built)), "nvcc"

    def _job(self, finding: Diagnostic, plan: Plan, sides: list[Build]) -> Job:
        options = self._options
        mode = "race" if finding.code in RACES else "compare"
        return Job(
            sides[0],
            sides[1],
            plan.args,
            mode=mode,
            seeds=options.seeds,
            budget_s=options.budget_s,
            device=options.device,
        )


def fixed_contents(finding: Diagnostic, unit: Unit) -> dict[str, bytes]:
    """The files that the finding's fix edits, with the fix made.

    Raises:
        NotVerifiableError: there is nothing to apply, or not to files of this unit.
    """
    fix = finding.fix
    if fix is None or not fix.edits:
        raise NotVerifiableError("there is no rewrite to compare with: the advice is to be applied by hand")
    edits: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        edits.setdefault(file_in(unit, edit.span.file), []).append(edit)
    if any(e.span.macro for e in fix.edits) or not edits.keys() <= unit.program.files.keys():
        raise NotVerifiableError("the fix edits a macro, or a file that is not part of this program")
    try:
        return {name: apply_edits(unit.program.files[name], own) for name, own in edits.items()}
    except ValueError as error:
        raise NotVerifiableError(str(error)) from None


def file_in(unit: Unit, name: str) -> str:
    """The unit's own name for a file, which may be spelled through another folder."""
    wanted = Path(name).resolve()
    return next((own for own in unit.program.files if own == name or Path(own).resolve() == wanted), name)


def launched_kernels(unit: Unit, finding: Diagnostic) -> list[Function]:
    """The kernels that this unit launches and that run the code of a finding: it, or what calls its function."""
    launched = {site.launch.key for site in unit.program.launches}
    return [k for k in unit.kernels if k.key in launched and not k.synthetic and runs_code_of(unit, k, finding)]


def runs_code_of(unit: Unit, kernel: Function, finding: Diagnostic) -> bool:
    """Whether a kernel is the finding's, or calls the function that the finding is in."""
    return any(finding.kernel in {f.name, f.qualified} for f in reached(unit.program, kernel))


def _kernel(unit: Unit, finding: Diagnostic) -> Function:
    """The kernel to run for a finding: its own instance before others. Raises NotVerifiableError."""
    found = launched_kernels(unit, finding) or [k for k in unit.kernels if runs_code_of(unit, k, finding)]
    if not found:
        raise NotVerifiableError(f"no kernel that runs {finding.kernel} was found in this file or beside it")
    return min(found, key=lambda k: (k.synthetic, k.name != finding.kernel))


def _tripped(outcome: Outcome) -> bool:
    """Whether the flagged kernel could not take its inputs, or took too long on them."""
    late = outcome.stage == "hang" and "flagged" in outcome.error
    return late or "flagged kernel failed" in outcome.error or outcome.out_of_bounds.startswith("the flagged kernel")


def _unsteady(outcome: Outcome) -> bool:
    """Whether results vary from run to run so that nothing can be said."""
    return outcome.fixed_varies or outcome.strangers > 0


def _described(plan: Plan, compiler: str) -> Verification:
    """What was run, before there is a verdict."""
    return Verification(
        Verdict.FAILED,
        "",
        compiler=compiler,
        launch=f"{plan.kernel.name}{plan.launch}",
        inputs=plan.described,
        bytes_moved=plan.moved,
    )
