"""Verify fixes inside the user's own program: its build, its data, its launches.

The program's folder is copied, built and run there with a library preloaded that sees allocations and launches
(`verify/preload`). At a launch of a flagged kernel the library runs the flagged and the fixed kernel on the memory
that the program has at that point. Only ever with a command that the user has given.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from cudalint.lint.diagnostics import Diagnostic
from cudalint.verify.build import BuildError
from cudalint.verify.judge import RACES
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_build import Command, Cubin, compile_cubin, find_kernel, link_cubin, moved
from cudalint.verify.program_copy import Copy, with_contents
from cudalint.verify.program_find import Launched, element_types, fixed_contents, launched, may_change_launch
from cudalint.verify.program_host import verify_host
from cudalint.verify.program_job import Looked, Shape, Want, build_compare, job_text, read_results
from cudalint.verify.program_judge import judge_launches, with_racecheck
from cudalint.verify.program_pinned import verify_copies
from cudalint.verify.program_run import Ran
from cudalint.verify.program_runner import Built, FixError, ProgramOptions, Runner
from cudalint.verify.program_sanitizer import SHARED_RACES, racecheck
from cudalint.verify.run import Work
from cudalint.verify.store import Store
from cudalint.verify.verdict import Verdict, Verification

BUILDS = 4
"""Compilers side by side."""

MAX_SOURCES = 12
"""Sources of a program that are compiled in search of a kernel."""

COPIES = "CUD504"
"""The rule on asynchronous copies of pageable memory. Without a fix, one run answers for all its findings."""

CHECKED_LAUNCHES = 2
"""Launches at which results are compared: the data of the first may be all zeros."""

Progress = Callable[[Sequence[Work], Verification], None]
Results = Mapping[str, list[Looked] | str]
"""What was found for a want, by its id, or why nothing was."""

_Parts = Sequence[tuple[Command, Path]]
"""What is compiled for a kernel: one source, or all that are linked."""


@dataclass(slots=True)
class _Case:
    """Findings with one rewrite, on their way to a verdict."""

    group: Sequence[Work]
    number: int
    key: str = ""
    contents: Mapping[Path, bytes] = field(default_factory=dict)
    found: Launched | None = None
    want: Want | None = None
    made: Verification | None = None

    @property
    def work(self) -> Work:
        """The one that answers for all."""
        return self.group[0]

    @property
    def finding(self) -> Diagnostic:
        """Its finding."""
        return self.work.finding


class Program:
    """One program on one device."""

    def __init__(self, runner: Runner, kept: Store) -> None:
        self._runner = runner
        self._options = runner.options
        self._kept = kept
        self._flagged: dict[Path, Path | BuildError] = {}
        self._pinned: Verification | None = None
        self._locks: dict[Path, threading.Lock] = {}
        self._lock = threading.Lock()

    def verify(self, groups: Iterable[Sequence[Work]], progress: Progress) -> None:
        """Give every group of findings a verdict, through `progress`, one after another."""
        begin = time.monotonic()
        cases = [_Case(group, number) for number, group in enumerate(groups)]
        try:
            copy = self._runner.copy()
            todo = [case for case in cases if not self._known(case, copy)]
            built = self._runner.build(copy) if todo else None
            if built is not None:
                self._runner.check(built, kernels=any(case.finding.kernel is not None for case in todo))
                self._decide(todo, built)
        except (NotVerifiableError, BuildError, OSError) as reason:
            _settle(cases, str(reason))
        except Exception as error:  # whatever a program brings along: reported, never a traceback
            _settle(cases, f"{type(error).__name__}: {error}")
        for case in cases:
            assert case.made is not None
            self._kept.put(case.key, case.made)
            share = round((time.monotonic() - begin) / len(cases), 3)
            progress(case.group, _worded(replace(case.made, seconds=share), self._options))

    def _known(self, case: _Case, copy: Copy) -> bool:
        """Whether an earlier run has the verdict; it has gone into the case then."""
        settings = f"program {self._options.command} {self._options.budget_s} {copy.digest}"
        case.key = self._kept.key(case.finding, case.work.unit.program, self._runner.device, settings)
        case.made = self._kept.get(case.key)
        return case.made is not None

    def _decide(self, cases: Sequence[_Case], built: Built) -> None:
        """A verdict for each case: kernels in as few runs as it takes, then host code."""
        kernels = [case for case in cases if case.finding.kernel is not None]
        with ThreadPoolExecutor(BUILDS) as pool:
            list(pool.map(lambda case: self._prepare(case, built), kernels))
        results = self._look([case.want for case in kernels if case.want is not None], built.copy)
        for case in kernels:
            case.made = case.made or self._judge(case, results, built.copy)
        for case in cases:
            if case.finding.kernel is None:
                case.made = self._host(case, built)

    def _host(self, case: _Case, built: Built) -> Verification:
        try:
            if built.ran.status or built.ran.stopped:
                raise NotVerifiableError(f"the program fails: {built.ran.problem}")
            if case.finding.code == COPIES and not (case.finding.fix and case.finding.fix.edits):
                return self._copies(built)
            contents = fixed_contents(case.work.unit, case.finding)
            judge = verify_copies if case.finding.code == COPIES else verify_host
            return judge(self._runner, built.copy, contents)
        except FixError as reason:
            return Verification(Verdict.FAILED, str(reason))
        except (NotVerifiableError, BuildError, OSError) as reason:
            return Verification(Verdict.NOT_VERIFIABLE, str(reason))

    def _copies(self, built: Built) -> Verification:
        """What comes of pinning all memory that the program's asynchronous copies use."""
        if self._pinned is None:
            try:
                self._pinned = verify_copies(self._runner, built.copy, None)
            except NotVerifiableError as reason:
                self._pinned = Verification(Verdict.NOT_VERIFIABLE, str(reason))
        return self._pinned

    # ---- building ------------------------------------------------------------------------------------------------

    def _prepare(self, case: _Case, built: Built) -> None:
        """Find the finding's kernel and build both sides of it, or the verdict that this cannot be done."""
        try:
            case.found = launched(case.work.unit, case.finding, built.seen)
            case.contents = fixed_contents(case.work.unit, case.finding)
            for path in case.contents:
                built.copy.inside(path)
            parts, flagged = self._flagged_side(case, built)
            shapes = self._fixed_shapes(case)
            fixed = self._fixed_side(case, built.copy, parts)
        except (NotVerifiableError, BuildError, OSError) as reason:
            case.made = Verification(Verdict.NOT_VERIFIABLE, str(reason))
        except FixError as reason:
            case.made = Verification(Verdict.FAILED, str(reason))
        else:
            case.want = Want(
                str(case.number),
                case.found.name,
                "race" if case.finding.code in RACES else "compare",
                flagged,
                fixed,
                min(CHECKED_LAUNCHES, case.found.launches),
                element_types(case.found.kernel),
                shapes,
            )

    def _flagged_side(self, case: _Case, built: Built) -> tuple[_Parts, Cubin]:
        """What to compile for the kernel, and its cubin as written.

        Raises:
            NotVerifiableError: no source of the build has the kernel.
            BuildError: the source that should have it does not compile apart.
        """
        assert case.found is not None
        problem: BuildError | None = None
        for command, source in _candidates(case, built):
            try:
                cubin = self._compiled([(command, source)], case.found.name, "flagged")
            except BuildError as error:
                problem = problem or error
                if command.separate:
                    break
                continue
            if cubin is not None:
                return [(command, source)], cubin
        if separate := [(c, s) for c in built.commands if c.separate for s in c.sources]:
            cubin = self._compiled(separate, case.found.name, "linked")
            if cubin is not None:
                return separate, cubin
        raise problem or NotVerifiableError(f"no source that nvcc was given has the kernel {case.found.kernel.name}")

    def _compiled(self, parts: _Parts, kernel: str, name: str) -> Cubin | None:
        """The cubin of a source (or of several, linked) as written, compiled once. Raises BuildError."""
        key = parts[0][1] if len(parts) == 1 else Path(name)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._flagged:
                output = self._runner.fresh(name) / "kernel.cubin"
                try:
                    self._compile(parts, output, kernel)
                    self._flagged[key] = output
                except BuildError as error:
                    self._flagged[key] = error
        made = self._flagged[key]
        if isinstance(made, BuildError):
            raise made
        return find_kernel(made, kernel)

    def _compile(self, parts: _Parts, output: Path, kernel: str) -> Cubin | None:
        limit, arch = self._options.limit_s, self._runner.device.arch
        command, source = parts[0]
        if command.separate:
            return link_cubin(list(dict.fromkeys(c for c, _ in parts)), output, kernel, arch, limit)
        return compile_cubin(command, source, output, kernel, arch, limit)

    def _fixed_side(self, case: _Case, copy: Copy, parts: _Parts) -> Cubin:
        """The cubin of the kernel with the fix. Raises FixError when the fixed source does not compile."""
        assert case.found is not None
        tree = with_contents(copy, self._runner.fresh("fixed"), case.contents)
        there = [
            (moved(c, (copy.place, copy.origin), tree.place), tree.place / s.relative_to(copy.place))
            for c, s in parts
        ]
        try:
            made = self._compile(there, self._runner.fresh("fixed-cubin") / "kernel.cubin", case.found.name)
        except BuildError as error:
            said = str(error).replace(f"{tree.place}/", "")
            raise FixError(f"the fixed source does not compile: {said}") from None
        if made is None:
            raise FixError(f"the fixed source has no kernel {case.found.kernel.name}")
        return made

    def _fixed_shapes(self, case: _Case) -> dict[int, Shape]:
        """How the fixed program launches the kernel, when the fix may have changed that: from a run of it.

        Raises:
            FixError: the fixed program does not build.
            NotVerifiableError: it does not launch the kernel.
        """
        assert case.found is not None
        if not may_change_launch(case.work.unit, case.finding):
            return {}
        built = self._runner.build(self._runner.copy(case.contents))
        own = launched(case.work.unit, case.finding, built.seen) if built.seen else None
        if own is None:
            raise FixError(f"the fixed program does not run: {built.ran.problem}")
        return {s.number: s.shape for s in built.seen if s.kernel == own.name}

    # ---- running -------------------------------------------------------------------------------------------------

    def _look(self, wants: Sequence[Want], copy: Copy) -> Results:
        """Results of each want by its id. A run that ends early is made again for the rest."""
        found: dict[str, list[Looked] | str] = {}
        left = list(wants)
        while left:
            folder = self._runner.fresh("verify")
            compare = build_compare(self._options.cache, self._runner.device.arch)
            job = job_text("verify", left, compare=compare, budget_s=self._options.budget_s)
            ran = self._runner.run(copy, job, folder, _Hangs(folder))
            fresh: dict[str, list[Looked] | str] = {w.id: r for w in left if (r := read_results(folder, w.id))}
            if not fresh:
                begun = [w for w in left if (folder / f"claim-{w.id}").exists()] or left
                fresh = {w.id: _unseen(ran) for w in begun}
            found |= fresh
            left = [want for want in left if want.id not in found]
        return found

    def _judge(self, case: _Case, results: Results, copy: Copy) -> Verification:
        assert case.found is not None
        result = results[str(case.number)]
        if isinstance(result, str):
            return Verification(Verdict.NOT_VERIFIABLE, result)
        made = judge_launches(case.finding.code, case.found.kernel.name, result, self._options.command)
        if case.finding.code in SHARED_RACES:
            return with_racecheck(made, racecheck(self._runner, copy, case.found.name))
        return made


@dataclass(slots=True)
class _Hangs:
    """Says when a kernel has hung: its process may not end by itself."""

    folder: Path
    _asked: int = field(default=0)

    def __call__(self) -> str:
        self._asked += 1
        if self._asked % 20:
            return ""
        texts = (path.read_text() for path in self.folder.glob("result-*.json"))
        return "hang" if any('"hang":true' in text for text in texts) else ""


def _settle(cases: Iterable[_Case], reason: str) -> None:
    """A verdict for those that have none."""
    for case in cases:
        case.made = case.made or Verification(Verdict.NOT_VERIFIABLE, reason)


def _unseen(ran: Ran) -> str:
    """Why a run has no result for a kernel that the program launches."""
    if ran.stopped:
        return f"the program was stopped after {ran.seconds:.0f} s, before the kernel could be looked at"
    return f"the program ended before the kernel could be looked at: {ran.problem}"


def _candidates(case: _Case, built: Built) -> list[tuple[Command, Path]]:
    """The sources that nvcc compiled, those that may have the finding's kernel first."""
    main = Path(case.work.unit.program.path).resolve()
    own = Path(case.finding.filename).resolve()
    known = [built.copy.place / p.relative_to(built.copy.origin) for p in (main, own) if _below(p, built.copy.origin)]

    def rank(pair: tuple[Command, Path]) -> tuple[bool, bool]:
        source = pair[1].resolve()
        mentions = source.is_file() and own.name.encode() in source.read_bytes()
        return source not in known, not mentions

    pairs = [(c, s) for c in built.commands for s in c.sources if _below(s.resolve(), built.copy.place)]
    return sorted(pairs, key=rank)[:MAX_SOURCES]


def _below(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder)


def _worded(made: Verification, options: ProgramOptions) -> Verification:
    """The verdict with its reason saying where it comes from; where times were taken the inputs say it."""
    if made.timing is not None or not made.reason:
        return made
    return replace(made, reason=f"in the program itself ({options.command}): {made.reason}")
