"""`--fix`: apply the fixes of a report's findings file by file, and report what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import Found
from cudalint.lint.engine import Engine, Request
from cudalint.lint.fixes import Fixed, applicable, fix_content, write_atomically
from cudalint.lint.report import NOTE_CODE, Report

Accept = Callable[[Diagnostic], bool]


@dataclass(frozen=True, slots=True)
class FixRun:
    """The files that fixes change, the report on what is left, and messages on files that cannot be written."""

    changed: tuple[Fixed, ...]
    report: Report
    problems: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many findings were fixed."""
        return sum(len(fixed.applied) for fixed in self.changed)


def fix_report(
    engine: Engine, request: Request, report: Report, *, unsafe: bool, write: bool, accept: Accept | None = None
) -> FixRun:
    """Fix what can be fixed. Nothing is written when `write` is false, or for standard input.

    A file in which something in kernel code could not be parsed is left alone: its model may be wrong there.
    """
    changed = [fixed for fixed in _fixed(engine, request, report, unsafe, accept) if fixed.changed]
    problems = []
    if write and request.stdin is None:
        for fixed in changed:
            try:
                write_atomically(Path(fixed.path), fixed.after)
            except OSError as error:
                problems.append(f"{report.path(fixed.path)}: cannot be written: {error.strerror or error}")
    left = {fixed.path: fixed.remaining for fixed in changed}
    findings = [f for f in report.findings if f.filename not in left]
    findings += [f for remaining in left.values() for f in remaining]
    contents = {**report.contents, **{fixed.path: fixed.after for fixed in changed}}
    ordered = tuple(sorted(findings, key=lambda f: f.sort_key))
    return FixRun(tuple(changed), report.with_findings(ordered, contents=contents), tuple(problems))


def _fixed(engine: Engine, request: Request, report: Report, unsafe: bool, accept: Accept | None) -> Iterator[Fixed]:
    unparsed = {f.filename for f in report.findings if f.code == NOTE_CODE and (f.evidence or {}).get("in_kernel")}
    for file in engine.find(request).files:
        name = str(file.path)
        mine = [f for f in report.findings if f.filename == name and applicable(f, unsafe=unsafe)]
        if not mine or name in unparsed:
            continue
        content = report.contents[name] if name in report.contents else file.path.read_bytes()

        lint = partial(_lint, engine, request, file)
        yield fix_content(name, content, lint, unsafe=unsafe, accept=accept)


def _lint(engine: Engine, request: Request, file: Found, content: bytes) -> tuple[Diagnostic, ...]:
    return engine.check_content(file, content, request)
