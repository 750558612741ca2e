"""Findings grouped by file."""

from __future__ import annotations

from itertools import groupby

from cudalint.lint.output import RenderOptions
from cudalint.lint.output.style import SEVERITY_COLOR, Painter, printable
from cudalint.lint.output.summary import summary
from cudalint.lint.report import Report


def render(report: Report, options: RenderOptions) -> str:
    """A heading per file, its findings indented below."""
    paint = Painter(options.color, options.links)
    blocks = []
    for file, findings in groupby(report.findings, key=lambda finding: finding.filename):
        lines = [f"{paint(printable(report.path(file)), 'bold')}:"]
        for finding in findings:
            place = f"{finding.span.line}:{finding.span.column}"
            head = paint(f"{finding.severity}[{finding.code}]", SEVERITY_COLOR[finding.severity])
            lines.append(f"  {place:<8} {head} {finding.message}")
        blocks.append("\n".join(lines) + "\n")
    closing = summary(report, paint)
    if closing and not options.quiet:
        blocks.append(closing + "\n")
    return "\n".join(blocks)
