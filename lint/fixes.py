"""Apply the fixes of findings: non-overlapping edits, pass by pass, until nothing more can be fixed.

A fix is applied whole or not at all. A fix that leaves its finding standing, or brings a new one, is taken
back and not tried again. Files are written atomically; their encoding, line endings and mode are kept.
"""

from __future__ import annotations

import difflib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Severity

MAX_PASSES = 10
"""As ruff: more passes than this mean that two fixes undo each other."""

Lint = Callable[[bytes], Sequence[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file before and after, with the findings that were fixed and those whose fix was taken back."""

    path: str
    before: bytes
    after: bytes
    applied: tuple[Diagnostic, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    remaining: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def changed(self) -> bool:
        """Whether the file has to be written."""
        return self.before != self.after


def applicable(finding: Diagnostic, *, unsafe: bool) -> bool:
    """Whether a finding has edits that may be applied: all of them in its own file and outside macros."""
    fix = finding.fix
    if fix is None or not fix.edits or fix.applicability is Applicability.DISPLAY:
        return False
    if fix.applicability is Applicability.UNSAFE and not unsafe:
        return False
    return all(e.span.file == finding.span.file and e.span.macro is None for e in fix.edits)


def apply_edits(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with the edits made; they must not overlap. Line feeds follow the file's own line ends.

    Raises:
        ValueError: two edits overlap, or one lies outside the content.
    """
    newline = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.span.offset, e.span.end_offset)):
        if edit.span.offset < at or edit.span.end_offset > len(content):
            raise ValueError(f"edit at byte {edit.span.offset} overlaps another or lies outside the file")
        pieces += [content[at : edit.span.offset], edit.content.replace("\n", newline).encode()]
        at = edit.span.end_offset
    return b"".join([*pieces, content[at:]])


def disjoint(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings, in order, whose edits touch none of those chosen before. Identical edits are shared."""
    chosen: list[Diagnostic] = []
    taken: list[Edit] = []
    for finding in sorted(findings, key=lambda f: f.sort_key):
        edits = finding.fix.edits if finding.fix else ()
        fresh = [e for e in edits if e not in taken]
        if edits and not any(_touch(e, t) for e in fresh for t in taken):
            chosen.append(finding)
            taken += fresh
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    a, b = one.span, other.span
    return a.offset <= b.end_offset and b.offset <= a.end_offset


def fix_content(
    path: str, content: bytes, lint: Lint, *, unsafe: bool, accept: Callable[[Diagnostic], bool] | None = None
) -> Fixed:
    """Fix one file in memory. `lint` gives the findings of a content; `accept` may veto single fixes."""
    before = content
    applied: list[Diagnostic] = []
    refused: list[Diagnostic] = []
    findings = lint(content)
    for _ in range(MAX_PASSES):
        tried = {_identity(f) for f in refused}
        todo = disjoint(
            [
                f
                for f in findings
                if applicable(f, unsafe=unsafe) and _identity(f) not in tried and (accept is None or accept(f))
            ]
        )
        if not todo:
            break
        content, findings, done, failed = _one_pass(content, findings, todo, lint)
        applied += done
        refused += failed
    return Fixed(path, before, content, tuple(applied), tuple(refused), tuple(findings))


def _one_pass(
    content: bytes, findings: Sequence[Diagnostic], todo: list[Diagnostic], lint: Lint
) -> tuple[bytes, Sequence[Diagnostic], list[Diagnostic], list[Diagnostic]]:
    """Apply all of `todo` at once; if that makes anything worse, one by one."""
    batches = [todo] if len(todo) == 1 else [todo, *([f] for f in todo)]
    for batch in batches:
        edits = list(dict.fromkeys(e for f in batch if f.fix for e in f.fix.edits))
        after = apply_edits(content, edits)
        again = lint(after)
        if after != content and _better(findings, again, batch):
            return after, again, batch, []
    return content, findings, [], todo


def _better(before: Sequence[Diagnostic], after: Sequence[Diagnostic], fixed: Sequence[Diagnostic]) -> bool:
    """Whether the fixed findings are gone and no new one (above info) came: counted per code and kernel."""
    had, have = Counter(map(_kind, before)), Counter(map(_kind, after))
    gone = Counter(map(_kind, fixed))
    less = all(have[kind] <= had[kind] - count for kind, count in gone.items())
    loud = {_kind(f) for f in after if f.severity > Severity.INFO or f.code == "CUD000"}
    return less and all(have[kind] <= had[kind] for kind in loud)


def _kind(finding: Diagnostic) -> tuple[str, str | None]:
    return finding.code, finding.kernel


def _identity(finding: Diagnostic) -> tuple[str, str | None, str]:
    return finding.code, finding.kernel, finding.message


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file's content so that a reader, or a crash, sees the old or the new one, never half.

    Symbolic links are followed, the mode is kept. Raises OSError when the folder cannot be written.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o7777)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def unified_diff(fixed: Fixed) -> str:
    """The change as a unified diff with a/ and b/ prefixes; empty when nothing changed."""
    old, new = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (fixed.before, fixed.after))
    lines = difflib.unified_diff(old, new, f"a/{fixed.path}", f"b/{fixed.path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
