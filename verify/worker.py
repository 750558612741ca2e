"""The process that touches the GPU: reads jobs from stdin, one JSON line each, and answers on stdout.

A fault or a hang ends this process, never the linter: after any CUDA error it reports and exits, since the
context is gone. `session.worker_command` starts it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from cudalint.verify.job import STAGE, Job, Outcome


def main() -> None:
    """Serve jobs until stdin ends, or until a job leaves the CUDA context unusable."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what kernels print, and libraries, must not mix with the answers
    for line in sys.stdin:
        if not line.strip():
            continue
        outcome, usable = _serve(Job.from_line(line), lambda stage: print(STAGE + stage, file=answers, flush=True))
        print(outcome.to_line(), file=answers, flush=True)
        if not usable:
            with suppress(OSError):
                sys.stdin.close()
            return


def _serve(job: Job, tell: Callable[[str], None]) -> tuple[Outcome, bool]:
    """The outcome, and whether the context can serve another job."""
    try:
        import cupy  # lazy: an ImportError is an answer, not a crash
    except ImportError as error:
        return Outcome(error=f"CuPy cannot be imported: {error}", stage="device"), False
    from cudalint.verify.gpu import StageError, perform

    try:
        return perform(job, tell), True
    except StageError as error:
        return Outcome(error=str(error), stage=error.stage), error.stage in {"build", "memory", "load"}
    except cupy.cuda.memory.OutOfMemoryError as error:
        # The results of several runs lie beside the buffers to be compared: a plan that fits may still not do.
        return Outcome(
            error=f"the buffers and copies of them need more memory than there is: {error}", stage="memory"
        ), False
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return Outcome(error=str(error), stage="run"), False
    except Exception as error:  # anything else is reported too: the parent shows it as `failed`
        return Outcome(error=f"{type(error).__name__}: {error}", stage="run"), False
