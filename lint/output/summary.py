"""The closing lines of the formats that people read."""

from __future__ import annotations

import json
from collections import Counter

from cudalint.lint.diagnostics import Applicability, Severity
from cudalint.lint.fixes import applicable
from cudalint.lint.output.style import SEVERITY_COLOR, Painter
from cudalint.lint.report import Report


def plural(count: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def summary(report: Report, paint: Painter) -> str:
    """How much was found, and how much of it can be fixed; empty when no file was checked."""
    files = plural(len(report.files), "file")
    notes = f"; {plural(len(report.notes), 'note')} on what could not be read" if report.notes else ""
    if not report.files:
        return ""
    if not report.faults:
        return f"No findings in {files}{notes}" if notes else paint(f"All clear: no findings in {files}", "green")
    counts = Counter(finding.severity for finding in report.faults)
    parts = [
        paint(
            plural(counts[severity], str(severity)) if severity is not Severity.INFO else f"{counts[severity]} info",
            SEVERITY_COLOR[severity],
        )
        for severity in sorted(Severity, reverse=True)
        if counts[severity]
    ]
    found = f"Found {plural(len(report.faults), 'finding')} ({', '.join(parts)}) in {files}{notes}"
    return f"{found}\n{_fixes(report)}"


def _fixes(report: Report) -> str:
    kinds = Counter(f.fix.applicability for f in report.findings if f.fix and applicable(f, unsafe=True))
    safe, unsafe = kinds[Applicability.SAFE], kinds[Applicability.UNSAFE]
    hidden = f"{plural(unsafe, 'more fix' if safe else 'fix')}".replace("fixs", "fixes")
    if safe:
        return f"{safe} fixable with `--fix`" + (f", {hidden} with `--unsafe-fixes`" if unsafe else "")
    return f"No safe fixes, {hidden} with `--unsafe-fixes`" if unsafe else "No fixes available"


def statistics(report: Report, output_format: str) -> str:
    """Counts by rule, most frequent first: a table, or JSON when a JSON format is asked for."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    fixable = Counter(finding.code for finding in report.findings if applicable(finding, unsafe=True))
    if output_format.startswith("json"):
        items = [{"code": c, "name": n, "count": count, "fixable": fixable[c]} for (c, n), count in rows]
        return json.dumps(items, indent=2) + "\n"
    width = max((len(str(count)) for _, count in rows), default=1)
    return "".join(
        f"{count:>{width}}  {code}  {'[*]' if fixable[code] else '   '}  {name}\n" for (code, name), count in rows
    )
