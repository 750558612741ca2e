"""What a run found, ready to be rendered: the only thing that output formats see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Severity

NOTE_CODE = "CUD000"
"""Findings of this code say what could not be seen; they are notes, not faults."""

DOCS_URL = "https://cudalint.github.io/rules/"
"""Where the rule pages of docs/rules stand; one page per rule, named CODE-name."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """A rule as people and hosts read it: metadata, and its documentation as text and Markdown."""

    code: str
    name: str
    summary: str
    category: str
    severity: Severity
    confidence: Confidence
    since: str
    default: bool
    fix: Applicability | None = None
    security: float | None = None
    description: str = ""
    markdown: str = ""

    @property
    def slug(self) -> str:
        """The page name of the rule's documentation."""
        return f"{self.code}-{self.name}"

    @property
    def url(self) -> str:
        """The page of the rule's documentation."""
        return f"{DOCS_URL}{self.slug}/"


@dataclass(frozen=True)
class Report:
    """The outcome of a run.

    `findings` are sorted and already filtered by settings, suppressions and baseline. `files` are the files
    that were checked (absolute paths). `rules` are the enabled rules. `errors` are messages on what could not
    run at all (a missing file, a file that cannot be opened); any of them makes the exit status 2. `shown` maps
    an absolute path to the spelling that the user gave. `contents` holds text that is not on disk (stdin).
    """

    findings: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()
    rules: tuple[RuleInfo, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    suppressed: int = 0
    shown: Mapping[str, str] = field(default_factory=dict)
    contents: Mapping[str, bytes] = field(default_factory=dict)
    version: str = ""

    @cached_property
    def notes(self) -> tuple[Diagnostic, ...]:
        """The findings that only say what could not be seen."""
        return tuple(d for d in self.findings if d.code == NOTE_CODE)

    @cached_property
    def faults(self) -> tuple[Diagnostic, ...]:
        """The findings that count for the exit status."""
        return tuple(d for d in self.findings if d.code != NOTE_CODE)

    @cached_property
    def rule_by_code(self) -> Mapping[str, RuleInfo]:
        """The enabled rules by code."""
        return {rule.code: rule for rule in self.rules}

    def path(self, file: str) -> str:
        """A file as the user named it; one that was found by itself is relative to the working folder."""
        known = self.shown.get(file)
        if known is not None:
            return known
        relative = os.path.relpath(file)
        return file if relative.startswith("..") else Path(relative).as_posix()

    def url(self, code: str) -> str:
        """The documentation page of a finding's rule; empty for a rule of a plug-in that is not known here."""
        rule = self.rule_by_code.get(code)
        return rule.url if rule else ""

    def lines(self, file: str) -> tuple[str, ...]:
        """The text lines of a file, for excerpts; none when it cannot be read (any more)."""
        if file not in self._lines:
            self._lines[file] = tuple(source_lines(self._bytes(file)))
        return self._lines[file]

    def _bytes(self, file: str) -> bytes:
        if file in self.contents:
            return self.contents[file]
        try:
            return Path(file).read_bytes()
        except OSError:
            return b""

    @cached_property
    def _lines(self) -> dict[str, tuple[str, ...]]:
        return {}

    def with_findings(self, findings: tuple[Diagnostic, ...], **changes: Any) -> Report:
        """The same run with other findings."""
        return replace(self, findings=findings, **changes)


def source_lines(data: bytes) -> list[str]:
    """The lines of a source file as compilers count them: LF, CRLF or CR end a line, nothing else does."""
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
