"""The command line that a program is run with, from the `run` target of the Makefile beside it."""

from __future__ import annotations

import re
import shlex
from itertools import takewhile
from pathlib import Path

TARGETS = ("run", "test", "check", "bench")
"""Targets that people use to run what they built."""

_RULE = re.compile(r"^(?P<target>[\w.-]+)\s*:(?!=)")
_SHELL = re.compile(r"[|;&<>]|\d>")
"""Words from which on a recipe is no longer the program's own command line."""
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
            own = list(takewhile(lambda word: not _SHELL.match(word), words))
            return None if any("$" in word for word in own) else ("program", *own)
    return None
