"""The JSON contract with one finding a line."""

from __future__ import annotations

import json

from cudalint.lint.output import RenderOptions
from cudalint.lint.output.json import item
from cudalint.lint.report import Report


def render(report: Report, options: RenderOptions) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(item(report, finding), ensure_ascii=False) + "\n" for finding in report.findings)
