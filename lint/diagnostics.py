"""What the linter says: immutable findings that every output format renders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any

from cudalint.lint.model.source import Span


class Severity(IntEnum):
    """How bad: ordered, so that `--min-severity` and `--fail-on` can compare."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


class Confidence(IntEnum):
    """How sure the rule is that the finding is so."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2

    def __str__(self) -> str:
        return self.name.lower()


class Applicability(Enum):
    """Whether a fix may be applied: safe (by --fix), unsafe (with --unsafe-fixes), display (never)."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes of `span` by `content`; an insertion has an empty span."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove a finding. A display fix has no edits and only says what to do."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that explains the finding: shown under the excerpt, relatedLocations in SARIF."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `message` says what is so, in one sentence with the figures; `reason` why it costs or breaks; `help` what
    to do. `evidence` is JSON-able (DESIGN 7 names the keys). `kernel` is the kernel's name where there is one.
    `lanes` is an optional small drawing (lane map) for the full output. `verification` is filled by --verify.
    """

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    kernel: str | None = None
    reason: str = ""
    help: str = ""
    evidence: Mapping[str, Any] | None = None
    fix: Fix | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    lanes: str = ""
    confidence: Confidence = Confidence.HIGH
    verification: Mapping[str, Any] | None = field(default=None)

    @property
    def filename(self) -> str:
        """The file that the finding is in."""
        return self.span.file

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order of output: file, line, column, code."""
        return (*self.span.start, self.code, self.message)
