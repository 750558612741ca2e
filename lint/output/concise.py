"""One line per finding, as compilers print them."""

from __future__ import annotations

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.fixes import applicable
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.style import SEVERITY_COLOR, Painter, printable
from cudalint.lint.output.summary import summary
from cudalint.lint.report import Report


def render(report: Report, options: RenderOptions) -> str:
    """`file:line:column: severity[CODE] message`, with [*] where --fix would act, and the summary."""
    paint = Painter(options.color, options.links)
    lines = [line(report, finding, paint) for finding in report.findings]
    closing = summary(report, paint)
    if closing and not options.quiet:
        lines.append(closing)
    return "".join(f"{text}\n" for text in lines)


def line(report: Report, finding: Diagnostic, paint: Painter) -> str:
    """A finding on one line."""
    span = finding.span
    head = f"{finding.severity}[{finding.code}]"
    head = paint.link(paint(head, SEVERITY_COLOR[finding.severity]), report.url(finding.code))
    star = " [*]" if applicable(finding, unsafe=False) else ""
    place = f"{paint(printable(report.path(span.file)), 'bold')}:{span.line}:{span.column}"
    return f"{place}: {head}{star} {finding.message}"
