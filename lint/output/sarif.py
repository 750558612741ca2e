"""SARIF 2.1.0, as GitHub and GitLab read it. The only module that imports sarif_om."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attr
import sarif_om as om
from cudalint.lint.diagnostics import Confidence, Diagnostic, Fix, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.output import RenderOptions
from cudalint.lint.output.json import plain
from cudalint.lint.output.paths import project_root, relative_to_root
from cudalint.lint.report import NOTE_CODE, Report, RuleInfo

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
INFORMATION_URI = "https://cudalint.github.io/"
MAX_TEXT = 1024
"""GitHub cuts short and full descriptions there."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_PRECISION = {Confidence.HIGH: "very-high", Confidence.MEDIUM: "high", Confidence.LOW: "medium"}

_ALWAYS = frozenset({"executionSuccessful", "level"})
"""Properties that are written even where they equal the schema's default."""


def render(report: Report, options: RenderOptions) -> str:
    """The report as one SARIF run, with all enabled rules and notes as tool notifications."""
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The SARIF log as JSON values."""
    root = project_root()
    rules = [rule for rule in report.rules if rule.code != NOTE_CODE]
    index = {rule.code: number for number, rule in enumerate(rules)}
    notes = [rule for rule in report.rules if rule.code == NOTE_CODE]
    driver = om.ToolComponent(
        name="cudalint",
        full_name=f"cudalint {report.version}",
        version=report.version,
        semantic_version=report.version,
        information_uri=INFORMATION_URI,
        rules=[_rule(rule) for rule in rules],
        notifications=[_rule(rule) for rule in notes] or None,
    )
    invocation = om.Invocation(
        execution_successful=not report.errors,
        tool_execution_notifications=[
            *(_notification(report, note, root) for note in report.notes),
            *(om.Notification(message=om.Message(text=text), level="error") for text in report.errors),
        ],
    )
    run = om.Run(
        tool=om.Tool(driver=driver),
        automation_details=om.RunAutomationDetails(id="cudalint/"),
        column_kind="unicodeCodePoints",
        invocations=[invocation],
        original_uri_base_ids=None,
        results=[_result(report, finding, index, root) for finding in report.faults],
    )
    log = encode(om.SarifLog(version="2.1.0", runs=[run]))
    return {"$schema": SCHEMA, **log}


def _rule(rule: RuleInfo) -> Any:
    properties: dict[str, Any] = {
        "tags": [rule.category, *(["security"] if rule.security else [])],
        "precision": _PRECISION[rule.confidence],
        "problem.severity": _PROBLEM[rule.severity],
    }
    if rule.security:
        properties["security-severity"] = f"{rule.security:.1f}"
    return om.ReportingDescriptor(
        id=rule.code,
        name=_pascal(rule.name),
        short_description=_text(_sentence(rule.summary)),
        full_description=_text(_sentence(rule.description or rule.summary)),
        help=om.MultiformatMessageString(
            text=_sentence(rule.description or rule.summary), markdown=rule.markdown or _sentence(rule.summary)
        ),
        help_uri=rule.url,
        default_configuration=om.ReportingConfiguration(level=_LEVELS[rule.severity]),
        properties=properties,
    )


def _text(text: str) -> Any:
    return om.MultiformatMessageString(text=text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…")


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:] if text[1:2].islower() else text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _result(report: Report, finding: Diagnostic, index: Mapping[str, int], root: Path) -> Any:
    related = [label for label in finding.labels if label.span.line > 0 and label.span != finding.span]
    properties = {
        "confidence": str(finding.confidence),
        **({"kernel": finding.kernel} if finding.kernel else {}),
        **({"evidence": plain(finding.evidence)} if finding.evidence else {}),
        **({"verification": plain(finding.verification)} if finding.verification else {}),
    }
    return om.Result(
        rule_id=finding.code,
        rule_index=index.get(finding.code, -1),
        level=_LEVELS[finding.severity],
        message=om.Message(text=_message(finding, [label.message for label in related])),
        locations=[_location(report, finding.span, root)],
        related_locations=[
            _location(report, label.span, root, label.message, number) for number, label in enumerate(related, 1)
        ]
        or None,
        fixes=_fixes(report, finding.fix, root),
        partial_fingerprints={"cudalint/v1": _fingerprint(report, finding, root)},
        properties=properties,
    )


def _message(finding: Diagnostic, related: Sequence[str]) -> str:
    """The message with its reason and advice; related places are linked as [text](id), else GitHub hides them."""
    parts = [_escape(_sentence(finding.message))]
    parts += [_escape(_sentence(text)) for text in (finding.reason, finding.help) if text]
    if related:
        links = ", ".join(f"[{_escape(text) or 'related place'}]({number})" for number, text in enumerate(related, 1))
        parts.append(f"See {links}.")
    return " ".join(parts)


def _escape(text: str) -> str:
    """Square brackets in a message start a link unless a backslash stands before them (SARIF 3.11.6)."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _location(report: Report, span: Span, root: Path, message: str = "", number: int | None = None) -> Any:
    return om.Location(
        id=-1 if number is None else number,
        message=om.Message(text=message) if message else None,
        physical_location=om.PhysicalLocation(
            artifact_location=_artifact(report, span.file, root), region=_region(span)
        ),
    )


def _artifact(report: Report, file: str, root: Path) -> Any:
    path = report.shown.get(file, file) if file in report.contents else relative_to_root(file, root)
    relative = not path.startswith("/") and ":" not in path[:3]
    uri = quote(path.replace(os.sep, "/")) if relative else Path(path).as_uri()
    return om.ArtifactLocation(uri=uri, uri_base_id="%SRCROOT%" if relative else None)


def _region(span: Span) -> Any:
    """The four numbers that GitHub wants; an empty span is widened to one column so that it can be shown."""
    end_column = span.end_column
    if span.end_line == span.line and end_column <= span.column:
        end_column = span.column + 1
    return om.Region(
        start_line=max(1, span.line),
        start_column=max(1, span.column),
        end_line=max(1, span.end_line),
        end_column=max(1, end_column),
    )


def _fixes(report: Report, fix: Fix | None, root: Path) -> Any:
    if fix is None or not fix.edits:
        return None
    changes = []
    for file in dict.fromkeys(edit.span.file for edit in fix.edits):
        replacements = [
            om.Replacement(
                deleted_region=om.Region(
                    start_line=edit.span.line,
                    start_column=edit.span.column,
                    end_line=edit.span.end_line,
                    end_column=edit.span.end_column,
                ),
                inserted_content=om.ArtifactContent(text=edit.content) if edit.content else None,
            )
            for edit in fix.edits
            if edit.span.file == file
        ]
        changes.append(om.ArtifactChange(artifact_location=_artifact(report, file, root), replacements=replacements))
    return [
        om.Fix(
            description=om.Message(text=_sentence(fix.message)),
            artifact_changes=changes,
            properties={"applicability": fix.applicability.value},
        )
    ]


def _fingerprint(report: Report, finding: Diagnostic, root: Path) -> str:
    """Rule, file and the text of the line: stays the same when lines move."""
    lines = report.lines(finding.filename)
    text = lines[finding.span.line - 1].strip() if 0 < finding.span.line <= len(lines) else ""
    parts = (finding.code, relative_to_root(finding.filename, root), finding.kernel or "", text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _notification(report: Report, note: Diagnostic, root: Path) -> Any:
    return om.Notification(
        descriptor=om.ReportingDescriptorReference(id=note.code, index=0),
        level="note",
        message=om.Message(text=_sentence(note.message)),
        locations=[_location(report, note.span, root)],
    )


def encode(value: Any) -> Any:
    """SARIF objects as JSON values in one pass; what equals the schema's default is left out.

    sarif_om's usual serialiser copies deeply at every level and takes 15 s for 5,000 results.
    """
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if not attr.has(type(value)):
        return value
    encoded: dict[str, Any] = {}
    for spec in attr.fields(type(value)):
        item = getattr(value, spec.name)
        name = spec.metadata["schema_property_name"]
        default = spec.default.factory() if isinstance(spec.default, attr.Factory) else spec.default  # type: ignore[arg-type]
        if item is not None and (item != default or name in _ALWAYS):
            encoded[name] = encode(item)
    return encoded
