"""The JSON contract: an array of findings, stable, read by tests and benches."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cudalint.lint.diagnostics import Diagnostic, Fix, Label
from cudalint.lint.model.source import Span
from cudalint.lint.output import RenderOptions
from cudalint.lint.report import Report


def render(report: Report, options: RenderOptions) -> str:
    """All findings as one array."""
    return json.dumps([item(report, finding) for finding in report.findings], indent=2, ensure_ascii=False) + "\n"


def item(report: Report, finding: Diagnostic) -> dict[str, Any]:
    """One finding as JSON values; DESIGN 7 fixes the keys."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
        "message": finding.message,
        "filename": report.path(finding.filename),
        **_places(finding.span),
        "kernel": finding.kernel,
        "evidence": plain(finding.evidence),
        "reason": finding.reason or None,
        "help": finding.help or None,
        "notes": list(finding.notes),
        "fix": _fix(report, finding.fix),
        "verification": plain(finding.verification),
        "related": [_related(report, label) for label in finding.labels],
        "url": report.url(finding.code) or None,
    }


def _places(span: Span) -> dict[str, Any]:
    return {
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }


def _fix(report: Report, fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [
        {"filename": report.path(edit.span.file), **_places(edit.span), "content": edit.content} for edit in fix.edits
    ]
    return {"applicability": fix.applicability.value, "message": fix.message, "edits": edits}


def _related(report: Report, label: Label) -> dict[str, Any]:
    return {"message": label.message, "filename": report.path(label.span.file), **_places(label.span)}


def plain(value: Any) -> Any:
    """Evidence as plain JSON values: numbers of numpy and tuples come from analyses."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return value.item() if hasattr(value, "item") else str(value)
