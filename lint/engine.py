"""A run: find files, check them in worker processes, and reduce what they say to a report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.cache import CACHE_DIR, Cache
from cudalint.lint.catalog import UnknownRuleError, catalog
from cudalint.lint.config import ConfigError, Configs, Settings
from cudalint.lint.diagnostics import Confidence, Diagnostic, Severity
from cudalint.lint.discovery import Discovery, FileKind, Found, discover, kind_of
from cudalint.lint.jobs import Job, Outcome
from cudalint.lint.project import Project
from cudalint.lint.report import NOTE_CODE, Report
from cudalint.lint.suppressions import FileSuppressions
from cudalint.lint.worker import Pool

import cudalint

STDIN_NAME = "stdin.cu"


@dataclass(frozen=True, slots=True)
class Request:
    """What a run is asked to do, besides the settings of the files.

    `stdin` is the text to check instead of files, under the name `stdin_filename`. `flags` are compiler flags for
    every file. `cache_dir` None means that the settings decide; `use_cache` false reads and writes none.
    """

    paths: tuple[Path, ...] = ()
    stdin: bytes | None = None
    stdin_filename: str | None = None
    flags: tuple[str, ...] = ()
    use_cache: bool = True
    use_suppressions: bool = True


class Engine:
    """Checks files under one set of configurations; usable for several requests, closed at the end."""

    def __init__(self, configs: Configs, *, top: Settings | None = None) -> None:
        self._configs = configs
        self._top = top or configs.for_folder(Path.cwd())
        self._pool = Pool(self._top.jobs or _processors(), self._top.timeout_per_file)
        self._enabled: dict[tuple[object, ...], frozenset[str]] = {}
        self._caches: dict[Path, Cache] = {}
        self._done: dict[Request, tuple[Outcome, ...]] = {}

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def find(self, request: Request) -> Discovery:
        """The files that a request means."""
        if request.stdin is None:
            return discover(request.paths, self._configs)
        shown = request.stdin_filename or STDIN_NAME
        path = Path(shown).absolute()
        kind = kind_of(path) or FileKind.SOURCE
        return Discovery(files=[Found(path, request.stdin_filename or "<stdin>", kind, named=True)])

    def run(self, request: Request) -> Report:
        """Check everything that a request names.

        Raises:
            ConfigError: a configuration cannot be used.
            UnknownRuleError: a selector names no rule.
        """
        found = self.find(request)
        self._pool.start(len(found.files))
        readable, errors = _split_unreadable(found.files)
        contents: dict[str, bytes] = {}
        if request.stdin is not None:
            contents[str(found.files[0].path)] = request.stdin
            readable, errors = found.files, []
        outcomes = self.outcomes(readable, request, {name: {name: text} for name, text in contents.items()})
        self._done[request] = tuple(outcomes)
        kept, suppressed = self.reduced(outcomes, self.scope(readable, found.folders), request, contents)
        return Report(
            findings=tuple(kept),
            files=tuple(str(file.path) for file in readable),
            rules=catalog().infos(self._all_enabled(readable)),
            errors=(*found.errors, *errors),
            warnings=tuple(found.warnings),
            suppressed=suppressed,
            shown={str(file.path): file.shown for file in readable},
            contents=contents,
            version=cudalint.__version__,
        )

    def done(self, request: Request) -> tuple[Outcome, ...]:
        """What checking each file gave, before any filter, when the request was run: fixing goes on from there."""
        return self._done[request]

    def outcomes(
        self,
        files: Sequence[Found],
        request: Request,
        overlays: Mapping[str, Mapping[str, bytes]],
        known: Mapping[str, Outcome] | None = None,
    ) -> list[Outcome]:
        """What checking each file gives: sources and build files first, then headers that none of them has read.

        `overlays` are, for a file to check, the contents that it and what it includes have instead of those on disk.
        A file with a `known` outcome is not checked again.
        """
        first = [file for file in files if file.kind is not FileKind.HEADER]
        outcomes = self._check(first, request, overlays, known or {})
        seen = _read_by(outcomes)
        rest = [file for file in files if file.kind is FileKind.HEADER and str(file.path) not in seen]
        return [*outcomes, *self._check(rest, request, overlays, known or {})]

    def settings(self, path: Path) -> Settings:
        """The settings that apply to a file."""
        return self._configs.for_file(path)

    def scope(self, files: Sequence[Found], folders: Sequence[Path]) -> Scope:
        """Where findings are reported when these files and folders are asked for."""
        return Scope(files, folders, self._configs)

    def unit(self, path: Path, request: Request, contents: Mapping[str, bytes] | None = None) -> Unit:
        """The model of one source file with its analyses, made in this process, as the workers make it.

        `contents` replace the file, and files that it includes, by name.
        """
        from cudalint.lint.frontend import parse_file

        overlay = dict(contents or {})
        job = self._job(Found(path, str(path), FileKind.SOURCE), request, overlay)
        content = overlay.pop(job.path, None)
        program = parse_file(job.path, flags=job.flags, content=content, overlay=overlay)
        return Unit(program, job.options, Project(job.path, job.flags, contents))

    def enabled(self, path: Path) -> frozenset[str]:
        """The codes of the rules that run on a file.

        Raises:
            UnknownRuleError: a selector of the configuration or the command line names no rule.
        """
        settings = self._configs.for_file(path)
        key = (settings.select, settings.ignore, settings.extend_select)
        if key not in self._enabled:
            try:
                self._enabled[key] = catalog().select(settings.select, settings.ignore, settings.extend_select)
            except UnknownRuleError as error:
                where = f"{settings.source}: " if settings.source else ""
                raise UnknownRuleError(f"{where}{error}") from error
        return self._enabled[key]

    def _all_enabled(self, files: Sequence[Found]) -> frozenset[str]:
        paths = [file.path for file in files] or [Path.cwd() / STDIN_NAME]
        return frozenset().union(*(self.enabled(path) for path in paths))

    def _job(self, file: Found, request: Request, contents: Mapping[str, bytes]) -> Job:
        settings = self._configs.for_file(file.path)
        flags = self._flags(file.path, settings, request)
        options = Options(block=settings.dims("block"), grid=settings.dims("grid"), cuda=settings.cuda)
        path = str(file.path)
        codes = tuple(sorted(self.enabled(file.path) | {NOTE_CODE}))
        overlay = tuple((name, content) for name, content in contents.items() if name != path)
        return Job(path, file.kind, codes, flags, options, contents.get(path), overlay)

    def _flags(self, path: Path, settings: Settings, request: Request) -> tuple[str, ...]:
        """The compiler flags of a file: from compile_commands.json, the settings, then the command line."""
        if kind_of(path) is FileKind.BUILD:
            return ()
        from cudalint.lint.frontend.compiledb import flags_for
        from cudalint.lint.frontend.flags import translate

        commands = _compile_commands(settings.build_dir) if settings.build_dir else None
        own = translate((*settings.extra_args, *request.flags), Path.cwd())
        return (*flags_for(path, commands), *own)

    def _check(
        self,
        files: Sequence[Found],
        request: Request,
        overlays: Mapping[str, Mapping[str, bytes]],
        known: Mapping[str, Outcome],
    ) -> list[Outcome]:
        jobs = [self._job(file, request, overlays.get(str(file.path), {})) for file in files]
        caches = [self._cache(file) if request.use_cache else None for file in files]
        old = [
            known.get(job.path) or (cache.get(job) if cache else None)
            for job, cache in zip(jobs, caches, strict=True)
        ]
        todo = [(job, cache) for job, cache, outcome in zip(jobs, caches, old, strict=True) if outcome is None]
        fresh = {}
        for (job, cache), outcome in zip(todo, self._pool.map(job for job, _ in todo), strict=True):
            fresh[job.path] = outcome
            if cache:
                cache.put(job, outcome)
        return [outcome or fresh[job.path] for job, outcome in zip(jobs, old, strict=True)]

    def _cache(self, file: Found) -> Cache:
        folder = self.cache_folder(file.path)
        if folder not in self._caches:
            self._caches[folder] = Cache(folder)
        return self._caches[folder]

    def cache_folder(self, path: Path) -> Path:
        """Where the outcomes of a file are kept."""
        settings = self._configs.for_file(path)
        if settings.cache_dir:
            return Path(settings.cache_dir).absolute()
        return (settings.source.parent if settings.source else Path.cwd()) / CACHE_DIR

    def reduced(
        self, outcomes: Sequence[Outcome], scope: Scope, request: Request, contents: Mapping[str, bytes]
    ) -> tuple[list[Diagnostic], int]:
        """What is left after scope, settings and suppressions, in order, and how many findings comments silenced.

        `contents` are the texts that are not on disk as they were checked.
        """
        merged = merge(as_included(outcomes))
        by_file: dict[str, list[Diagnostic]] = {name: [] for name in _read_by(outcomes) if scope.covers(name)}
        for finding in merged:
            if scope.covers(finding.filename):
                by_file.setdefault(finding.filename, []).append(finding)
        complete = {outcome.path for outcome in outcomes if outcome.complete}
        incomplete = {outcome.path for outcome in outcomes} - complete
        kept: list[Diagnostic] = []
        suppressed = 0
        for name, findings in by_file.items():
            wanted = list(self._configured(name, findings))
            if request.use_suppressions:
                before = len(wanted)
                comments = suppressions_of(name, contents.get(name))
                wanted = comments.silence(wanted)
                suppressed += before - len(wanted)
                if name not in incomplete:
                    meta = meta_findings(comments, self.enabled(Path(name)))
                    wanted += comments.silence(self._configured(name, meta))
            kept += wanted
        loud = (finding for finding in kept if self._loud(finding))
        return sorted(loud, key=lambda d: d.sort_key), suppressed

    def active(self, path: Path) -> frozenset[str]:
        """The codes of the rules whose findings in a file are reported: without those ignored per file."""
        settings = self._configs.for_file(path)
        off: frozenset[str] = frozenset().union(*(catalog().expand(s) for s in settings.ignored_in(path)))
        return self.enabled(path) - off

    def _configured(self, name: str, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Findings of enabled rules, without those ignored per file, with the severities of the settings."""
        path = Path(name)
        settings = self._configs.for_file(path)
        enabled = self.active(path)
        severities = {catalog().find(key).code: Severity[v.upper()] for key, v in settings.severity.items()}
        for finding in findings:
            if finding.code in enabled:
                severity = severities.get(finding.code)
                yield finding if severity is None else replace(finding, severity=severity)

    def _loud(self, finding: Diagnostic) -> bool:
        settings = self._configs.for_file(Path(finding.filename))
        return finding.severity >= Severity[settings.min_severity.upper()] and (
            finding.confidence >= Confidence[settings.min_confidence.upper()]
        )


def suppressions_of(name: str, content: bytes | None = None) -> FileSuppressions:
    """The suppression comments of a file, from its content or from disk."""
    try:
        data = Path(name).read_bytes() if content is None else content
    except OSError:
        data = b""
    return FileSuppressions(name, data, _code_of, hash_comments=kind_of(Path(name)) is FileKind.BUILD)


def _code_of(text: str) -> str | None:
    try:
        return catalog().find(text).code
    except UnknownRuleError:
        return None


def meta_findings(comments: FileSuppressions, active: frozenset[str]) -> Iterator[Diagnostic]:
    """What the meta rules say about a file's suppressions, once those have seen all its findings."""
    for problem in comments.problems(active):
        rule = catalog().by_code[problem.code]
        yield Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            message=problem.message,
            span=problem.span,
            help=problem.help,
            fix=problem.fix,
        )


class Scope:
    """Which files a run may report on: those asked for, and project headers under or beside them."""

    def __init__(self, files: Sequence[Found], folders: Sequence[Path], configs: Configs) -> None:
        self._files = {str(file.path) for file in files}
        self._folders = {*folders, *(file.path.parent for file in files if file.named)}
        self._configs = configs
        self._known: dict[str, bool] = {}

    def covers(self, name: str) -> bool:
        """Whether findings in a file are reported."""
        if name in self._files:
            return True
        if name not in self._known:
            self._known[name] = self._near(Path(name))
        return self._known[name]

    def _near(self, path: Path) -> bool:
        if not any(folder in path.parents for folder in self._folders):
            return False
        settings = self._configs.for_file(path)
        return not settings.excludes(path)


def merge(outcomes: Iterable[Outcome]) -> list[Diagnostic]:
    """All findings, each once: a header that several files include is reported in the words of the first.

    Two findings of one rule at one place within one file's outcome are both kept if they say different things.
    """
    owner: dict[tuple[object, ...], str] = {}
    seen: set[tuple[object, ...]] = set()
    merged = []
    for outcome in outcomes:
        for finding in outcome.findings:
            span = finding.span
            place = (finding.code, span.file, span.offset, span.end_offset, span.line, span.column)
            exact = (*place, finding.message)
            if owner.setdefault(place, outcome.path) != outcome.path or exact in seen:
                continue
            seen.add(exact)
            merged.append(finding)
    return merged


def as_included(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """The outcomes, where a source that others include is judged as they read it.

    By itself it may lack what they declare before it, and the launches of its kernels. What is said of its host code
    stands, for only the rules that start from it look there.
    """
    noted = {(o.path, d.filename) for o in outcomes for d in o.findings if d.code == NOTE_CODE}
    included = {name for o in outcomes for name in o.files if name != o.path and (o.path, name) not in noted}
    for outcome in outcomes:
        if outcome.path in included and outcome.complete:
            kept = [
                d for d in outcome.findings if d.code != NOTE_CODE and (not d.kernel or d.filename != outcome.path)
            ]
            outcome = replace(outcome, findings=tuple(kept))
        yield outcome


def exit_status(report: Report, fail_on: Severity = Severity.INFO) -> int:
    """0 clean, 1 findings, 2 something could not run. Notes on unreadable code are no findings."""
    if report.errors:
        return 2
    return int(any(d.severity >= fail_on for d in report.findings if d.code != NOTE_CODE))


def _read_by(outcomes: Iterable[Outcome]) -> set[str]:
    return {name for outcome in outcomes for name in outcome.files}


def _split_unreadable(files: Sequence[Found]) -> tuple[list[Found], list[str]]:
    """Named files that cannot be opened are errors; those that a search met become notes when they are checked."""
    readable, errors = [], []
    for file in files:
        problem = _open_problem(file.path) if file.named else ""
        if problem:
            errors.append(f"{file.shown}: cannot be read: {problem}")
        else:
            readable.append(file)
    return readable, errors


def _open_problem(path: Path) -> str:
    try:
        with path.open("rb"):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _compile_commands(build_dir: str) -> Path:
    place = Path(build_dir)
    found = place if place.is_file() else place / "compile_commands.json"
    if not found.is_file():
        raise ConfigError(f"build folder {build_dir}: has no compile_commands.json")
    return found


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
