"""Source excerpts with underlined spans, in the manner of rustc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cudalint.lint.diagnostics import Diagnostic, Label
from cudalint.lint.model.source import Span
from cudalint.lint.output.style import SEVERITY_COLOR, Painter, printable, text_width
from cudalint.lint.report import Report

MAX_WIDTH = 160
"""Longer source lines are cut: generated code has lines of a megabyte."""

_CONTEXT_GAP = 2
"""Lines between two marked ones that are still shown in full."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """An underline on one line: from and to in terminal columns (0-based, end exclusive)."""

    start: int
    end: int
    text: str
    primary: bool


def excerpt(report: Report, finding: Diagnostic, paint: Painter) -> list[str]:
    """The lines ` --> file:line:col`, the marked source, and other places the labels point to."""
    primary_text = next((label.message for label in finding.labels if label.span == finding.span), "")
    labels = [label for label in finding.labels if label.span != finding.span and label.span.line > 0]
    here = [label for label in labels if label.span.file == finding.filename]
    elsewhere = [label for label in labels if label.span.file != finding.filename]
    gutter = len(str(max(span.line for span in (finding.span, *(label.span for label in labels)))))
    color = SEVERITY_COLOR[finding.severity]
    spans = [(Label(finding.span, primary_text), True), *((label, False) for label in here)]
    lines = _snippet(report, finding.span, "-->", spans, gutter, paint, color)
    for file in dict.fromkeys(label.span.file for label in elsewhere):
        others = [label for label in elsewhere if label.span.file == file]
        lines += _snippet(report, others[0].span, ":::", [(o, False) for o in others], gutter, paint, color)
    return lines


def _snippet(
    report: Report,
    at: Span,
    arrow: str,
    labels: Sequence[tuple[Label, bool]],
    gutter: int,
    paint: Painter,
    color: str,
) -> list[str]:
    pad, bar = " " * gutter, paint("|", "blue")
    out = [f"{pad}{paint(arrow, 'blue')} {printable(report.path(at.file))}:{at.line}:{at.column}"]
    source = report.lines(at.file)
    rows: dict[int, list[_Mark]] = {}
    for label, primary in labels:
        if 0 < label.span.line <= len(source):
            mark = _mark(source[label.span.line - 1], label, primary)
            rows.setdefault(label.span.line, []).append(mark)
    if not rows:
        return out
    out.append(f"{pad} {bar}")
    previous: int | None = None
    for line in sorted(rows):
        if previous is not None:
            out += _between(source, previous, line, gutter, paint)
        out.append(_source_line(source, line, gutter, paint))
        out += [f"{pad} {bar} {text}" for text in _underlines(rows[line], paint, color)]
        previous = line
    out.append(f"{pad} {bar}")
    return out


def _source_line(source: Sequence[str], line: int, gutter: int, paint: Painter) -> str:
    number = paint(f"{line:>{gutter}} |", "blue")
    return f"{number} {printable(source[line - 1])[:MAX_WIDTH]}".rstrip()


def _between(source: Sequence[str], previous: int, line: int, gutter: int, paint: Painter) -> list[str]:
    if line - previous - 1 <= _CONTEXT_GAP:
        return [_source_line(source, n, gutter, paint) for n in range(previous + 1, line)]
    return [paint("...", "blue")]


def _mark(text: str, label: Label, primary: bool) -> _Mark:
    span = label.span
    end_column = span.end_column if span.end_line == span.line else len(text.rstrip()) + 1
    start = text_width(text[: span.column - 1])
    width = max(1, text_width(text[span.column - 1 : end_column - 1]))
    start = min(start, MAX_WIDTH - 1)
    return _Mark(start, min(start + width, MAX_WIDTH), label.message, primary)


def _underlines(marks: Sequence[_Mark], paint: Painter, color: str) -> list[str]:
    """The row of ^^^ and ---, the rightmost text behind it, and the other texts hung below their marks."""
    ordered = sorted(marks, key=lambda m: (m.start, m.end))
    cells: list[tuple[str, str]] = [(" ", "")] * max(m.end for m in ordered)
    for mark in sorted(ordered, key=lambda m: m.primary):
        cells[mark.start : mark.end] = [("^", color) if mark.primary else ("-", "blue")] * (mark.end - mark.start)
    last = ordered[-1]
    inline = bool(last.text) and last.end == len(cells)
    first = _paint_cells(cells, paint)
    if inline:
        first += " " + _paint_text(last, paint, color)
    rows = [first]
    hanging = [mark for mark in ordered if mark.text and not (inline and mark is last)]
    while hanging:
        mark = hanging.pop()
        rows.append(_hung(hanging, mark.start, paint) + _paint_text(mark, paint, color))
    return rows


def _hung(marks: Sequence[_Mark], width: int, paint: Painter) -> str:
    cells = [(" ", "")] * width
    for mark in marks:
        if mark.start < width:
            cells[mark.start] = ("|", "blue")
    return _paint_cells(cells, paint)


def _paint_text(mark: _Mark, paint: Painter, color: str) -> str:
    return paint(mark.text, color if mark.primary else "blue")


def _paint_cells(cells: Sequence[tuple[str, str]], paint: Painter) -> str:
    """Cells joined, each run of one colour painted once."""
    out, run, color = "", "", ""
    for char, name in cells:
        if name != color:
            out += paint(run, color) if color else run
            run, color = "", name
        run += char
    return out + (paint(run, color) if color else run)
