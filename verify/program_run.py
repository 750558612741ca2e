"""Run a command in bounded time: its output is kept apart, and what it starts ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

KEPT = 256 * 1024
"""Bytes at the start and at the end of each stream that are kept."""

POLL_S = 0.05

_GUARDED = 'exec 3<&0 </dev/null; (read _ <&3; kill -9 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"'
"""Runs its arguments beside a watcher that ends the group when standard input ends, as it does when we do."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command: `status` is negative for a signal, as subprocess has it.

    `stopped` says why it was ended: `timeout`, or what the caller's watch said.
    """

    status: int
    seconds: float
    out: str
    err: str
    stopped: str = ""

    @property
    def problem(self) -> str:
        """The line that says best what went wrong."""
        lines = [line.strip() for line in (*self.err.splitlines(), *self.out.splitlines()) if line.strip()]
        errors = [line for line in lines if "error" in line.lower() and not line.startswith("make")]
        errors += [line for line in lines if line.startswith("make") and "***" in line]
        return (errors or lines[-1:] or [f"exit status {self.status}"])[0][:300]


def run_command(
    command: str | Sequence[str],
    folder: Path,
    *,
    limit_s: float,
    environment: Mapping[str, str] | None = None,
    watch: Callable[[], str] | None = None,
) -> Ran:
    """Run a shell command line, or a program with its arguments.

    `watch` is asked now and then; what it returns, when not empty, ends the command.

    Raises:
        OSError: the program cannot be started.
    """
    words = ["sh", "-c", command] if isinstance(command, str) else list(command)
    begin = time.monotonic()
    process = subprocess.Popen(
        ["sh", "-c", _GUARDED, "sh", *words],
        cwd=folder,
        env=dict(environment) if environment is not None else None,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    stopped = ""
    try:
        stopped = _wait(process, begin + limit_s, watch)
    finally:
        _kill(process)
    out, err = (stream.text() for stream in streams)
    return Ran(process.returncode, time.monotonic() - begin, out, err, stopped)


def _wait(process: subprocess.Popen[bytes], deadline: float, watch: Callable[[], str] | None) -> str:
    """Empty when the command ended by itself, else why it is to be stopped."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=POLL_S)
            return ""
        if time.monotonic() > deadline:
            return "timeout"
        if watch is not None and (reason := watch()):
            return reason


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and whatever of its process group is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


class _Stream:
    """Reads a pipe to its end and keeps the two ends of what comes."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._head = b""
        self._tail = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(ValueError, OSError):
            while data := os.read(self._pipe.fileno(), 1 << 16):
                room = max(0, KEPT - len(self._head))
                self._head += data[:room]
                self._tail = (self._tail + data[room:])[-KEPT:]

    def text(self) -> str:
        """What was kept. A process that has left the group may hold the pipe open: it is not waited for."""
        self._thread.join(timeout=1.0)
        return (self._head + self._tail).decode("utf-8", "replace")
