"""Write suppression comments for all findings of a report into the sources."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from cudalint.lint.atomic import write_atomically
from cudalint.lint.comments import SourceText
from cudalint.lint.discovery import FileKind, kind_of
from cudalint.lint.report import Report

_OWN = re.compile(rb"(?P<head>cudalint:[ \t]*ignore[ \t]*\[)(?P<list>[^\]\n]*)\]")


def add_ignores(report: Report, reason: str) -> tuple[int, list[str]]:
    """Add a comment to the line of every finding; returns how many findings, and what could not be done.

    A line that ends in a backslash cannot carry a comment, nor can JSON; such findings are left alone.
    """
    by_file: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for finding in report.faults:
        by_file[finding.filename][finding.span.line].add(finding.code)
    added, problems = 0, []
    for name, lines in by_file.items():
        path = Path(name)
        if path.suffix == ".json" or name in report.contents:
            problems.append(f"{report.path(name)}: cannot carry comments")
            continue
        text = SourceText(path.read_bytes(), hash_comments=kind_of(path) is FileKind.BUILD)
        data = text.data
        for line, codes in sorted(lines.items(), reverse=True):
            edited = _edited(text, line, sorted(codes), reason)
            if edited is None:
                problems.append(f"{report.path(name)}:{line}: no room for a comment (the line is continued)")
                continue
            start = text.starts[line - 1]
            data = data[:start] + edited + data[start + len(text.line_bytes(line)) :]
            added += len(codes)
        try:
            write_atomically(path, data)
        except OSError as error:
            problems.append(f"{report.path(name)}: cannot be written: {error.strerror}")
    return added, problems


def _edited(text: SourceText, line: int, codes: list[str], reason: str) -> bytes | None:
    """A line with its comment added, or its present comment extended."""
    old = text.line_bytes(line)
    if old.rstrip().endswith(b"\\") or _inside_token(text, line):
        return None
    trailing = next((c for c in text.comments if c.line == line == c.end_line), None)
    if trailing is not None:
        at = trailing.offset - text.starts[line - 1]
        match = _OWN.search(old, at)
        if match:
            listed = [part.strip() for part in match["list"].decode().split(",")]
            merged = ", ".join(dict.fromkeys([*filter(None, listed), *codes]))
            return old[: match.start("list")] + merged.encode() + old[match.end("list") :]
    mark = "#" if text.hash_comments else "//"
    words = f"{mark} cudalint: ignore[{', '.join(codes)}]{' ' + reason if reason else ''}"
    return old.rstrip() + b"  " + words.encode()


def _inside_token(text: SourceText, line: int) -> bool:
    """Whether a block comment runs over the end of the line."""
    return any(comment.line <= line < comment.end_line for comment in text.comments)
