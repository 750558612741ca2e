"""Outcomes of earlier runs, kept as JSON (never pickles: a repository may bring a cache folder along).

An entry is found by the tool's own files, the settings and the compiler flags; it is used only if every file that
was read then has the same content now, and every folder that was searched the same files.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import cudalint.lint
import cudalint.rules
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.jobs import Job, Outcome
from cudalint.lint.model.source import Span
from cudalint.lint.project import digest_of
from cudalint.lint.userfolder import digest

import cudalint

CACHE_DIR = ".cudalint_cache"
_FORMAT = 1


@cache
def tool_key() -> str:
    """Changes whenever the version or any file of the installed tool does."""
    parts = [f"{cudalint.__version__} {_FORMAT}"]
    for package in (cudalint.lint, cudalint.rules):
        for folder in package.__path__:
            parts += sorted(_stamps(folder))
    return digest("\n".join(parts).encode())


def _stamps(folder: str) -> Iterable[str]:
    for place, _, names in os.walk(folder):
        if place.endswith("__pycache__"):
            continue
        for name in names:
            stat = Path(place, name).stat()
            yield f"{place}/{name} {stat.st_size} {stat.st_mtime_ns}"


class Cache:
    """A folder of outcomes. Trouble with it (no rights, a full disk, a torn entry) is a miss, never an error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digests: dict[str, str] = {}
        self._ready = False

    def _entry(self, job: Job) -> Path:
        options = asdict(job.options)
        key = json.dumps([tool_key(), job.path, job.kind.value, job.codes, job.flags, options], default=str)
        name = digest(key.encode())
        return self._folder / "v1" / name[:2] / f"{name}.json"

    def get(self, job: Job) -> Outcome | None:
        """The outcome of an earlier run of the same job over the same contents."""
        if job.content is not None or job.overlay:
            return None
        try:
            outcome = decode(json.loads(self._entry(job).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        fresh = all(self._digest(file) == seen for file, seen in outcome.inputs)
        return outcome if fresh and outcome.path == job.path else None

    def put(self, job: Job, outcome: Outcome) -> None:
        """Keep an outcome, unless it is incomplete: what made it so (a limit, a crash) may be gone next time."""
        if job.content is not None or job.overlay or not outcome.complete or not outcome.inputs:
            return
        entry = self._entry(job)
        try:
            self._prepare()
            entry.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=entry.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(encode(outcome), out, separators=(",", ":"))
            Path(name).replace(entry)
        except OSError:
            return

    def _prepare(self) -> None:
        """Make the folder, with a .gitignore of its own so that nobody commits it."""
        if self._ready:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        marker = self._folder / ".gitignore"
        if not marker.exists():
            marker.write_text("# made by cudalint\n*\n", encoding="utf-8")
        self._ready = True

    def _digest(self, file: str) -> str:
        if file not in self._digests:
            self._digests[file] = digest_of(file)
        return self._digests[file]


def clean(folder: Path) -> bool:
    """Remove a cache folder; False when there is none. Only a folder that a run has made is removed."""
    marker = folder / ".gitignore"
    if not marker.is_file() or "made by cudalint" not in marker.read_text(encoding="utf-8", errors="replace"):
        return False
    shutil.rmtree(folder)
    return True


def encode(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values."""
    return {
        "path": outcome.path,
        "files": outcome.files,
        "inputs": outcome.inputs,
        "findings": [_encode_finding(finding) for finding in outcome.findings],
    }


def _encode_finding(finding: Diagnostic) -> dict[str, Any]:
    data = asdict(finding)
    data["severity"] = finding.severity.name
    data["confidence"] = finding.confidence.name
    if finding.fix is not None:
        data["fix"]["applicability"] = finding.fix.applicability.value
    return data


def decode(data: Mapping[str, Any]) -> Outcome:
    """The outcome that `encode` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    return Outcome(
        path=str(data["path"]),
        findings=tuple(_decode_finding(item) for item in data["findings"]),
        files=tuple(map(str, data["files"])),
        inputs=tuple((str(file), str(seen)) for file, seen in data["inputs"]),
    )


def _decode_finding(data: Mapping[str, Any]) -> Diagnostic:
    fix = data["fix"]
    plain = {key: data[key] for key in ("code", "name", "message", "kernel", "reason", "help", "evidence", "lanes")}
    return Diagnostic(
        **plain,
        severity=Severity[data["severity"]],
        confidence=Confidence[data["confidence"]],
        span=Span(**data["span"]),
        fix=None
        if fix is None
        else Fix(
            Applicability(fix["applicability"]),
            fix["message"],
            tuple(Edit(Span(**edit["span"]), edit["content"]) for edit in fix["edits"]),
        ),
        labels=tuple(Label(Span(**label["span"]), label["message"]) for label in data["labels"]),
        notes=tuple(data["notes"]),
    )
