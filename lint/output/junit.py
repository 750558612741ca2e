"""JUnit XML: one suite per file, one failing case per finding, one passing case for a clean file."""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree as ET

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.output import RenderOptions
from cudalint.lint.report import NOTE_CODE, Report

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def render(report: Report, options: RenderOptions) -> str:
    """The report as a JUnit document; notes are skipped cases."""
    by_file = {file: list(group) for file, group in groupby(report.findings, key=lambda f: f.filename)}
    root = ET.Element("testsuites", name="cudalint", tests="0", failures=str(len(report.faults)))
    total = 0
    for file in dict.fromkeys((*by_file, *report.files)):
        findings = by_file.get(file, [])
        failures = sum(finding.code != NOTE_CODE for finding in findings)
        count = max(1, len(findings))
        total += count
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_clean(report.path(file)),
            tests=str(count),
            failures=str(failures),
            skipped=str(len(findings) - failures),
        )
        for finding in findings:
            _case(suite, report, finding)
        if not findings:
            ET.SubElement(suite, "testcase", name="cudalint", classname=_clean(report.path(file)))
    root.set("tests", str(total))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, report: Report, finding: Diagnostic) -> None:
    span = finding.span
    case = ET.SubElement(
        suite,
        "testcase",
        name=f"{finding.code} {finding.name}",
        classname=_clean(report.path(span.file)),
        file=_clean(report.path(span.file)),
        line=str(span.line),
    )
    if finding.code == NOTE_CODE:
        ET.SubElement(case, "skipped", message=_clean(finding.message))
        return
    failure = ET.SubElement(case, "failure", message=_clean(finding.message), type=str(finding.severity))
    details = [f"line {span.line}, column {span.column}: {finding.message}", finding.reason, finding.help]
    failure.text = _clean("\n".join(filter(None, details)))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
