"""Apply the fixes of findings to file contents in memory: pass by pass, until nothing more can be fixed.

A fix is a set of edits in one or several files, made whole or not at all. Of fixes that touch each other the first
is made and the others wait for the next pass; the same edit asked for by several fixes is made once. A fix that
leaves its finding standing, brings a new one, or makes something unreadable is taken back in all of its files.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Severity
from cudalint.lint.model.source import Span

MAX_PASSES = 10
"""As ruff: more passes than this mean that two fixes undo each other."""

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")

Contents = Mapping[str, bytes]
"""Files by the name that `Place` gives them."""

Read = Callable[[str], bytes]
"""The content of a file before any fix."""

Place = Callable[[str], str]
"""From the name of a file in a span to the one that all its spellings share."""

Identity = tuple[str, str, str | None, str]
"""What a finding is known by when lines have moved: file, code, kernel, message."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What checking gave: the findings, and every (file, note) on what could not be read."""

    findings: tuple[Diagnostic, ...]
    notes: frozenset[tuple[str, str]] = frozenset()


Lint = Callable[[Contents], Seen]
"""Checks everything with these contents in place of those before any fix."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file before and after, with the findings whose fixes changed it."""

    path: str
    before: bytes
    after: bytes
    applied: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class FixedFiles:
    """The changed files by name, the findings fixed, those whose fix was taken back, and what is seen then."""

    files: Mapping[str, Fixed]
    applied: tuple[Diagnostic, ...]
    refused: tuple[Diagnostic, ...]
    seen: Seen

    @property
    def contents(self) -> Contents:
        """The changed files as they are then."""
        return {name: file.after for name, file in self.files.items()}


def applicable(finding: Diagnostic, *, unsafe: bool) -> bool:
    """Whether a finding has edits that may be applied: disjoint ones, outside of macros."""
    fix = finding.fix
    if fix is None or not fix.edits or fix.applicability is Applicability.DISPLAY:
        return False
    if fix.applicability is Applicability.UNSAFE and not unsafe:
        return False
    placed = edits_of(finding)
    return all(e.span.macro is None for e in fix.edits) and not any(
        one.span.file == other.span.file and one.span.end_offset > other.span.offset
        for one, other in pairwise(sorted(placed, key=_order))
    )


def edits_of(finding: Diagnostic, place: Place = str) -> list[Edit]:
    """The edits of a finding's fix, each once, with nothing in their spans but file and offsets."""
    edits = finding.fix.edits if finding.fix else ()
    return list(dict.fromkeys(Edit(_bare(e.span, place), e.content) for e in edits))


def _bare(span: Span, place: Place) -> Span:
    return Span(place(span.file), 0, 0, 0, 0, span.offset, span.end_offset)


def _order(edit: Edit) -> tuple[str, int, int]:
    return edit.span.file, edit.span.offset, edit.span.end_offset


def apply_edits(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with the edits made; they must not overlap. Line feeds follow the file's own line ends.

    Raises:
        ValueError: two edits overlap, or one lies outside the content.
    """
    newline = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=_order):
        start, end = edit.span.offset, edit.span.end_offset
        if start == end == 0 and content.startswith(_BOM):
            start = end = len(_BOM)
        if start < at or not start <= end <= len(content):
            raise ValueError(f"edit at byte {start} overlaps another or lies outside the file")
        text = edit.content.replace("\r\n", "\n").replace("\n", newline)
        pieces += [content[at:start], text.encode()]
        at = end
    return b"".join([*pieces, content[at:]])


def apply_all(contents: Contents, edits: Iterable[Edit], read: Read) -> dict[str, bytes]:
    """The contents, and those that the edits need besides, with the edits made. One asked for twice is made once.

    Raises:
        ValueError: see `apply_edits`.
    """
    by_file: dict[str, list[Edit]] = {}
    for edit in dict.fromkeys(edits):
        by_file.setdefault(edit.span.file, []).append(edit)
    made = {n: apply_edits(contents[n] if n in contents else read(n), own) for n, own in by_file.items()}
    return {**contents, **made}


def disjoint(findings: Sequence[Diagnostic], place: Place = str) -> list[Diagnostic]:
    """The findings, in order, whose edits touch none of those chosen before. Identical edits are shared."""
    chosen: list[Diagnostic] = []
    taken: dict[str, dict[Edit, None]] = {}
    for finding in sorted(findings, key=lambda f: f.sort_key):
        edits = edits_of(finding, place)
        fresh = [e for e in edits if e not in taken.get(e.span.file, {})]
        if edits and not any(_touch(e, t) for e in fresh for t in taken.get(e.span.file, {})):
            chosen.append(finding)
            for edit in fresh:
                taken.setdefault(edit.span.file, {})[edit] = None
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    a, b = one.span, other.span
    return a.offset <= b.end_offset and b.offset <= a.end_offset


def fix_files(
    read: Read, seen: Seen, lint: Lint, wanted: Callable[[Diagnostic], bool], place: Place = str
) -> FixedFiles:
    """Fix files in memory.

    `seen` is what checking gave before, `wanted` says which findings to fix. A fix that was taken back is tried again
    once others are made, so that a second run finds nothing to do.
    """
    contents: dict[str, bytes] = {}
    changed_by: dict[str, dict[int, Diagnostic]] = {}
    applied: list[Diagnostic] = []
    refused: list[Diagnostic] = []
    again = False
    for _ in range(MAX_PASSES):
        tried = set(map(identity, refused))
        todo = disjoint([f for f in seen.findings if wanted(f) and identity(f) not in tried], place)
        if not todo and not (again and refused):
            break
        if not todo:
            refused, again = [], False
            continue
        made = _Pass(contents, seen, lint, place, read)
        made.run(todo)
        contents, seen = made.contents, made.seen
        applied += made.kept
        refused += made.failed
        again = again or bool(made.kept)
        for finding in made.kept:
            for edit in edits_of(finding, place):
                changed_by.setdefault(edit.span.file, {})[id(finding)] = finding
    left = set(map(identity, seen.findings))
    files = {
        name: Fixed(name, read(name), content, tuple(changed_by[name].values()))
        for name, content in contents.items()
        if content != read(name)
    }
    return FixedFiles(files, tuple(applied), tuple(f for f in refused if identity(f) in left), seen)


class _Pass:
    """One pass: of fixes that do not touch each other, those that make things better, found by halving."""

    def __init__(self, contents: dict[str, bytes], seen: Seen, lint: Lint, place: Place, read: Read) -> None:
        self._base = contents
        self._read = read
        self._lint = lint
        self._place = place
        self.contents = contents
        self.seen = seen
        self.kept: list[Diagnostic] = []
        self.failed: list[Diagnostic] = []

    def run(self, todo: list[Diagnostic]) -> None:
        """Keep all of `todo` if that is better than nothing, else look for those that are not."""
        batches = [todo]
        while batches:
            batch = batches.pop()
            where = self._try(batch)
            if where is None:
                continue
            if len(batch) == 1:
                self.failed += batch
                continue
            suspects = [f for f in batch if f.filename in where or any(e.span.file in where for e in edits_of(f))]
            others = [f for f in batch if f not in suspects]
            half = len(batch) // 2
            first, second = (others, suspects) if others and suspects else (batch[:half], batch[half:])
            batches += [second, first]

    def _try(self, batch: list[Diagnostic]) -> set[str] | None:
        """Keep the fixes of `batch`, or say in which files things did not become better."""
        edits = [e for f in (*self.kept, *batch) for e in edits_of(f, self._place)]
        try:
            contents = apply_all(self._base, edits, self._read)
        except ValueError:
            return set()
        if all(c == (self.contents[n] if n in self.contents else self._read(n)) for n, c in contents.items()):
            return set()
        again = self._lint(contents)
        where = worse(self.seen, again, batch)
        if where is not None:
            return where
        self.contents, self.seen = contents, again
        self.kept += batch
        return None


def worse(before: Seen, after: Seen, fixed: Sequence[Diagnostic]) -> set[str] | None:
    """The files in which a fixed finding is still there, a new one (above info) came, or less can be read.

    None when there is no such file. Findings are counted per file, code and kernel.
    """
    had, have = Counter(map(_kind, before.findings)), Counter(map(_kind, after.findings))
    gone = Counter(map(_kind, fixed))
    loud = {_kind(f) for f in after.findings if f.severity > Severity.INFO}
    files = {kind[0] for kind, count in gone.items() if have[kind] > had[kind] - count}
    files |= {kind[0] for kind in loud if have[kind] > had[kind]}
    files |= {file for file, _ in after.notes - before.notes}
    return files or None


def _kind(finding: Diagnostic) -> tuple[str, str, str | None]:
    return finding.filename, finding.code, finding.kernel


def identity(finding: Diagnostic) -> Identity:
    """What a finding is known by when lines have moved."""
    return finding.filename, finding.code, finding.kernel, finding.message


def unified_diff(fixed: Fixed) -> bytes:
    """The change as a unified diff with a/ and b/ prefixes; empty when there is none. Only line feeds end a line."""
    old, new = (_LINE.findall(text) for text in (fixed.before, fixed.after))
    name = os.fsencode(fixed.path)
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, b"a/" + name, b"b/" + name)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)
