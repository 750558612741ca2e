"""One page of HTML that needs no network: findings with their source, by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.excerpt import excerpt
from cudalint.lint.output.json import plain
from cudalint.lint.output.style import Painter
from cudalint.lint.output.summary import plural
from cudalint.lint.output.svg import bank_map, bars, sector_map
from cudalint.lint.report import Report

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --error: #c62828; --warning: #b26a00; --info: #00799a; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .6rem .8rem; background: #8881; border-radius: 6px; font: 13px/1.45 monospace; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); font-size: 1.1rem; word-break: break-all; }
article { margin: 1.2rem 0; padding-left: .9rem; border-left: 4px solid var(--line); }
article.error { border-color: var(--error); }
article.warning { border-color: var(--warning); }
article.info { border-color: var(--info); }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
table { border-collapse: collapse; }
td, th { padding: .15rem .8rem .15rem 0; text-align: left; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .4rem 0; }
svg { display: block; margin: .5rem 0; max-width: 100%; font: 11px monospace; }
svg text { fill: currentColor; }
.cell, .bar1 { fill: var(--info); }
.bar0 { fill: var(--warning); }
dt { font-weight: 600; } dd { margin: 0; }
"""


def render(report: Report, options: RenderOptions) -> str:
    """The report as a page."""
    return "\n".join(_page(report)) + "\n"


def _page(report: Report) -> Iterator[str]:
    title = f"cudalint: {plural(len(report.faults), 'finding')} in {plural(len(report.files), 'file')}"
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(title)}</h1>"
    yield from _table(report)
    for file, findings in groupby(report.findings, key=lambda finding: finding.filename):
        yield f"<h2>{escape(report.path(file))}</h2>"
        for finding in findings:
            yield from _article(report, finding)
    yield f"<p>cudalint {escape(report.version)}</p></body></html>"


def _table(report: Report) -> Iterator[str]:
    counts = Counter((finding.code, finding.name, str(finding.severity)) for finding in report.findings)
    if not counts:
        return
    yield "<table><tr><th>rule</th><th>name</th><th>severity</th><th>findings</th></tr>"
    for (code, name, severity), count in sorted(counts.items()):
        link = f'<a href="{escape(report.url(code))}">{escape(code)}</a>'
        yield f"<tr><td>{link}</td><td>{escape(name)}</td><td>{severity}</td><td>{count}</td></tr>"
    yield "</table>"


def _drawings(finding: Diagnostic) -> Iterator[str]:
    """Lanes over sectors or banks, and the verifier's times, as pictures; the lane map as text without them."""
    evidence = plain(finding.evidence or {})
    lanes = evidence.get("lane_bytes")
    if lanes and "ways" in evidence:
        yield bank_map(lanes)
    elif lanes:
        yield sector_map(lanes, int(evidence.get("access_bytes", 4)))
    elif finding.lanes:
        yield f"<pre>{escape(finding.lanes)}</pre>"
    timing = plain(finding.verification or {}).get("timing")
    if timing:
        yield bars(timing)


def _article(report: Report, finding: Diagnostic) -> Iterator[str]:
    yield f'<article class="{finding.severity}">'
    yield f"<h3>{finding.severity} {escape(finding.code)}: {escape(finding.message)}</h3>"
    yield f"<pre>{escape(chr(10).join(excerpt(report, finding, Painter(False))))}</pre>"
    yield from _drawings(finding)
    rows: list[tuple[str, Any]] = [("why", finding.reason), *(("note", note) for note in finding.notes)]
    rows += [("help", finding.help), ("fix", finding.fix.message if finding.fix else "")]
    rows += [(f"verified: {key}", value) for key, value in plain(finding.verification or {}).items()]
    shown = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in rows if value)
    if shown:
        yield f"<dl>{shown}</dl>"
    yield "</article>"
