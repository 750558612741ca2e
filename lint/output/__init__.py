"""One module per output format, over immutable diagnostics.

Every format module has `render(report, options) -> str`. They are imported when they are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from cudalint.lint.report import Report

_MODULES = {"json-lines": "jsonlines"}


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to print: with colours, with terminal links, and without the closing summary when quiet.

    `same` is how many findings of one rule in one file the full format prints before it lists the others; 0: all.
    """

    color: bool = False
    links: bool = False
    quiet: bool = False
    same: int = 0


def render(report: Report, output_format: str, options: RenderOptions | None = None) -> str:
    """A report in one of the formats of `config.OUTPUT_FORMATS`; text ends with a line feed unless empty."""
    name = _MODULES.get(output_format, output_format)
    module = import_module(f"cudalint.lint.output.{name}")
    text: str = module.render(report, options or RenderOptions())
    return text
