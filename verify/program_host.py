"""Findings in host code: the whole program as written and as fixed, timed by its CUDA calls."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_copy import Copy
from cudalint.verify.program_job import Times, job_text, read_times
from cudalint.verify.program_run import Ran
from cudalint.verify.program_runner import FixError, Runner
from cudalint.verify.statistics import judge_times, settled, speed_verdict
from cudalint.verify.verdict import Verdict, Verification

HOST_RULES = frozenset({"CUD503", "CUD504"})
"""Rules on host code whose fixes change how long a program takes."""

MIN_ROUNDS, MAX_ROUNDS = 5, 20
BUDGET_FACTOR = 10
"""A whole program needs more time than a kernel: rounds go on for this many times the budget."""

OTHER_OUTPUT = "same exit status, other output"

_FRACTION = re.compile(r"\d+\.\d+(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Side:
    """A program to time: a copy of it, and what the library is told; `host_memory` as `Runner.run` has it."""

    copy: Copy
    job: str = job_text("time")
    host_memory: bool = False


def fixed_copy(runner: Runner, contents: Mapping[Path, bytes]) -> Copy:
    """The program with a fix, built. Raises FixError when it does not build or run."""
    fixed = runner.copy(contents)
    built = runner.build(fixed)
    if built.ran.status or built.ran.stopped:
        raise FixError(f"the fixed program fails: {built.ran.problem}")
    return fixed


def verify_host(runner: Runner, written: Copy, contents: Mapping[Path, bytes]) -> Verification:
    """The verdict on a fix in host code.

    Raises:
        NotVerifiableError: the program fails, never ends, or makes no CUDA call.
        FixError: the fixed program does not build or run.
    """
    made, own, after = compared(runner, Side(written), Side(fixed_copy(runner, contents)))
    return replace(made, inputs=(*made.inputs, f"calls that allocate or free: {_calls(own)} -> {_calls(after)}"))


def compared(runner: Runner, written: Side, other: Side) -> tuple[Verification, Times, Times]:
    """The verdict on two versions of a program by their times and their output, and the times of a run of each.

    Raises NotVerifiableError as `verify_host` does.
    """
    first, own = _timed(runner, written)
    second, after = _timed(runner, other)
    same = _same_output(first, second)
    made = Verification(
        Verdict.DIFFERENT_RESULTS,
        "",
        compiler="nvcc",
        device=runner.device.name,
        comparison=same,
        launch=runner.options.command,
        inputs=(f"in the program itself: {runner.options.command}",),
    )
    if same == OTHER_OUTPUT and _same_output(first, _timed(runner, written)[0]) != OTHER_OUTPUT:
        return replace(made, reason="the program's output is another with the fix"), own, after
    rows = _rounds(runner, written, other)
    timing = judge_times(*rows)
    inputs = (*made.inputs, f"time between its first and last CUDA call, {len(rows[0])} runs of each")
    return replace(made, verdict=speed_verdict(timing), timing=timing, inputs=inputs), own, after


def _calls(times: Times) -> str:
    return f"{times.allocations} in {times.allocating_ms:.3g} ms"


def _rounds(runner: Runner, written: Side, other: Side) -> tuple[list[float], list[float], list[float]]:
    """Times in ms of the program as written, as fixed and as written again; the order turns from round to round."""
    rows: tuple[list[float], list[float], list[float]] = ([], [], [])
    deadline = time.monotonic() + BUDGET_FACTOR * runner.options.budget_s
    limit = time.monotonic() + runner.options.limit_s
    for number in range(MAX_ROUNDS):
        for turn in range(3):
            which = (number + turn) % 3
            rows[which].append(_timed(runner, other if which == 1 else written)[1].wall_ms)
        if number + 1 >= MIN_ROUNDS and (time.monotonic() > deadline or settled(rows[0], rows[1])):
            break
        if time.monotonic() > limit:
            raise NotVerifiableError(
                f"{MIN_ROUNDS} rounds take longer than {runner.options.limit_s:.0f} s (--verify-program-timeout)"
            )
    return rows


def _timed(runner: Runner, side: Side) -> tuple[Ran, Times]:
    ran, folder = run_side(runner, side)
    times = read_times(folder)
    if times is None:
        raise NotVerifiableError("the program makes no CUDA call")
    return ran, times


def run_side(runner: Runner, side: Side) -> tuple[Ran, Path]:
    """One run, and the folder with what the library wrote. Raises NotVerifiableError when it does not end well."""
    folder = runner.fresh("time")
    ran = runner.run(side.copy, side.job, folder, host_memory=side.host_memory)
    if ran.stopped:
        raise NotVerifiableError(f"the program was stopped after {ran.seconds:.0f} s")
    if ran.status:
        raise NotVerifiableError(f"the program fails: {ran.problem}")
    return ran, folder


def _same_output(one: Ran, other: Ran) -> str:
    """Both ended well. Numbers with fractions are often times: they are left out of the comparison."""
    if one.out == other.out:
        return "same output"
    if _FRACTION.sub("#", one.out) == _FRACTION.sub("#", other.out):
        return "same output but for numbers with fractions"
    return OTHER_OUTPUT
