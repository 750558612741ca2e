"""What compute-sanitizer's racecheck says about a kernel of a program, where it is installed."""

from __future__ import annotations

import re
import shutil

from cudalint.verify.program_copy import Copy
from cudalint.verify.program_run import run_command
from cudalint.verify.program_runner import Runner

LIMIT_S = 60.0
LAUNCHES = 5
"""Launches of the kernel that are checked: racecheck slows a kernel down by orders of magnitude."""

SHARED_RACES = frozenset({"CUD401", "CUD402", "CUD403"})
"""Findings that racecheck can see: it looks at shared memory."""

_SUMMARY = re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed")


def racecheck(runner: Runner, copy: Copy, kernel: str) -> str:
    """`racecheck: 3 hazards` for a kernel by its mangled name; empty where there is no compute-sanitizer."""
    tool = shutil.which("compute-sanitizer")
    if tool is None:
        return ""
    words = [tool, "--tool", "racecheck", "--target-processes", "all", "--print-limit", "1"]
    words += ["--kernel-regex", f"kns={kernel}", "--launch-count", str(LAUNCHES), "sh", "-c", runner.options.command]
    try:
        ran = run_command(words, copy.place, limit_s=min(LIMIT_S, runner.options.limit_s))
    except OSError as error:
        return f"racecheck: cannot be run ({error})"
    found = hazards(ran.out + ran.err)
    if found is not None:
        return f"racecheck: {found} hazard{'' if found == 1 else 's'}"
    return f"racecheck: no answer in {ran.seconds:.0f} s" if ran.stopped else f"racecheck: no answer ({ran.problem})"


def hazards(text: str) -> int | None:
    """The hazards that all processes' summaries count; None without a summary."""
    found = _SUMMARY.findall(text)
    return sum(map(int, found)) if found else None
