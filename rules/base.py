"""What a rule is: metadata, a docstring that becomes its documentation, and a check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Fix, Label, Severity
from cudalint.lint.model.source import Span

DEFAULTS = Options()
"""What build rules assume when a run says nothing: the newest toolkit."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What is fixed about a rule. `name` reads "allow <name>"; `fix` is the best applicability it offers."""

    code: str
    name: str
    summary: str
    category: str
    severity: Severity
    since: str
    confidence: Confidence = Confidence.HIGH
    default: bool = True
    fix: Applicability | None = None
    security: float | None = None
    """SARIF security-severity (0.1 to 10) for real memory-safety faults only."""


class Rule(ABC):
    """A rule. One instance serves a whole run and keeps no state between files.

    The class docstring has the sections *What it does*, *Why is this bad?* (or *Why it is slow*), *Example*,
    *Use instead*, *When it does not apply*, *References*.
    """

    meta: ClassVar[Meta]

    def finding(
        self,
        span: Span,
        message: str,
        *,
        severity: Severity | None = None,
        kernel: str | None = None,
        reason: str = "",
        help: str = "",  # noqa: A002 - the word that users see
        evidence: Mapping[str, Any] | None = None,
        fix: Fix | None = None,
        labels: Sequence[Label] = (),
        notes: Sequence[str] = (),
        lanes: str = "",
        confidence: Confidence | None = None,
    ) -> Diagnostic:
        """A diagnostic of this rule; severity and confidence default to the rule's own."""
        meta = self.meta
        return Diagnostic(
            code=meta.code,
            name=meta.name,
            severity=meta.severity if severity is None else severity,
            message=message,
            span=span,
            kernel=kernel,
            reason=reason,
            help=help,
            evidence=evidence,
            fix=fix,
            labels=tuple(labels),
            notes=tuple(notes),
            lanes=lanes,
            confidence=meta.confidence if confidence is None else confidence,
        )


class SourceRule(Rule):
    """A rule over one translation unit: kernels, device and host code."""

    @abstractmethod
    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the findings of one translation unit, in any order."""


class BuildRule(Rule):
    """A rule over one build file (CMakeLists.txt, Makefile, setup.py, compile_commands.json, …)."""

    @abstractmethod
    def check(self, path: Path, text: str, options: Options = DEFAULTS) -> Iterator[Diagnostic]:
        """Yield the findings of one build file; `options.cuda` is the toolkit that the build is for."""

    def check_source(self, unit: Unit) -> Iterator[Diagnostic]:  # noqa: ARG002 - for rules that override it
        """Yield findings of build options in source code: those handed to a run-time compiler."""
        return iter(())
