"""Worker processes: each checks files one after another; one that dies or hangs is replaced.

Jobs and outcomes travel as pickles with a length in front, over the worker's standard input and output. The
worker is started with its own interpreter, not forked, so that no state of libclang or numpy is shared.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from cudalint.lint.jobs import DEBUG, Job, Outcome, OvertimeError, debug, failure

_LENGTH = struct.Struct("<Q")
_STACK_BYTES = 256 * 1024 * 1024
"""Deeply nested code recurses deeply; this is address space, not memory in use."""

_RECURSION = 12_000
_LEFT_OVER = 100_000
"""Objects left since the last search for unused cycles, some 10 MB, from which on another (10 to 100 ms) pays."""

_JOBS_PER_WORKER = 400
"""A worker is replaced after so many files, which bounds what a leak can cost."""

_READY = "ready"
_START_SECONDS = 120.0
"""A worker's imports take half a second, or much longer on a busy machine; they do not count for a file."""

_GRACE_SECONDS = 3.0
"""A worker stops by itself when a file's time is up; it is killed when it does not, deep in C code."""

_MAIN = "import sys; sys.path[:] = {path!r}; from cudalint.lint.worker import serve; serve()"


def _send(stream: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next value of a stream; None at its end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return pickle.loads(data) if len(data) == length else None


def serve() -> None:
    """The worker's main loop: jobs in, outcomes out, until its input ends."""
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What C code prints must not mix with the answers.
    os.dup2(2, 1)
    sys.setrecursionlimit(_RECURSION)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_loop, args=(source, answers))
    thread.start()
    thread.join()


def _loop(source: IO[bytes], answers: IO[bytes]) -> None:
    from cudalint.lint.analyse import analyse
    from cudalint.lint.registry import registry

    registry()
    # A model is a large tree without cycles: looking for some in it costs up to a third of the time that it takes
    # to build. They are looked for between files instead, when much is left over.
    gc.freeze()
    gc.disable()
    _send(answers, _READY)
    while (received := _receive(source)) is not None:
        job, seconds = received
        timer = threading.Timer(seconds, _interrupt, (threading.get_ident(),))
        timer.daemon = True
        timer.start()
        try:
            outcome = analyse(job)
            timer.cancel()
        except OvertimeError:
            outcome = failure(job.path, f"took longer than {seconds:g} s to read and was given up")
        except Exception as error:
            timer.cancel()
            debug(error)
            outcome = failure(job.path, f"checking failed ({type(error).__name__}: {error}): please report this")
        _send(answers, outcome)
        if gc.get_count()[0] > _LEFT_OVER:
            gc.collect()


def _interrupt(thread: int) -> None:
    """Raise `OvertimeError` in a thread, as soon as it executes Python code again."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OvertimeError))


class Worker:
    """One worker process, seen from the parent."""

    def __init__(self) -> None:
        # -P keeps the working folder off the module path: a numpy.py there must not be imported.
        quiet = None if os.environ.get(DEBUG) else subprocess.DEVNULL
        path = [entry for entry in sys.path if entry]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN.format(path=path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=quiet,
        )
        self.done = 0

    def run(self, job: Job, timeout: float) -> Outcome:
        """Check one file. A worker that dies or takes too long gives the outcome that says so."""
        if self.done == 0 and self._ask(None, _START_SECONDS)[0] != _READY:
            self.close()
            return failure(job.path, f"no process could be started to check it ({self._how()}): please report this")
        answer, late = self._ask((job, timeout), timeout + _GRACE_SECONDS)
        self.done += 1
        if isinstance(answer, Outcome):
            return answer
        self.close()
        if late:
            return failure(job.path, f"took longer than {timeout:g} s to check and was given up")
        return failure(job.path, f"the process that checked this file died ({self._how()}): please report this")

    def _ask(self, job: tuple[Job, float] | None, timeout: float) -> tuple[Any, bool]:
        """Send a job, if any, and wait for the answer: None when there is none, with whether it came too late."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout, stop)
        timer.daemon = True
        timer.start()
        try:
            if job is not None:
                _send(self._process.stdin, job)
            return _receive(self._process.stdout), late.is_set()
        except OSError:
            return None, late.is_set()
        except Exception as error:  # unpickling runs what it is told to: an answer of another version raises anything
            debug(error)
            self._process.kill()
            return None, late.is_set()
        finally:
            timer.cancel()

    def _how(self) -> str:
        status = self._process.returncode
        return f"signal {-status}" if status < 0 else f"exit status {status}"

    @property
    def alive(self) -> bool:
        """Whether the worker can take another file."""
        return self._process.poll() is None and self.done < _JOBS_PER_WORKER

    def kill(self) -> None:
        """Stop the process at once."""
        self._process.kill()

    def close(self) -> None:
        """End the process and reap it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Pool:
    """A fixed number of workers, each driven by a thread of the parent."""

    def __init__(self, jobs: int, timeout: float) -> None:
        self._count = max(1, jobs)
        self._timeout = timeout
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()

    def _worker(self) -> Worker:
        worker = Worker()
        self._all.add(worker)
        return worker

    def start(self, count: int) -> None:
        """Start workers ahead of their first job, so that their imports overlap with the parent's work."""
        while len(self._idle) < min(count, self._count):
            self._idle.append(self._worker())

    def map(self, jobs: Iterable[Job], progress: Callable[[Outcome], None] | None = None) -> Iterator[Outcome]:
        """Check all files; the outcomes come in the order of the jobs."""
        todo: queue.SimpleQueue[tuple[int, Job] | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[int, Outcome]] = queue.SimpleQueue()
        total = 0
        for total, job in enumerate(jobs, 1):
            todo.put((total - 1, job))
        threads = [
            threading.Thread(target=self._drive, args=(todo, done), daemon=True)
            for _ in range(min(self._count, total))
        ]
        for thread in threads:
            todo.put(None)
            thread.start()
        outcomes: dict[int, Outcome] = {}
        for index in range(total):
            while index not in outcomes:
                at, outcome = done.get()
                outcomes[at] = outcome
                if progress:
                    progress(outcome)
            yield outcomes.pop(index)
        for thread in threads:
            thread.join()

    def _drive(self, todo: queue.SimpleQueue[Any], done: queue.SimpleQueue[Any]) -> None:
        worker: Worker | None = None
        while (item := todo.get()) is not None:
            index, job = item
            try:
                worker = self._usable(worker)
                outcome = worker.run(job, self._timeout)
            except OSError as error:
                worker, outcome = None, failure(job.path, f"no process could be started to check it: {error}")
            done.put((index, outcome))
        if worker is not None:
            self._idle.append(worker)

    def _usable(self, worker: Worker | None) -> Worker:
        """The given worker, or another where it is spent. Raises OSError when none can be started."""
        if worker is not None and worker.alive:
            return worker
        if worker is not None:
            worker.close()
            self._all.discard(worker)
        return self._idle.pop() if self._idle else self._worker()

    def close(self) -> None:
        """End all workers, busy ones too."""
        for worker in self._all:
            worker.kill()
        for worker in self._all:
            worker.close()
        self._all.clear()
        self._idle.clear()
