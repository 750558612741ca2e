"""The command line that a program is run with, from the `run` target of the Makefile beside it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

TARGETS = ("run", "test", "check", "bench")
"""Targets that people use to run what they built."""

_RULE = re.compile(r"^(?P<target>[\w.-]+)\s*:(?!=)")
_INVOCATION = re.compile(r"(?:^|\s)\./(?P<rest>.+)$")


def command_line(source: Path) -> tuple[str, ...] | None:
    """Program name and arguments of the first `run` recipe near a source file, if they are plain words."""
    for folder in (source.parent, source.parent.parent):
        for name in ("Makefile", "makefile", "GNUmakefile"):
            try:
                text = (folder / name).read_text(errors="replace")
            except OSError:
                continue
            return _first_run(text)
    return None


def _first_run(text: str) -> tuple[str, ...] | None:
    inside = False
    for line in text.replace("\\\n", " ").splitlines():
        rule = _RULE.match(line)
        if rule:
            inside = rule["target"] in TARGETS
        found = _INVOCATION.search(line) if inside and line.startswith("\t") else None
        if found:
            try:
                _, *words = shlex.split(found["rest"], comments=True)
            except ValueError:
                return None
            plain = [w for w in words if w not in {"|", ">", "2>&1", "&&", ";"}]
            return None if any("$" in w for w in plain) else ("program", *plain)
    return None
