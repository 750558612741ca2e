"""Check the files of a run again with other contents: only those that read what has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import Found
from cudalint.lint.engine import Engine, Request
from cudalint.lint.fixes import Contents, Seen, edits_of
from cudalint.lint.jobs import Outcome
from cudalint.lint.report import NOTE_CODE, Report
from cudalint.lint.userfolder import digest


@cache
def real(name: str) -> str:
    """The name that all spellings of a file share: without symbolic links."""
    return os.path.realpath(name)


class Recheck:
    """What a run gives when some of its files have other contents; those are named by `real`.

    Besides the files of the run, `more` are checked too, so that nothing breaks there: they are not reported on.

    What a file gives rests on what it includes, and to a small part on all other files of its project, in which
    launches were looked for. So it is checked again for the former; for the latter only when asked to be `thorough`.
    """

    def __init__(self, engine: Engine, request: Request, report: Report, more: Sequence[Found] = ()) -> None:
        self._engine = engine
        self._request = request
        found = engine.find(request)
        checked = set(report.files)
        self._own = [file for file in found.files if str(file.path) in checked]
        self._all = [*self._own, *more]
        self._scope = engine.scope(self._own, found.folders)
        self._wide = engine.scope(self._all, [Path("/")])
        self._stdin = {real(name): content for name, content in report.contents.items()}
        self._spellings: dict[tuple[str, bool], dict[str, list[str]]] = {}
        known = [*engine.done(request), *self._checked(more, {}, {})]
        self.first = {outcome.path: outcome for outcome in known}
        self._readers: dict[str, list[str]] = {}
        for outcome in known:
            for target in dict.fromkeys(map(real, outcome.files)):
                self._readers.setdefault(target, []).append(outcome.path)
        self._memo: dict[tuple[str, frozenset[tuple[str, str]]], Outcome] = {
            (outcome.path, self._key(self._overlay(outcome.path, {}, thorough=True))): outcome for outcome in known
        }

    def seen(self, contents: Contents, *, thorough: bool = False) -> Seen:
        """The findings in all files, also where the run reports none, and what could not be read."""
        outcomes = self._outcomes(self._all, contents, thorough=thorough)
        findings, _ = self._engine.reduced(outcomes, self._wide, self._request, self._named(outcomes, contents))
        notes = frozenset(
            (o.path, f"{f.filename}: {f.message}") for o in outcomes for f in o.findings if f.code == NOTE_CODE
        )
        return Seen(tuple(findings), notes)

    def findings(self, contents: Contents) -> tuple[Diagnostic, ...]:
        """The findings that the run itself reports."""
        outcomes = self._outcomes(self._own, contents, thorough=True)
        findings, _ = self._engine.reduced(outcomes, self._scope, self._request, self._named(outcomes, contents))
        return tuple(findings)

    def readers(self, name: str) -> list[str]:
        """The checked files that read a file, given by `real`."""
        return self._readers.get(name, [])

    def reports(self, name: str) -> bool:
        """Whether the run itself reports findings in a file."""
        return self._scope.covers(name)

    def _outcomes(self, files: Sequence[Found], contents: Contents, *, thorough: bool) -> list[Outcome]:
        overlays = {path: self._overlay(path, contents, thorough=thorough) for path in self.first}
        known = {
            path: outcome
            for path, overlay in overlays.items()
            if (outcome := self._memo.get((path, self._key(overlay)))) is not None
        }
        outcomes = self._checked(files, overlays, known)
        for outcome in outcomes:
            self._memo[outcome.path, self._key(overlays.get(outcome.path, {}))] = outcome
        return outcomes

    def _checked(
        self, files: Sequence[Found], overlays: Mapping[str, Mapping[str, bytes]], known: Mapping[str, Outcome]
    ) -> list[Outcome]:
        return self._engine.outcomes(files, self._request, overlays, known)

    def _overlay(self, path: str, contents: Contents, *, thorough: bool) -> dict[str, bytes]:
        """The contents that a file and those it rests on have instead of those on disk, as it names them."""
        if (path, thorough) not in self._spellings:
            first = self.first[path]
            names = [path, *first.files, *(e.span.file for f in first.findings for e in edits_of(f))]
            spelled = self._spellings[path, thorough] = {}
            for name in dict.fromkeys([*names, *(name for name, _ in first.inputs if thorough)]):
                spelled.setdefault(real(name), []).append(name)
        spelled = self._spellings[path, thorough]
        now = {**self._stdin, **contents}
        return {name: content for target, content in now.items() for name in spelled.get(target, ())}

    @staticmethod
    def _key(overlay: Mapping[str, bytes]) -> frozenset[tuple[str, str]]:
        return frozenset((name, digest(content)) for name, content in overlay.items())

    def _named(self, outcomes: Iterable[Outcome], contents: Contents) -> dict[str, bytes]:
        now = {**self._stdin, **contents}
        names = {name for outcome in outcomes for name in (outcome.path, *outcome.files)}
        return {name: now[real(name)] for name in names if real(name) in now}


def found_at(path: str) -> Found:
    """A source that was not asked for, as one to check."""
    from cudalint.lint.discovery import FileKind

    return Found(Path(path), path, FileKind.SOURCE)
