"""Findings in host code: the whole program as written and as fixed, timed by its CUDA calls."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_copy import Copy
from cudalint.verify.program_job import Times, job_text, read_times
from cudalint.verify.program_run import Ran
from cudalint.verify.program_runner import FixError, Runner
from cudalint.verify.statistics import judge_times, settled, speed_verdict
from cudalint.verify.verdict import Verification

HOST_RULES = frozenset({"CUD503", "CUD504"})
"""Rules on host code whose fixes change how long a program takes."""

MIN_ROUNDS, MAX_ROUNDS = 5, 20
BUDGET_FACTOR = 10
"""A whole program needs more time than a kernel: rounds go on for this many times the budget."""

_FRACTION = re.compile(r"\d+\.\d+(?:[eE][-+]?\d+)?")


def verify_host(runner: Runner, written: Copy, contents: Mapping[Path, bytes]) -> Verification:
    """The verdict on a fix in host code.

    Raises:
        NotVerifiableError: the program fails, never ends, or makes no CUDA call.
        FixError: the fixed program does not build or run.
    """
    fixed = runner.copy(contents)
    built = runner.build(fixed)
    if built.ran.status or built.ran.stopped:
        raise FixError(f"the fixed program fails: {built.ran.problem}")
    first, own = _timed(runner, written)
    other, after = _timed(runner, fixed)
    rows = _rounds(runner, written, fixed)
    timing = judge_times(*rows)
    inputs = (
        f"in the program itself: {runner.options.command}",
        f"time between its first and last CUDA call, {len(rows[0])} runs of each",
        f"calls that allocate or free: {_calls(own)} -> {_calls(after)}",
    )
    return Verification(
        speed_verdict(timing),
        "",
        compiler="nvcc",
        device=runner.device.name,
        timing=timing,
        comparison=_same_output(first, other),
        launch=runner.options.command,
        inputs=inputs,
    )


def _calls(times: Times) -> str:
    return f"{times.allocations} in {times.allocating_ms:.3g} ms"


def _rounds(runner: Runner, written: Copy, fixed: Copy) -> tuple[list[float], list[float], list[float]]:
    """Times in ms of the program as written, as fixed and as written again; the order turns from round to round."""
    rows: tuple[list[float], list[float], list[float]] = ([], [], [])
    deadline = time.monotonic() + BUDGET_FACTOR * runner.options.budget_s
    limit = time.monotonic() + runner.options.limit_s
    for number in range(MAX_ROUNDS):
        for turn in range(3):
            which = (number + turn) % 3
            rows[which].append(_timed(runner, fixed if which == 1 else written)[1].wall_ms)
        if number + 1 >= MIN_ROUNDS and (time.monotonic() > deadline or settled(rows[0], rows[1])):
            break
        if time.monotonic() > limit:
            raise NotVerifiableError(
                f"{MIN_ROUNDS} rounds take longer than {runner.options.limit_s:.0f} s (--verify-program-timeout)"
            )
    return rows


def _timed(runner: Runner, copy: Copy) -> tuple[Ran, Times]:
    folder = runner.fresh("time")
    ran = runner.run(copy, job_text("time"), folder)
    times = read_times(folder)
    if ran.status or ran.stopped or times is None:
        why = f"was stopped after {ran.seconds:.0f} s" if ran.stopped else f"fails: {ran.problem}"
        raise NotVerifiableError(f"the program {'makes no CUDA call' if not ran.status and not ran.stopped else why}")
    return ran, times


def _same_output(one: Ran, other: Ran) -> str:
    """Both ended well. Numbers with fractions are often times: they are left out of the comparison."""
    if one.out == other.out:
        return "same output"
    if _FRACTION.sub("#", one.out) == _FRACTION.sub("#", other.out):
        return "same output but for numbers with fractions"
    return "same exit status, other output"
