"""Predicted beside measured: sectors, bank conflicts and active lanes of one launch, through Nsight Compute."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace

from cudalint.lint.analysis.memory import sites
from cudalint.lint.analysis.trace import Space, Trace
from cudalint.verify.job import Job
from cudalint.verify.session import worker_command

METRICS: Mapping[str, str] = {
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "active_lanes": "smsp__thread_inst_executed_per_inst_executed.ratio",
}
"""Names that cudalint reports, and Nsight Compute's own."""

LIMIT_S = 120.0


class CountersError(Exception):
    """Counters cannot be read; the text says why."""


def measured(job: Job) -> dict[str, float]:
    """The counters of one launch of the job's flagged kernel.

    Raises:
        CountersError: no Nsight Compute, no permission to read counters, or no answer in time.
    """
    ncu = shutil.which("ncu")
    if ncu is None:
        raise CountersError("Nsight Compute (ncu) is not on PATH")
    metrics = ",".join(METRICS.values())
    command = [
        ncu,
        "--clock-control",
        "none",
        "--csv",
        "--page",
        "raw",
        "--print-units",
        "base",
        "--metrics",
        metrics,
    ]
    command += ["--launch-count", "1", "--kernel-name-base", "mangled", "--kernel-name", job.before.symbol]
    command += worker_command()
    line = replace(job, mode="once").to_line() + "\n"
    try:
        done = subprocess.run(command, input=line, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise CountersError(f"ncu took longer than {LIMIT_S:.0f} s") from None
    return parse(done.stdout)


def parse(text: str) -> dict[str, float]:
    """The counters in ncu's CSV output: a header row, a row of units, a row per kernel.

    Raises:
        CountersError: there is no such table; the message is ncu's own.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None or len(lines) < start + 3:
        problems = [line for line in lines if "ERR" in line or "==WARNING==" in line]
        raise CountersError(problems[0].strip("= ") if problems else "ncu measured no kernel")
    table = list(csv.DictReader(io.StringIO("\n".join([lines[start], *lines[start + 2 :]]))))
    row = table[0]
    return {name: float(row[metric].replace(",", "")) for name, metric in METRICS.items() if row.get(metric)}


def predicted(trace: Trace) -> dict[str, float]:
    """Sectors per request over all global accesses, and conflicts per shared request, as the trace has them."""
    found = {}
    for space, unit in ((Space.GLOBAL, "sectors_per_request"), (Space.SHARED, "conflicts_per_request")):
        judged = sites(trace, space)
        requests = sum(s.cost.requests for s in judged)
        used = sum(s.cost.used for s in judged)
        ideal = sum(s.cost.ideal for s in judged)
        if requests:
            found[unit] = (used if space is Space.GLOBAL else used - ideal) / requests
    return found


def side_by_side(trace: Trace, counters: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """What both sides have, in the same unit: `{"predicted": {...}, "measured": {...}}`."""
    rates: dict[str, float] = {}
    pairs = (("sectors_per_request", "global", "sectors"), ("conflicts_per_request", "shared", "conflicts"))
    for rate, space, what in pairs:
        requests = sum(counters.get(f"{space}_{op}_requests", 0.0) for op in ("load", "store"))
        if requests:
            rates[rate] = sum(counters.get(f"{space}_{op}_{what}", 0.0) for op in ("load", "store")) / requests
    return {"predicted": predicted(trace), "measured": {**rates, **counters}}
