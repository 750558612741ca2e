"""Which files fixes may edit, and why others may not be."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cudalint.lint.config import find_config
from cudalint.lint.diagnostics import Diagnostic, Edit
from cudalint.lint.discovery import GitIgnores
from cudalint.lint.engine import Engine, Request, suppressions_of
from cudalint.lint.recheck import Recheck, real
from cudalint.lint.report import NOTE_CODE, Report
from cudalint.lint.suppressions import FileSuppressions
from cudalint.lint.userfolder import digest

MAX_NAMED = 3
"""Files that a reason lists by name."""


class FixScope:
    """Judges the files that fixes edit: those of the project, as they were checked, that can be written.

    `unread` are sources that include a file, given by `real`, and could not be checked with it.
    """

    def __init__(
        self, engine: Engine, request: Request, report: Report, recheck: Recheck, unread: Mapping[str, Sequence[str]]
    ) -> None:
        self._engine = engine
        self._request = request
        self._report = report
        self._recheck = recheck
        self._unread = unread
        self._asked = {real(name) for name in report.files}
        self._places = _Places(engine, request)
        self._problems: dict[str, str] = {}
        self._contents = {real(name): content for name, content in report.contents.items()}
        self._comments: dict[str, FileSuppressions] = {}
        outcomes = recheck.first.values()
        self._unparsed = {
            real(f.filename) for o in outcomes for f in o.findings if f.code == NOTE_CODE and _in_kernel(f)
        }
        self._known: dict[str, set[str]] = {}
        for name, seen in (entry for outcome in outcomes for entry in outcome.inputs):
            self._known.setdefault(real(name), set()).add(seen)
        self._files = {real(name) for o in outcomes for name in (o.path, *o.files)}

    def read(self, name: str) -> bytes:
        """The content of a file, given by `real`, before any fix. Raises OSError when it cannot be read."""
        if name not in self._contents:
            self._contents[name] = Path(name).read_bytes()
        return self._contents[name]

    def problem(self, finding: Diagnostic) -> tuple[str, str]:
        """The file on whose account a finding's fix is left out, and why; two empty strings when it is not."""
        edits = finding.fix.edits if finding.fix else ()
        if real(finding.filename) in self._unparsed:
            return finding.filename, "kernel code in it could not be read"
        for name in dict.fromkeys(edit.span.file for edit in edits):
            own = [edit for edit in edits if edit.span.file == name]
            why = self._file(name) or self._untold(name, edits)
            why = why or self._silenced(finding, name, own) or self._encoding(name, own)
            if why:
                return name, why
        return "", ""

    def _file(self, name: str) -> str:
        """Why a file must not be edited by any fix."""
        target = real(name)
        if target not in self._problems:
            self._problems[target] = self._stale(target) or self._foreign(name) or self._unchecked(target)
        return self._problems[target]

    def _stale(self, target: str) -> str:
        """Why a file is not there, as it was checked, to be written."""
        if self._request.stdin is not None:
            return "" if target in self._contents else "only standard input is fixed"
        if target not in self._files:
            return "it is no file of the project"
        try:
            content = self.read(target)
            mode = Path(target).stat().st_mode
        except FileNotFoundError:
            return "it is no longer there"
        except OSError as error:
            return f"it cannot be read: {error.strerror or error}"
        if self._known.get(target, set()) - {digest(content)}:
            return "it has changed since it was checked"
        if not mode & 0o222 or not os.access(target, os.W_OK):
            return "it is read-only"
        return "kernel code in it could not be read" if target in self._unparsed else ""

    def _foreign(self, name: str) -> str:
        """Why a file is none of the project's own."""
        if self._request.stdin is not None or real(name) in self._asked:
            return ""
        if not self._places.inside(Path(real(name))):
            link = Path(name).is_symlink() or self._places.inside(Path(name))
            return f"it is {'a link to a file ' if link else ''}outside of the project"
        return self._places.excluded(Path(real(name)))

    def _unchecked(self, target: str) -> str:
        """Which files that read one cannot show what a fix does there."""
        partly = [path for path in self._recheck.readers(target) if not self._recheck.first[path].complete]
        if partly:
            return f"{_listed(self._shown(partly))} could not be checked to the end"
        missed = self._unread.get(target, ())
        if not missed:
            return ""
        return f"{_listed(self._shown(missed))} {_verb(missed, 'include')} it and {_verb(missed, 'is')} not checked"

    def _untold(self, name: str, edits: Sequence[Edit]) -> str:
        """Who reads a file, but not all others that the fix edits: what was agreed between these would be broken."""
        edited = {real(edit.span.file) for edit in edits}
        if len(edited) == 1:
            return ""
        others = [
            reader
            for reader in self._recheck.readers(real(name))
            if real(reader) not in edited and not edited <= set(map(real, self._recheck.first[reader].files))
        ]
        if not others:
            return ""
        return f"{_listed(self._shown(others))} {_verb(others, 'include')} it and would have to be changed as well"

    def _silenced(self, finding: Diagnostic, name: str, edits: Sequence[Edit]) -> str:
        """Why a rule has no say in another file than the finding's."""
        target = real(name)
        if target == real(finding.filename):
            return ""
        if finding.code not in self._engine.active(Path(target)):
            return f"{finding.code} is switched off for it"
        if not self._request.use_suppressions:
            return ""
        if target not in self._comments:
            self._comments[target] = suppressions_of(target, self.read(target))
        placed = [replace(finding, span=edit.span) for edit in edits]
        return (
            "" if len(self._comments[target].silence(placed)) == len(placed) else f"{finding.code} is silenced there"
        )

    def _encoding(self, name: str, edits: Sequence[Edit]) -> str:
        """Why text cannot be written into a file: what was no UTF-8 there has been lost on the way."""
        if all(edit.content.isascii() for edit in edits):
            return ""
        try:
            self.read(real(name)).decode()
        except UnicodeDecodeError:
            return "it is not UTF-8 text"
        return ""

    def _shown(self, names: Sequence[str]) -> list[str]:
        return [self._report.path(name) for name in names]


class _Places:
    """Where the project of a run lies: below what was asked for, and in the same checkouts."""

    def __init__(self, engine: Engine, request: Request) -> None:
        found = engine.find(request)
        folders = [*found.folders, *(file.path.parent for file in found.files if file.named)]
        self._engine = engine
        self._folders = set(folders)
        self._homes = {home for folder in folders if (home := _home(folder))}
        self._ignores = GitIgnores()

    def inside(self, path: Path) -> bool:
        """Whether an absolute path belongs to the project."""
        return not self._folders.isdisjoint(path.parents) or _home(path.parent) in self._homes

    def excluded(self, path: Path) -> str:
        """Why the settings keep a file of the project from being looked at."""
        settings = self._engine.settings(path)
        tops = {*self._folders, *self._homes}
        below = [path, *(folder for folder in path.parents if not tops.isdisjoint(folder.parents))]
        if any(settings.excludes(place) for place in below):
            return "it is excluded"
        if settings.respect_gitignore and any(self._ignores.ignores(place, place != path) for place in below):
            return "git ignores it"
        return ""


def _home(folder: Path) -> Path | None:
    """The checkout that a folder belongs to, else the folder of its configuration; None without either."""
    repository = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)
    config = None if repository else find_config(folder)
    return config.parent if config else repository


def _in_kernel(note: Diagnostic) -> bool:
    return bool((note.evidence or {}).get("in_kernel"))


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _verb(names: Sequence[str], verb: str) -> str:
    if verb == "is":
        return "is" if len(names) == 1 else "are"
    return verb + ("s" if len(names) == 1 else "")
