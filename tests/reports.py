"""Reports made by hand, for tests of output formats."""

from __future__ import annotations

from pathlib import Path

from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.report import Report, RuleInfo

SOURCE = """\
#define STRIDE 33
__global__ void copy(float *out, const float *in, int n) {
\tint größe = n;  // 漢字 wide
\tout[threadIdx.x] = in[threadIdx.x * STRIDE];
}
"""


def span_of(file: Path, text: str, source: str = SOURCE, nth: int = 0) -> Span:
    """The span of the nth occurrence of a text in a one-line place."""
    at = -1
    for _ in range(nth + 1):
        at = source.index(text, at + 1)
    line = source.count("\n", 0, at) + 1
    column = at - (source.rfind("\n", 0, at) + 1) + 1
    offset = len(source[:at].encode())
    return Span(str(file), line, column, line, column + len(text), offset, offset + len(text.encode()))


def rule_info(code: str = "CUD101", name: str = "uncoalesced-global-access", **changes: object) -> RuleInfo:
    """A rule's metadata."""
    values: dict[str, object] = {
        "code": code,
        "name": name,
        "summary": "a warp touches more sectors than it needs",
        "category": "memory",
        "severity": Severity.WARNING,
        "confidence": Confidence.HIGH,
        "since": "0.1.0",
        "default": True,
        "description": "Reports accesses.",
        "markdown": "## What it does\n\nReports accesses.\n",
    }
    return RuleInfo(**{**values, **changes})  # type: ignore[arg-type]


def sample_report(folder: Path) -> Report:
    """One warning with labels and a fix, one note, over a file that is on disk in `folder`."""
    file = folder / "größe [1].cu"
    file.write_text(SOURCE, encoding="utf-8")
    access = span_of(file, "in[threadIdx.x * STRIDE]")
    finding = Diagnostic(
        code="CUD101",
        name="uncoalesced-global-access",
        severity=Severity.WARNING,
        message="`in[threadIdx.x * STRIDE]` touches 32 sectors per warp where 4 would do",
        span=access,
        kernel="copy",
        reason="global memory moves whole sectors",
        help="let neighbouring threads read neighbours",
        evidence={"sectors_per_request": 32, "ideal_sectors": 4, "lane_stride_bytes": 132, "block": [256, 1, 1]},
        fix=Fix(Applicability.SAFE, "read neighbours", (Edit(span_of(file, "threadIdx.x * STRIDE"), "threadIdx.x"),)),
        labels=(
            Label(access, "lanes are 132 bytes apart"),
            Label(span_of(file, "threadIdx.x"), "written side by side"),
            Label(span_of(file, "größe"), "unrelated"),
        ),
        notes=("assumed a block of 256 threads",),
        lanes="lane 0 1 2",
    )
    note = Diagnostic(
        code="CUD000",
        name="unreadable-source",
        severity=Severity.INFO,
        message="headers not found: a.h",
        span=Span(str(file), 1, 1, 1, 1, 0, 0),
    )
    rules = (
        rule_info("CUD000", "unreadable-source", severity=Severity.INFO),
        rule_info(),
        rule_info(
            "CUD401", "missing-syncthreads", severity=Severity.ERROR, security=7.5, markdown="", description=""
        ),
    )
    return Report(
        findings=(note, finding),
        files=(str(file),),
        rules=rules,
        shown={str(file): file.name},
        version="0.1.0",
    )
