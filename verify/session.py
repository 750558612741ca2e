"""One worker process per GPU, restarted after a fault or a hang."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from cudalint.verify.job import STAGE, Job, Outcome

START_S = 60.0
"""Allowance on a worker's first answer: importing CuPy and making a context take seconds on a cold machine."""

WORKER = "cudalint.verify.worker"

BUILD_S = 60.0
"""Allowance for compiling two kernels."""

RUN_S = 15.0
"""Allowance for each launch of a kernel; what takes longer cannot be timed often enough to say anything."""


def worker_command() -> list[str]:
    """How the worker is started: with this process's module path, and never from the working folder."""
    path = [entry for entry in sys.path if entry]
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {path!r}; from {WORKER} import main; main()"]


class Session:
    """Sends jobs to a worker and waits, in bounded time. Use as a context manager."""

    def __init__(self, command: Sequence[str] | None = None, *, device: int = 0) -> None:
        self._command = list(command or worker_command())
        self._device = device
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._noise: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, job: Job, *, limit_s: float | None = None) -> Outcome:
        """The job's outcome; a worker that dies, or exceeds a step's limit, is one too (`stage` hang or died)."""
        fresh = self._process is None or self._process.poll() is not None
        if fresh:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        stage, began = "build", time.monotonic()
        limit = limit_s or BUILD_S + (START_S if fresh else 0.0)
        try:
            self._process.stdin.write(job.to_line() + "\n")
            self._process.stdin.flush()
            while (answer := self._answers.get(timeout=limit)) and answer.startswith(STAGE):
                stage = answer.removeprefix(STAGE).strip()
                limit = limit_s or _limit(stage, time.monotonic() - began)
                began = time.monotonic()
        except queue.Empty:
            self.close()
            return _late(stage, limit)
        except OSError:
            answer = None
        if answer is None:
            code = self._process.wait()
            last = self._noise[-1] if self._noise else f"exit status {code}"
            self.close()
            return Outcome(error=f"the GPU process died: {last}", stage="died")
        try:
            outcome = Outcome.from_line(answer)
        except (ValueError, TypeError) as error:
            self.close()
            return Outcome(error=f"the GPU process gave no answer that can be read: {error}", stage="died")
        if outcome.stage == "run":
            self.close()  # the context is gone with the fault
        return outcome

    def close(self) -> None:
        """Stop the worker, by force if need be; the driver then frees what it held."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            if process.stdin:
                process.stdin.close()
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self) -> None:
        environment = dict(os.environ, PYTHONUNBUFFERED="1")
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment,
        )
        self._answers, self._noise = queue.Queue(), []
        threading.Thread(target=_pump, args=(self._process, self._answers), daemon=True).start()
        threading.Thread(target=_collect, args=(self._process, self._noise), daemon=True).start()


def _limit(stage: str, before_s: float) -> float:
    """Seconds for a step. The fixed kernel may take thrice what the flagged one, just before it, took."""
    return {"timing": 3 * RUN_S, "fixed": RUN_S + 3 * before_s}.get(stage, RUN_S)


def _late(stage: str, limit: float) -> Outcome:
    if stage == "build":
        return Outcome(error=f"the kernels were not compiled and loaded within {limit:.0f} s", stage="build")
    which = "a" if stage == "timing" else f"the {stage}"
    return Outcome(
        error=f"no answer within {limit:.0f} s: {which} kernel hangs or is far too slow on these inputs", stage="hang"
    )


def _pump(process: subprocess.Popen[str], answers: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    with suppress(ValueError):
        for line in process.stdout:
            answers.put(line)
    answers.put(None)


def _collect(process: subprocess.Popen[str], noise: list[str]) -> None:
    assert process.stderr is not None
    with suppress(ValueError):
        for line in process.stderr:
            noise.append(line.strip())
            del noise[:-20]
