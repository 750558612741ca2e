"""`--verify`: attach the verifier's verdicts to the findings of a report."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cudalint.lint.config import ConfigError, Settings
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.engine import Engine, Request
from cudalint.lint.options import CheckOptions
from cudalint.lint.output.write import say
from cudalint.lint.project import Project
from cudalint.lint.report import Report

if TYPE_CHECKING:
    from cudalint.lint.analysis.unit import Unit
    from cudalint.lint.model.program import TranslationUnit
    from cudalint.verify.device import Device
    from cudalint.verify.program_runner import ProgramOptions
    from cudalint.verify.run import Progress, Work
    from cudalint.verify.spec import Spec
    from cudalint.verify.verdict import Verification

PROVEN = frozenset({"faster", "no-gain", "confirmed"})
"""Verdicts of fixes that gave equal results and were not slower, or that removed a fault that was seen."""

CONFIGURED = "configured"
"""As the value of --verify-program: the command that the configuration has."""

DEFAULT_BUDGET = "2s"

IN_PROGRAM = ("CUD1", "CUD2", "CUD4", "CUD503", "CUD504", "CUD8", "CUD9")
"""Codes, or beginnings of codes, whose fixes keep a program's results: those of others are meant to change them."""

_TIME = re.compile(r"^(\d+(?:\.\d+)?)(ms|s|m)?$")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}


def proven(report: Report) -> Callable[[Diagnostic], bool]:
    """Whether a GPU has shown that a finding's fix is right and not slower.

    Findings made anew while fixing carry no verdict: they are known again by what they say.
    """
    shown = {
        (f.code, f.kernel, f.message) for f in report.findings if (f.verification or {}).get("verdict") in PROVEN
    }
    return lambda finding: (finding.code, finding.kernel, finding.message) in shown


def verified(engine: Engine, request: Request, report: Report, options: CheckOptions, top: Settings) -> Report:
    """The report with a verdict on every finding in a kernel. Without a GPU: one line says so, nothing changes.

    With `--verify-program`, findings that cannot be run apart are run in their program, and so is host code.

    Raises:
        ConfigError: an option's value cannot be used.
    """
    from cudalint.verify.device import devices, missing

    program = _program(options, top)
    problem = missing()
    if problem and not (program and devices()):
        say(f"warning: nothing was verified: {problem}")
        return report
    chosen = _chosen(devices(), options.verify_device)
    units = _Units(engine, request, report)
    work = list(units.work())
    store = None if options.no_cache else engine.cache_folder(Path.cwd() / "any.cu") / "verify"
    verdicts = {} if problem else _apart(work, engine, request, report, options, top, chosen, store)
    if program:
        verdicts = _inside([*work, *units.host_work()], verdicts, program, options, chosen, store)
    findings = tuple(
        replace(f, verification=verdicts[i].as_json()) if i in verdicts else f for i, f in enumerate(report.findings)
    )
    if not options.quiet:
        _summarise(list(verdicts.values()), chosen)
    return report.with_findings(findings)


def _apart(
    work: Sequence[Work],
    engine: Engine,
    request: Request,
    report: Report,
    options: CheckOptions,
    top: Settings,
    chosen: list[Device],
    store: Path | None,
) -> dict[int, Verification]:
    """Verdicts by running kernels alone, on inputs that are made up."""
    from cudalint.verify.run import verify_all
    from cudalint.verify.verifier import VerifyOptions

    settings = VerifyOptions(
        budget_s=_budget(options),
        compiler=options.verify_compiler,
        specs=_specs(top),
        counters=options.counters,
        argv=("program", *shlex.split(options.verify_argv)) if options.verify_argv is not None else None,
    )

    def parse(path: str, contents: Mapping[str, bytes]) -> TranslationUnit:
        return engine.unit(Path(path), request, {**report.contents, **contents}).program

    return verify_all(work, parse, settings, chosen, store=store, progress=_progress(options.quiet))


def _inside(
    work: Sequence[Work],
    apart: Mapping[int, Verification],
    program: ProgramOptions,
    options: CheckOptions,
    chosen: list[Device],
    store: Path | None,
) -> dict[int, Verification]:
    """The verdicts with those added, or put in place of others, that the user's program gives."""
    from cudalint.verify.program_all import better, needs_program, verify_programs

    todo = [
        item
        for item in work
        if item.finding.fix
        and item.finding.code.startswith(IN_PROGRAM)
        and needs_program(item, apart.get(item.index))
    ]
    found = verify_programs(todo, program, chosen, store=store, progress=_progress(options.quiet))
    return {**apart, **{index: better(apart.get(index), made) for index, made in found.items()}}


def _program(options: CheckOptions, top: Settings) -> ProgramOptions | None:
    """How to run the user's program, when the command line asks for it: a configuration alone never does."""
    from cudalint.lint.userfolder import user_folder

    command, folder = options.verify_program, options.verify_program_folder
    if command is None:
        return None
    if command == CONFIGURED:
        command = top.verify.get("program")
        folder = folder or top.verify.get("program-folder")
        if not isinstance(command, str):
            raise ConfigError(f"--verify-program {CONFIGURED}: the configuration has no verify.program")
        folder = str(top.root / folder) if folder else None
    if not command.strip():
        raise ConfigError("--verify-program: expected a command, such as 'make run'")
    if folder and not Path(folder).is_dir():
        raise ConfigError(f"--verify-program-folder {folder}: no such folder")
    from cudalint.verify.program_runner import ProgramOptions

    limit = options.verify_program_timeout or str(top.verify.get("program-timeout", "5m"))
    return ProgramOptions(
        command,
        cache=user_folder() / "verify",
        folder=Path(folder) if folder else None,
        limit_s=_seconds(limit, "--verify-program-timeout"),
        budget_s=_budget(options),
    )


class _Units:
    """The units of the files that findings are in, or of a file that includes such a file and launches the kernel.

    Launches of a kernel that is compiled apart are found by its own unit (`Unit.elsewhere`).
    """

    def __init__(self, engine: Engine, request: Request, report: Report) -> None:
        self._engine = engine
        self._request = request
        self._report = report
        self._made: dict[Path, Unit] = {}

    def work(self) -> Iterator[Work]:
        """Every finding in a kernel with the unit to run it from."""
        from cudalint.verify.run import Work

        for index, finding in enumerate(self._report.findings):
            if finding.kernel is not None:
                yield Work(index, finding, self._unit_for(finding))

    def host_work(self) -> Iterator[Work]:
        """Every finding in host code whose fix may change how long a program takes."""
        from cudalint.verify.program_host import HOST_RULES
        from cudalint.verify.run import Work

        for index, finding in enumerate(self._report.findings):
            if finding.code in HOST_RULES:
                yield Work(index, finding, self._unit(Path(finding.filename)))

    def _unit_for(self, finding: Diagnostic) -> Unit:
        """The unit that launches a kernel with the finding's code, else one that has such a kernel."""
        from cudalint.verify.verifier import file_in, launched_kernels, runs_code_of

        own = Path(finding.filename)
        unlaunched = None
        around = (Path(p) for p in Project(str(own)).including())
        for path in (own, *(p for p in around if p.suffix == ".cu")):
            unit = self._unit(path)
            if file_in(unit, finding.filename) not in unit.program.files:
                continue
            if launched_kernels(unit, finding):
                return unit
            if unlaunched is None and any(runs_code_of(unit, k, finding) for k in unit.kernels):
                unlaunched = unit
        return unlaunched or self._unit(own)

    def _unit(self, path: Path) -> Unit:
        if path not in self._made:
            self._made[path] = self._engine.unit(path, self._request, self._report.contents)
        return self._made[path]


def _specs(top: Settings) -> dict[str, Spec]:
    """What the configuration says about single kernels: [tool.cudalint.verify.kernels.NAME]."""
    from cudalint.verify.spec import SpecError, from_items

    specs = {}
    for name, table in dict(top.verify.get("kernels", {})).items():
        try:
            specs[name] = from_items(table)
        except (SpecError, AttributeError, TypeError) as error:
            raise ConfigError(f"{top.source}: verify.kernels.{name}: {error}") from None
    return specs


def _chosen(found: list[Device], wanted: str | None) -> list[Device]:
    if wanted is None:
        return found
    try:
        numbers = {int(part) for part in wanted.split(",")}
    except ValueError:
        raise ConfigError(f"--verify-device {wanted}: expected device numbers, such as 0 or 0,1") from None
    chosen = [device for device in found if device.index in numbers]
    if len(chosen) != len(numbers):
        raise ConfigError(f"--verify-device {wanted}: there are {len(found)} devices, numbered from 0")
    return chosen


def _budget(options: CheckOptions) -> float:
    """Seconds for each finding's timing."""
    return _seconds(options.verify_budget or DEFAULT_BUDGET, "--verify-budget")


def _seconds(text: str, option: str) -> float:
    parsed = _TIME.match(text)
    if parsed is None:
        raise ConfigError(f"{option} {text}: expected a time such as 5s or 500ms")
    return float(parsed[1]) * _UNITS[parsed[2]]


def _progress(quiet: bool) -> Progress | None:
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int, finding: Diagnostic, made: Verification) -> None:
        what = f"{finding.code} in {finding.kernel or 'host code'}: {made.verdict.value}"
        say(f"verified {done}/{total}: {what} ({made.seconds:.1f} s)")

    return show


def _summarise(verdicts: list[Verification], chosen: list[Device]) -> None:
    counts = Counter(made.verdict.value for made in verdicts)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    names = ", ".join(sorted({device.name for device in chosen}))
    say(f"Verified on {names}: {listed or 'no finding in a kernel'}")
