"""Logging commands of Azure Pipelines."""

from __future__ import annotations

from cudalint.lint.diagnostics import Severity
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.paths import project_root, relative_to_root
from cudalint.lint.report import Report


def render(report: Report, options: RenderOptions) -> str:
    """One logging command per finding; Azure knows errors and warnings only."""
    lines = []
    for finding in report.findings:
        span = finding.span
        kind = "error" if finding.severity is Severity.ERROR else "warning"
        file = _escape(relative_to_root(span.file, project_root()))
        place = f"sourcepath={file};linenumber={span.line};columnnumber={span.column};code={finding.code};"
        lines.append(f"##vso[task.logissue type={kind};{place}]{_escape(finding.message)}\n")
    return "".join(lines)


def _escape(text: str) -> str:
    """The characters that would end a command or a property."""
    for char, code in (("%", "%AZP25"), ("\r", "%0D"), ("\n", "%0A"), (";", "%3B"), ("]", "%5D")):
        text = text.replace(char, code)
    return text
