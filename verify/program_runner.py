"""Copies of one program, built and run on one device with the library preloaded."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cudalint.verify.device import Device
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_build import Command, read_commands
from cudalint.verify.program_copy import Copy, copy_project, write_contents
from cudalint.verify.program_job import Seen, build_library, environment, job_text, read_launches
from cudalint.verify.program_run import Ran, run_command


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """`command` builds and runs the program in `folder` (default: where the nearest build file is).

    `limit_s` bounds each run of the command, `budget_s` the timing of one finding; `cache` keeps what is compiled.
    """

    command: str
    cache: Path
    folder: Path | None = None
    limit_s: float = 300.0
    budget_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Built:
    """A copy that has been built and run once: what nvcc was asked to do, and what was launched."""

    copy: Copy
    ran: Ran
    commands: tuple[Command, ...]
    seen: tuple[Seen, ...]


class FixError(Exception):
    """The fix itself is at fault: what it makes does not build or run."""


class Runner:
    """Makes and runs copies of the program in `folder`. Use as a context manager: they are removed at the end."""

    def __init__(self, folder: Path, options: ProgramOptions, device: Device) -> None:
        self.options = options
        self.device = device
        self._folder = folder
        self._temporary = tempfile.TemporaryDirectory(prefix="cudalint-", ignore_cleanup_errors=True)
        self._top = Path(self._temporary.name).resolve()
        self._count = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._temporary.cleanup()

    def fresh(self, name: str) -> Path:
        """An empty folder that goes with the runner."""
        with self._lock:
            self._count += 1
            made = self._top / f"{self._count}-{name}"
        made.mkdir()
        return made

    def copy(self, contents: Mapping[Path, bytes] | None = None) -> Copy:
        """The program's folder, with other contents for some files. Raises NotVerifiableError, OSError."""
        made = copy_project(self._folder, self.fresh("program"))
        write_contents(made, contents or {})
        return made

    def run(
        self,
        copy: Copy,
        job: str,
        folder: Path,
        watch: Callable[[], str] | None = None,
        *,
        host_memory: bool = False,
    ) -> Ran:
        """Run the user's command in a copy, with a job for the preloaded library in `folder`.

        `host_memory`: the library looks at the program's own memory too.

        Raises:
            BuildError: the library cannot be compiled.
            OSError: the job cannot be written.
        """
        (folder / "job.txt").write_text(job)
        library = build_library(self.options.cache, host_memory=host_memory)
        names = environment(folder, library, self.device.index)
        limit = self.options.limit_s
        return run_command(self.options.command, copy.place, limit_s=limit, environment=names, watch=watch)

    def build(self, copy: Copy) -> Built:
        """Build and run a copy for the first time. Raises as `run` does."""
        folder = self.fresh("report")
        ran = self.run(copy, job_text("report"), folder)
        return Built(copy, ran, tuple(read_commands(folder)), tuple(read_launches(folder)))

    def check(self, built: Built, *, kernels: bool = True) -> None:
        """Raises NotVerifiableError when a first run shows that nothing can be looked at: no launch of `kernels`."""
        ran = built.ran
        if built.commands and (built.seen or not (kernels or ran.stopped or ran.status)):
            return
        if ran.stopped:
            limit = f"{self.options.limit_s:.0f} s"
            raise NotVerifiableError(f"no kernel was launched within {limit} (--verify-program-timeout)")
        if ran.status:
            raise NotVerifiableError(f"exit status {ran.status}: {ran.problem}")
        if not built.commands:
            raise NotVerifiableError("the command ran no nvcc: it has to build the program, in a copy of its folder")
        raise NotVerifiableError(
            "no kernel launch was seen: the program has to be linked with the shared CUDA runtime "
            "(nvcc -cudart shared; with CMake -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)"
        )
