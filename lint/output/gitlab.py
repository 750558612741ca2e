"""GitLab's Code Quality report."""

from __future__ import annotations

import hashlib
import json

from cudalint.lint.diagnostics import Severity
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.paths import project_root, relative_to_root
from cudalint.lint.report import Report

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def render(report: Report, options: RenderOptions) -> str:
    """An array of issues. Fingerprints rest on rule, file and line text, so that they survive moved lines."""
    seen: set[str] = set()
    issues = []
    for finding in report.findings:
        span = finding.span
        path = relative_to_root(span.file, project_root())
        lines = report.lines(span.file)
        text = lines[span.line - 1].strip() if 0 < span.line <= len(lines) else ""
        fingerprint = _hash(finding.code, path, text)
        while fingerprint in seen:
            fingerprint = _hash(fingerprint)
        seen.add(fingerprint)
        issues.append(
            {
                "check_name": finding.name,
                "description": f"{finding.code}: {finding.message}",
                "severity": _SEVERITIES[finding.severity],
                "fingerprint": fingerprint,
                "location": {
                    "path": path,
                    "positions": {
                        "begin": {"line": span.line, "column": span.column},
                        "end": {"line": span.end_line, "column": span.end_column},
                    },
                },
            }
        )
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
