"""`--verify`: attach the verifier's verdicts to the findings of a report."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cudalint.lint.config import ConfigError
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.engine import Engine, Request
from cudalint.lint.options import CheckOptions
from cudalint.lint.output.write import say
from cudalint.lint.report import Report

if TYPE_CHECKING:
    from cudalint.lint.discovery import Found
    from cudalint.lint.model.program import TranslationUnit
    from cudalint.verify.device import Device
    from cudalint.verify.run import Progress, Work
    from cudalint.verify.verdict import Verification

PROVEN = frozenset({"faster", "no-gain", "confirmed"})
"""Verdicts of fixes that gave equal results and were not slower, or that removed a fault that was seen."""

_TIME = re.compile(r"^(\d+(?:\.\d+)?)(ms|s|m)?$")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}


def proven(finding: Diagnostic) -> bool:
    """Whether a GPU has shown that the finding's fix is right and not slower."""
    return (finding.verification or {}).get("verdict") in PROVEN


def verified(engine: Engine, request: Request, report: Report, options: CheckOptions) -> Report:
    """The report with a verdict on every finding in a kernel. Without a GPU: one line says so, nothing changes.

    Raises:
        ConfigError: an option's value cannot be used.
    """
    from cudalint.verify.device import devices, missing

    problem = missing()
    if problem:
        say(f"warning: nothing was verified: {problem}")
        return report
    from cudalint.verify.run import verify_all
    from cudalint.verify.verifier import VerifyOptions

    chosen = _chosen(devices(), options.verify_device)
    settings = VerifyOptions(
        budget_s=_seconds(options.verify_budget) if options.verify_budget else VerifyOptions().budget_s,
        compiler=options.verify_compiler,
        counters=options.counters,
        argv=("program", *shlex.split(options.verify_argv)) if options.verify_argv is not None else None,
    )
    files = {str(file.path): file for file in engine.find(request).files}
    work = _work(engine, request, report, files)

    def parse(path: str, content: bytes) -> TranslationUnit:
        return engine.unit(files[path], request, content).program

    store = None if options.no_cache else engine.cache_folder(Path.cwd() / "any.cu") / "verify"
    verdicts = verify_all(work, parse, settings, chosen, store=store, progress=_progress(options.quiet))
    findings = tuple(
        replace(f, verification=verdicts[i].as_json()) if i in verdicts else f for i, f in enumerate(report.findings)
    )
    if not options.quiet:
        _summarise(list(verdicts.values()), chosen)
    return report.with_findings(findings)


def _work(engine: Engine, request: Request, report: Report, files: dict[str, Found]) -> list[Work]:
    from cudalint.verify.run import Work

    units = {}
    work = []
    for index, finding in enumerate(report.findings):
        file = files.get(finding.filename)
        if finding.kernel is None or file is None:
            continue
        if finding.filename not in units:
            units[finding.filename] = engine.unit(file, request, report.contents.get(finding.filename))
        work.append(Work(index, finding, units[finding.filename]))
    return work


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


def _seconds(text: str) -> float:
    parsed = _TIME.match(text)
    if parsed is None:
        raise ConfigError(f"--verify-budget {text}: expected a time such as 5s or 500ms")
    return float(parsed[1]) * _UNITS[parsed[2]]


def _progress(quiet: bool) -> Progress | None:
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int, finding: Diagnostic, made: Verification) -> None:
        what = f"{finding.code} in {finding.kernel}: {made.verdict.value}"
        say(f"verified {done}/{total}: {what} ({made.seconds:.1f} s)")

    return show


def _summarise(verdicts: list[Verification], chosen: list[Device]) -> None:
    counts = Counter(made.verdict.value for made in verdicts)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    names = ", ".join(sorted({device.name for device in chosen}))
    say(f"Verified on {names}: {listed or 'no finding in a kernel'}")
