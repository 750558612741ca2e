"""Verify findings: plan, build, run in the worker, judge. Never raises for what a kernel does."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.fixes import apply_edits
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.walk import walk
from cudalint.verify.assume import SIZES, assumed_spec
from cudalint.verify.build import BuildError, nvcc_build, nvrtc_build
from cudalint.verify.commandline import command_line
from cudalint.verify.counters import CountersError, measured, side_by_side
from cudalint.verify.job import Build, Job, Outcome
from cudalint.verify.judge import RACES, judge
from cudalint.verify.plan import NotVerifiableError, Plan, plan_launch
from cudalint.verify.session import Session
from cudalint.verify.spec import Spec, SpecError, from_comment
from cudalint.verify.verdict import Verdict, Verification

MADE_UP_TOTAL = 1 << 31
"""2 GiB in all buffers: more is not needed for a timing on made-up sizes."""

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


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two kernels: `name` is before or after."""

    name: str
    unit: Unit
    plan: Plan


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
        return replace(made, seconds=round(time.monotonic() - begin, 3))

    def _verify(self, finding: Diagnostic, unit: Unit) -> Verification:
        with _ANALYSES:
            before, after = self._planned(finding, unit)
        if [a.nbytes for a in before.plan.args] != [a.nbytes for a in after.plan.args]:
            raise NotVerifiableError("the fix changes the kernel's arguments or their sizes")
        with tempfile.TemporaryDirectory(prefix="cudalint-") as folder:
            outcome, compiler = self._run(finding, before, after, Path(folder))
            made = judge(finding.code, outcome, _described(before.plan, compiler))
            if self._options.counters and not outcome.error:
                made = replace(made, counters=self._counters(finding, before, Path(folder)))
        return made

    def _planned(self, finding: Diagnostic, unit: Unit) -> tuple[_Side, _Side]:
        """The flagged and the fixed kernel, each with its unit and its launch."""
        name = file_in(unit, finding.span.file)
        fixed = fixed_content(finding, unit.program.files.get(name, b""))
        kernel = _kernel(unit, finding)
        changed = self._parse(unit.program.path, {name: fixed})
        spec = self._spec(kernel, unit.program.files.get(kernel.span.file, b""))
        options = self._assumed(unit, spec)
        block = tuple((finding.evidence or {}).get("block") or ()) or None
        own, other = Unit(unit.program, options), Unit(changed, options)
        try:
            before = _Side("before", own, plan_launch(own, kernel, spec, block))
            return before, _Side("after", other, plan_launch(other, _same_kernel(other, kernel), spec))
        except NotVerifiableError:
            if spec is not None or not self._options.assume or _edits_host(own, finding):
                raise
            made = _with_made_up_sizes(own, other, kernel)
            if made is None:
                raise
            return made

    def _counters(self, finding: Diagnostic, side: _Side, folder: Path) -> dict[str, Any]:
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

    def _assumed(self, unit: Unit, spec: Spec | None) -> Options:
        """The unit's options with the command line that the program is taken to be run with."""
        said = spec.argv if spec is not None else None
        argv = self._options.argv or said or command_line(Path(unit.program.path))
        if argv is None:
            return unit.options
        return replace(unit.options, argv=argv)

    def _spec(self, kernel: Function, content: bytes) -> Spec | None:
        lines = content.decode("utf-8", "replace").splitlines()
        first = kernel.span.line - 1
        for line in lines[max(0, first - SPEC_LINES) : first + 1]:
            if (spec := from_comment(line)) is not None:
                return spec
        return (self._options.specs or {}).get(kernel.name)

    def _run(self, finding: Diagnostic, before: _Side, after: _Side, folder: Path) -> tuple[Outcome, str]:
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


def fixed_content(finding: Diagnostic, content: bytes) -> bytes:
    """The file with the finding's fix made. Raises NotVerifiableError when there is nothing to apply."""
    fix = finding.fix
    if fix is None or not fix.edits:
        raise NotVerifiableError("there is no rewrite to compare with: the advice is to be applied by hand")
    if any(e.span.file != finding.span.file or e.span.macro for e in fix.edits):
        raise NotVerifiableError("the fix edits more than this file")
    try:
        return apply_edits(content, fix.edits)
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
    return finding.kernel in {kernel.name, kernel.qualified} or finding.kernel in _called(unit, kernel)


def _called(unit: Unit, kernel: Function) -> set[str]:
    """The names of the functions that a kernel calls, directly or not."""
    names: set[str] = set()
    seen = {kernel.key}
    todo = [kernel]
    while todo:
        body = todo.pop().body
        for node in walk(body) if body is not None else ():
            callee = unit.program.functions.get(node.key or "") if isinstance(node, Call) else None
            if callee is not None and callee.key not in seen:
                seen.add(callee.key)
                names.update((callee.name, callee.qualified))
                todo.append(callee)
    return names


def _edits_host(unit: Unit, finding: Diagnostic) -> bool:
    """Whether the fix changes host code, such as the launch: then sizes cannot be made up for both sides alike."""
    hosts = [f.span for f in unit.program.functions.values() if f.kind is FunctionKind.HOST]
    edits = finding.fix.edits if finding.fix is not None else ()
    return any(h.file == e.span.file and h.offset <= e.span.offset < h.end_offset for h in hosts for e in edits)


def _with_made_up_sizes(own: Unit, other: Unit, kernel: Function) -> tuple[_Side, _Side] | None:
    """Both sides with the largest made-up sizes that fit."""
    for size in SIZES:
        assumed = assumed_spec(own, kernel, size)
        if assumed is None:
            return None
        with suppress(NotVerifiableError):
            before = plan_launch(own, kernel, assumed.spec, assumed=assumed.words)
            after = plan_launch(other, _same_kernel(other, kernel), assumed.spec, assumed=assumed.words)
            if before.moved <= MADE_UP_TOTAL:
                return _Side("before", own, before), _Side("after", other, after)
    return None


def _kernel(unit: Unit, finding: Diagnostic) -> Function:
    """The kernel to run for a finding: its own instance before others. Raises NotVerifiableError."""
    found = launched_kernels(unit, finding) or [k for k in unit.kernels if runs_code_of(unit, k, finding)]
    if not found:
        raise NotVerifiableError(f"no kernel that runs {finding.kernel} was found in this file or beside it")
    return min(found, key=lambda k: (k.synthetic, k.name != finding.kernel))


def _same_kernel(unit: Unit, kernel: Function) -> Function:
    same = [k for k in unit.kernels if k.qualified == kernel.qualified and k.template_args == kernel.template_args]
    if not same:
        raise NotVerifiableError(f"{kernel.name} is no longer found after the fix")
    return same[0]


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
