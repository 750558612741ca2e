"""A file of known findings, so that a project can start with what is new.

A finding is known by its rule, its file and the text of its line, not by the line's number; the file counts how
often each stands there.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.report import NOTE_CODE, Report

FORMAT = 1


class BaselineError(Exception):
    """The baseline cannot be read or written."""


def _key(report: Report, finding: Diagnostic, folder: Path) -> tuple[str, str, str]:
    lines = report.lines(finding.filename)
    text = lines[finding.span.line - 1].strip() if 0 < finding.span.line <= len(lines) else ""
    path = Path(finding.filename)
    name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
    return finding.code, name, hashlib.sha256(text.encode()).hexdigest()[:16]


def write(path: Path, report: Report) -> int:
    """List the report's findings in a file; returns how many. Paths are relative to the file's folder.

    Raises:
        BaselineError: the file cannot be written.
    """
    folder = path.resolve().parent
    counts = Counter(_key(report, finding, folder) for finding in report.faults)
    rows = [
        {"code": code, "file": name, "line_hash": line_hash, "count": count}
        for (code, name, line_hash), count in sorted(counts.items())
    ]
    try:
        path.write_text(json.dumps({"version": FORMAT, "findings": rows}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BaselineError(f"cannot write {path}: {error.strerror}") from error
    return counts.total()


def read(path: Path) -> Counter[tuple[str, str, str]]:
    """The known findings with their counts.

    Raises:
        BaselineError: the file cannot be read, or was not written by `write`.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != FORMAT:
            raise BaselineError(f"{path}: baseline of version {data['version']}, expected {FORMAT}")
        return Counter({(row["code"], row["file"], row["line_hash"]): int(row["count"]) for row in data["findings"]})
    except OSError as error:
        raise BaselineError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BaselineError(f"{path}: not a baseline file ({type(error).__name__}: {error})") from error


def without_known(report: Report, path: Path) -> tuple[Report, int]:
    """The report without the findings of a baseline, and how many entries of it no longer occur.

    Raises:
        BaselineError: the file cannot be read.
    """
    known = read(path)
    folder = path.resolve().parent
    kept = tuple(_unknown(report, report.findings, known, folder))
    return report.with_findings(kept), known.total()


def _unknown(
    report: Report, findings: Iterable[Diagnostic], known: Counter[tuple[str, str, str]], folder: Path
) -> Iterable[Diagnostic]:
    for finding in findings:
        key = _key(report, finding, folder)
        if finding.code != NOTE_CODE and known[key] > 0:
            known[key] -= 1
        else:
            yield finding
