"""`--fix`: apply the fixes of a report's findings in all files that they edit, and report what is left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cudalint.lint.atomic import ChangedError, replace_all
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import SOURCE_SUFFIXES
from cudalint.lint.engine import Engine, Request
from cudalint.lint.fixes import Fixed, FixedFiles, applicable, edits_of, fix_files, identity, worse
from cudalint.lint.fixscope import FixScope
from cudalint.lint.project import Project
from cudalint.lint.recheck import Recheck, found_at, real
from cudalint.lint.report import Report

Accept = Callable[[Diagnostic], bool]

_NUMBER = re.compile(r"\d+")

MAX_MORE = 64
"""Sources that are checked besides those asked for, because they include a header that fixes edit."""


@dataclass(frozen=True, slots=True)
class FixRun:
    """What fixing gave.

    `changed` are the files, `applied` the findings fixed, `refused` those whose fix was taken back, `left_out` how
    many fixes were not tried by (file, reason), `report` is on what is left, `problems` are messages on files that
    could not be written: those are not among `changed`.
    """

    changed: tuple[Fixed, ...]
    applied: tuple[Diagnostic, ...]
    refused: tuple[Diagnostic, ...]
    left_out: Mapping[tuple[str, str], int]
    report: Report
    problems: tuple[str, ...] = ()


def fix_report(
    engine: Engine, request: Request, report: Report, *, unsafe: bool, write: bool, accept: Accept | None = None
) -> FixRun:
    """Fix what can be fixed. Nothing is written when `write` is false, or for standard input.

    A file in which something in kernel code could not be parsed is left alone: its model may be wrong there.
    """
    listed = [f for f in report.findings if applicable(f, unsafe=unsafe)]
    if not listed:
        return FixRun((), (), (), {}, report)
    more, unread = _including(request, report, listed)
    recheck = Recheck(engine, request, report, [found_at(path) for path in more])
    scope = FixScope(engine, request, report, recheck, unread)
    start = recheck.seen({})
    shown = _Shown(report, start.findings)

    def meant(finding: Diagnostic) -> bool:
        known = recheck.reports(finding.filename) and shown.meant(finding)
        return known and applicable(finding, unsafe=unsafe) and (accept is None or accept(finding))

    def wanted(finding: Diagnostic) -> bool:
        return meant(finding) and not scope.problem(finding)[1]

    fixed = fix_files(scope.read, start, recheck.seen, wanted, place=real)
    if worse(fixed.seen, recheck.seen(fixed.contents, thorough=True), ()):
        fixed = fix_files(scope.read, start, partial(recheck.seen, thorough=True), wanted, place=real)
    files, problems = dict(fixed.files), []
    if write and request.stdin is None:
        for group in _groups(fixed, recheck):
            trouble = _written({name: fixed.files[name] for name in group})
            if trouble:
                problems.append(f"{report.path(trouble[0])}: {trouble[1]}")
                files = {name: file for name, file in files.items() if name not in group}
    left = tuple(f for f in recheck.findings({n: f.after for n, f in files.items()}) if shown.visible(f))
    same = {_exact(f): f for f in report.findings if real(f.filename) not in files}
    left_out = Counter(scope.problem(f) for f in left if meant(f))
    names = {real(f.filename): f.filename for f in (*fixed.applied, *report.findings)}
    return FixRun(
        tuple(replace(file, path=names.get(name, name)) for name, file in sorted(files.items())),
        tuple(f for f in fixed.applied if {e.span.file for e in edits_of(f, real)} <= files.keys()),
        fixed.refused,
        {(report.path(name), why): count for (name, why), count in left_out.items() if why},
        _report_on(report, tuple(same.get(_exact(f), f) for f in left), request, fixed),
        tuple(problems),
    )


def _report_on(report: Report, left: tuple[Diagnostic, ...], request: Request, fixed: FixedFiles) -> Report:
    contents = dict(report.contents)
    if request.stdin is not None:
        contents = {
            name: fixed.files[real(name)].after if real(name) in fixed.files else c for name, c in contents.items()
        }
    return report.with_findings(left, contents=contents)


def _including(
    request: Request, report: Report, listed: Sequence[Diagnostic]
) -> tuple[list[str], dict[str, list[str]]]:
    """Sources besides the checked ones that have to be checked with the fixes, and by edited file those too many.

    They are edited themselves, or include a header that is.
    """
    if request.stdin is not None:
        return [], {}
    checked = {real(name) for name in report.files}
    edited = {e.span.file for f in listed for e in edits_of(f, real)}
    more: dict[str, None] = {}
    unread: dict[str, list[str]] = {}
    for name in sorted(edited):
        around = [path for path in (name, *Project(name).including()) if Path(path).suffix in SOURCE_SUFFIXES]
        new = [path for path in map(real, around) if path not in checked and path not in more]
        if len(more) + len(new) > MAX_MORE:
            unread[name] = new
        else:
            more |= dict.fromkeys(new)
    return list(more), unread


class _Shown:
    """Which findings the user sees: a baseline or the like hides others, which are not fixed either."""

    def __init__(self, report: Report, everything: Iterable[Diagnostic]) -> None:
        self._exact = set(map(_exact, report.findings))
        self._hidden = {_roughly(f) for f in everything if _exact(f) not in self._exact}
        self._only_hidden = self._hidden - set(map(_roughly, report.findings))

    def meant(self, finding: Diagnostic) -> bool:
        """Whether a finding, at its place before or after a fix, is surely one of those shown."""
        return _exact(finding) in self._exact or _roughly(finding) not in self._hidden

    def visible(self, finding: Diagnostic) -> bool:
        """Whether a finding is to be reported."""
        return _roughly(finding) not in self._only_hidden


def _exact(finding: Diagnostic) -> tuple[object, ...]:
    return *identity(finding), finding.span.offset


def _roughly(finding: Diagnostic) -> tuple[object, ...]:
    """A finding without the numbers that it tells: lines among them move when fixes are made."""
    file, code, kernel, message = identity(finding)
    return file, code, kernel, _NUMBER.sub("", message)


def _groups(fixed: FixedFiles, recheck: Recheck) -> list[set[str]]:
    """The changed files, in groups that are right only together: what one fix edits, or one source reads."""
    together = [{e.span.file for e in edits_of(f, real)} for f in fixed.applied]
    together += [set(map(real, outcome.files)) & fixed.files.keys() for outcome in recheck.first.values()]
    groups: list[set[str]] = []
    for names in (names & fixed.files.keys() for names in together):
        apart = [group for group in groups if group.isdisjoint(names)]
        joined = names.union(*(group for group in groups if not group.isdisjoint(names)))
        groups = [*apart, joined] if joined else apart
    return groups


def _written(files: Mapping[str, Fixed]) -> tuple[str, str] | None:
    """Write files, all or none; the one at fault and what is wrong with it when none is written."""
    first = next(iter(files))
    try:
        replace_all({Path(name): (file.before, file.after) for name, file in files.items()})
    except ChangedError as error:
        return str(error.path), "has changed since it was checked, and is left as it is"
    except OSError as error:
        return str(error.filename or first), f"cannot be written: {error.strerror or error}"
    return None
