"""Workflow commands of GitHub Actions: annotations on a pull request (the host shows ten a step)."""

from __future__ import annotations

from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.paths import project_root, relative_to_root
from cudalint.lint.report import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, options: RenderOptions) -> str:
    """One annotation per finding."""
    return "".join(f"{_line(finding)}\n" for finding in report.findings)


def _line(finding: Diagnostic) -> str:
    span = finding.span
    file = relative_to_root(span.file, project_root())
    fields = [f"title={_property(f'cudalint ({finding.code})')}", f"file={_property(file)}", f"line={span.line}"]
    if span.line == span.end_line:
        fields += [f"col={span.column}", f"endLine={span.end_line}", f"endColumn={span.end_column}"]
    else:
        fields.append(f"endLine={span.end_line}")
    text = f"{file}:{span.line}:{span.column}: {finding.code} {finding.message}"
    extra = [part for part in (finding.reason, finding.help and f"help: {finding.help}") if part]
    return f"::{_COMMANDS[finding.severity]} {','.join(fields)}::{_data(chr(10).join([text, *extra]))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
