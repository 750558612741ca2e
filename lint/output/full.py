"""The default format: each finding with its source, the reason, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.excerpt import excerpt
from cudalint.lint.output.folding import folded
from cudalint.lint.output.style import SEVERITY_COLOR, Painter, printable
from cudalint.lint.output.summary import summary
from cudalint.lint.report import Report

_LINES = 12
"""Lines that are listed of findings that are not printed."""


def render(report: Report, options: RenderOptions) -> str:
    """All findings with excerpts, and the closing summary."""
    paint = Painter(options.color, options.links)
    blocks = []
    for finding, others in folded(report.findings, options.same):
        lines = [*_finding(report, finding, paint), *([] if not others else ["", _others(report, others, paint)])]
        blocks.append("\n".join(lines) + "\n")
    closing = summary(report, paint)
    if closing and not options.quiet:
        blocks.append(closing + "\n")
    return "\n".join(blocks)


def _finding(report: Report, finding: Diagnostic, paint: Painter) -> Iterator[str]:
    head = paint(f"{finding.severity}[", SEVERITY_COLOR[finding.severity])
    code = paint(finding.code, SEVERITY_COLOR[finding.severity])
    head += paint.link(code, report.url(finding.code)) + paint("]", SEVERITY_COLOR[finding.severity])
    yield f"{head}{paint(': ' + finding.message, 'bold')}"
    lines = excerpt(report, finding, paint)
    yield from lines
    pad = " " * (len(lines[0]) - len(lines[0].lstrip()) if not lines[0].startswith("\x1b") else 1)
    if finding.lanes:
        yield from (f"{pad} {paint('|', 'blue')} {line}".rstrip() for line in (*finding.lanes.splitlines(), ""))
    for word, text in _remarks(finding):
        yield from _remark(word, text, pad, paint)


def _others(report: Report, others: Sequence[Diagnostic], paint: Painter) -> str:
    """One line for findings of one rule in one file that are not printed."""
    worst = max(others, key=lambda d: d.severity)
    lines = list(dict.fromkeys(d.span.line for d in others))
    listed = ", ".join(map(str, lines[:_LINES])) + (", …" if len(lines) > _LINES else "")
    head = paint(f"{worst.severity}[{worst.code}]", SEVERITY_COLOR[worst.severity])
    file = printable(report.path(worst.span.file))
    return f"{head}: {len(others)} more in {file}, in {'line' if len(lines) == 1 else 'lines'} {listed}"


def _remarks(finding: Diagnostic) -> Iterator[tuple[str, str]]:
    if finding.reason:
        yield "", finding.reason
    yield from (("note", note) for note in finding.notes)
    if finding.help:
        yield "help", finding.help
    if finding.fix is not None and finding.fix.message != finding.help:
        yield "fix", f"{finding.fix.message} ({finding.fix.applicability.value})"
    if finding.verification is not None:
        yield "verified", str(finding.verification.get("summary", ""))


def _remark(word: str, text: str, pad: str, paint: Painter) -> Iterator[str]:
    first, *rest = text.splitlines()
    lead = paint(word, "bold") + ": " if word else ""
    yield f"{pad} {paint('=', 'blue')} {lead}{first}"
    indent = " " * (len(word) + 2 if word else 0)
    yield from (f"{pad}   {indent}{line}" for line in rest)
