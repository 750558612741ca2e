"""Which lines changed since a git revision."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.report import Report

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class GitError(Exception):
    """git could not say what changed."""


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from error
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise GitError(f"git {arguments[0]}: {reason}")
    return done.stdout


def changed_lines(folder: Path, reference: str) -> dict[str, list[range]]:
    """By absolute path, the line ranges that differ from a revision in the working tree; new files are whole.

    Raises:
        GitError: the folder is in no repository, or the revision does not exist.
    """
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip()).resolve()
    # Everything that the user's configuration could change about the format is fixed here.
    text = _git(
        top, "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-renames", "--unified=0",
        "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", reference, "--",
    )  # fmt: skip
    lines: dict[str, list[range]] = {}
    current: list[range] = []
    for line in text.splitlines():
        if line.startswith("+++ "):
            current = lines.setdefault(str(top / line[6:].rstrip("\t")), []) if line.startswith("+++ b/") else []
        elif match := _HUNK.match(line):
            first, count = int(match[1]), int(match[2] if match[2] is not None else 1)
            current.append(range(first, first + count))
    for name in _git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0"):
        if name:
            lines[str(top / name)] = [range(1, 2**31)]
    return lines


def on_changed_lines(report: Report, folder: Path, reference: str) -> Report:
    """The report with the findings that touch a changed line.

    Raises:
        GitError: git cannot tell.
    """
    lines = changed_lines(folder, reference)

    def touches(finding: Diagnostic) -> bool:
        first, last = finding.span.line, max(finding.span.line, finding.span.end_line)
        return any(part.start <= last and first < part.stop for part in lines.get(finding.filename, ()))

    return report.with_findings(tuple(finding for finding in report.findings if touches(finding)))
