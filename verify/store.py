"""Verdicts kept between runs: a verification is as good as its inputs, so the key holds them all."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from cudalint.lint.atomic import write_atomically
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.model.program import TranslationUnit
from cudalint.verify.device import Device
from cudalint.verify.verdict import Verdict, Verification

from cudalint import __version__


class Store:
    """A folder of verdicts, one JSON file each. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def key(self, finding: Diagnostic, program: TranslationUnit, device: Device, settings: str) -> str:
        """Everything that a verdict rests on: tool, device, driver, settings, sources, the finding's fix."""
        parts = hashlib.blake2b(digest_size=20)
        fix = asdict(finding.fix)["edits"] if finding.fix else ()
        head = (__version__, device.name, device.driver, settings, finding.code, finding.message, repr(fix))
        parts.update(repr(head).encode())
        for name in sorted(program.files):
            parts.update(name.encode() + b"\0" + program.files[name] + b"\0")
        return parts.hexdigest()

    def get(self, key: str) -> Verification | None:
        """What was kept; None when nothing usable is there."""
        if self._folder is None:
            return None
        try:
            return Verification.from_json(json.loads((self._folder / f"{key}.json").read_text()))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, key: str, made: Verification) -> None:
        """Keep a verdict; a folder that cannot be written is no reason to fail."""
        if self._folder is None or made.verdict is Verdict.NOT_VERIFIABLE:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._folder / f"{key}.json", json.dumps(made.as_json()).encode())
        except OSError:
            return
