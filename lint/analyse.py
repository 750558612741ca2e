"""Check one file: parse it, run the enabled rules on it, and turn what goes wrong into notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import FileKind
from cudalint.lint.jobs import Job, Outcome, OvertimeError, debug, failure, note
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.project import Project, digest_of, parsed
from cudalint.lint.registry import registry
from cudalint.lint.userfolder import digest

MAX_BYTES = 32 * 1024 * 1024
"""Larger files are data in disguise; reading them would only cost memory."""

_LATE = "all other rules ran; --timeout-per-file gives a file more time"

_MAKE_INCLUDE = re.compile(rb"^[ \t]*[-s]?include[ \t]+(?![(])", re.MULTILINE)


def analyse(job: Job) -> Outcome:
    """Check one file. Never raises on account of the file or of a rule: that becomes a note."""
    data = job.content
    if data is None:
        try:
            data = Path(job.path).read_bytes()
        except OSError as error:
            return failure(job.path, f"cannot be read: {error.strerror or error}")
    problem = unusable(data)
    if problem:
        return failure(job.path, problem)
    return _build_file(job, data) if job.kind is FileKind.BUILD else _source(job, data)


def unusable(data: bytes) -> str:
    """Why content is no source text; empty when it is."""
    if len(data) > MAX_BYTES:
        return f"is too large to check ({len(data) // 2**20} MiB, limit {MAX_BYTES // 2**20} MiB)"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text, which compilers do not read; save it as UTF-8"
    return "is a binary file" if b"\0" in data[:8192] else ""


def _build_file(job: Job, data: bytes) -> Outcome:
    text = data.decode("utf-8", "replace")
    path = Path(job.path)
    rules = registry().build_rules(job.codes)
    checks = {rule.meta.code: partial(rule.check, path, text, job.options) for rule in rules}
    checked = run_checks(job.path, checks)
    # Makefiles are read with what they include; where that leads is not followed here, so nothing is promised.
    inputs = () if _MAKE_INCLUDE.search(data) else ((job.path, digest(data)),)
    return Outcome(job.path, tuple(checked.findings), (job.path,), inputs, complete=not checked.late)


def _source(job: Job, data: bytes) -> Outcome:
    try:
        program = parsed(job.path, job.flags, job.content, dict(job.overlay))
    except Exception as error:
        debug(error)
        return failure(job.path, f"the front end failed ({type(error).__name__}: {error}): please report this")
    own = {} if job.content is None else {job.path: job.content}
    project = Project(job.path, job.flags, {**dict(job.overlay), **own})
    unit = Unit(program, job.options, project)
    checks = {rule.meta.code: partial(rule.check, unit) for rule in registry().source_rules(job.codes)}
    checks |= {rule.meta.code: partial(rule.check_source, unit) for rule in registry().build_rules(job.codes)}
    checked = run_checks(job.path, checks)
    inputs = {job.path: digest(data), **{file: digest(seen) for file, seen in program.files.items()}}
    for place in _consulted(program):
        inputs.setdefault(place, digest_of(place))
    for place, seen in project.inputs:
        inputs.setdefault(place, seen)
    return Outcome(
        job.path,
        tuple(checked.findings),
        tuple(sorted(program.files)),
        tuple(sorted(inputs.items())),
        complete=not checked.late,
    )


def _consulted(program: TranslationUnit) -> Iterator[str]:
    """Places beside the files of a unit that decided how it was read."""
    from cudalint.lint.frontend.headers import consulted, folders_of
    from cudalint.lint.frontend.pch import INCLUDE

    folders = folders_of(program.flags)
    for file, data in program.files.items():
        yield from consulted(file, data, folders, str(INCLUDE))


@dataclass(frozen=True, slots=True)
class Checked:
    """What rules found, and whether time ran out before all of them were done."""

    findings: list[Diagnostic]
    late: bool


def run_checks(path: str, checks: Mapping[str, Callable[[], Iterable[Diagnostic]]]) -> Checked:
    """Run rules, given by code. Rules that fail give one note per kind of failure, and the others go on.

    When time is up (`OvertimeError`), what was found until then is kept, and a note names the rules that it lacks.
    """
    findings: list[Diagnostic] = []
    failed: dict[str, list[str]] = {}
    late: list[str] = []
    for code, check in checks.items():
        if late:
            late.append(code)
            continue
        try:
            findings += list(check())
        except OvertimeError:
            late.append(code)
        except Exception as error:
            debug(error)
            failed.setdefault(f"{type(error).__name__}: {error}", []).append(code)
    for error_text, codes in failed.items():
        message = f"{_rules(codes)} failed on this file ({error_text}): please report this"
        findings.append(note(path, message, "the other rules ran as usual"))
    if late:
        findings.append(note(path, f"took too long to check: {_rules(late)} did not finish", _LATE))
    return Checked(findings, bool(late))


def _rules(codes: Sequence[str]) -> str:
    return f"rule {codes[0]}" if len(codes) == 1 else f"rules {', '.join(codes)}"
