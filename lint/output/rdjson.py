"""Reviewdog's diagnostic format."""

from __future__ import annotations

import json
from typing import Any

from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.paths import project_root, relative_to_root
from cudalint.lint.report import Report

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, options: RenderOptions) -> str:
    """One object with all findings; a fix becomes suggestions if all of it is in the finding's file.

    The format has no place for edits of other files, and half a fix may be worse than none.
    """
    result = {
        "source": {"name": "cudalint", "url": "https://cudalint.github.io/"},
        "severity": "WARNING",
        "diagnostics": [_diagnostic(report, finding) for finding in report.findings],
    }
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(report: Report, finding: Diagnostic) -> dict[str, Any]:
    edits = finding.fix.edits if finding.fix else ()
    whole = all(edit.span.file == finding.filename for edit in edits)
    suggestions = [{"range": _range(edit.span), "text": edit.content} for edit in edits if whole]
    return {
        "message": finding.message,
        "location": {
            "path": relative_to_root(finding.filename, project_root()),
            "range": _range(finding.span),
        },
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, "url": report.url(finding.code)},
        **({"suggestions": suggestions} if suggestions else {}),
    }


def _range(span: Span) -> dict[str, Any]:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }
