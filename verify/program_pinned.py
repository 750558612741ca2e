"""Asynchronous copies of pageable memory: the program as written, and with that memory pinned.

Where the finding has a fix, the fixed program is looked at. Where it has none, the preloaded library pins the memory
that the copies use, which is what the advice comes to, outside of what is timed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_copy import Copy
from cudalint.verify.program_host import Side, compared, fixed_copy, run_side
from cudalint.verify.program_job import job_text
from cudalint.verify.program_overlap import (
    Host,
    Log,
    freed_copies,
    overlap,
    overlap_inputs,
    overlap_text,
    read_copies,
    size_text,
)
from cudalint.verify.program_runner import Runner
from cudalint.verify.verdict import Verdict, Verification

SMALLEST = 32 * 1024
"""Bytes of the smallest block that the library pins (SMALLEST in verify/preload/hostmem.hpp)."""


def verify_copies(runner: Runner, written: Copy, contents: Mapping[Path, bytes] | None) -> Verification:
    """The verdict on pinning the memory of a program's copies: by the fix `contents`, or by the library without one.

    Raises:
        NotVerifiableError: the program fails, never ends, or makes no such copy.
        FixError: the fixed program does not build or run.
    """
    before = _looked(runner, Side(written, job_text("copies"), host_memory=True))
    _check(before, fix=contents is not None)
    if contents is not None:
        fixed = fixed_copy(runner, contents)
        after = _looked(runner, Side(fixed, job_text("copies"), host_memory=True))
        other = Side(fixed, host_memory=True)
    else:
        after = _looked(runner, Side(written, job_text("copies", pinned=before.blocks), host_memory=True))
        other = Side(written, job_text("time", pinned=before.blocks), host_memory=True)
        if not after.pinned.blocks:
            raise NotVerifiableError(f"the system would not pin the {after.pinned.refused} blocks that are copied")
    made, _, _ = compared(runner, Side(written, host_memory=True), other)
    made = replace(made, inputs=(*made.inputs, *_said(after)), reason=made.reason or _figures(before, after))
    if after.pinned.early:
        return replace(made, verdict=Verdict.DIFFERENT_RESULTS, reason=_early(after.pinned.early), timing=None)
    if made.timing is not None and _figures(before, after):
        made = replace(made, inputs=(*made.inputs, *_in_full(before, after)))
    return made


def _looked(runner: Runner, side: Side) -> Log:
    return read_copies(run_side(runner, side)[1])


def _check(before: Log, *, fix: bool) -> None:
    """Raises NotVerifiableError when there is nothing to look at."""
    pageable = [c for c in before.copies if c.host is Host.PAGEABLE]
    if not pageable:
        made = f"{len(before.copies)} asynchronous copies, none" if before.copies else "no asynchronous copy"
        raise NotVerifiableError(f"the program makes {made} of pageable memory when it is run like this")
    if not fix and not before.blocks:
        raise NotVerifiableError(
            f"its {len(pageable)} asynchronous copies of pageable memory are from no heap memory of at least "
            f"{SMALLEST >> 10} KiB, which alone is pinned for a trial"
        )


def _figures(before: Log, after: Log) -> str:
    """What events said; empty where the two runs do not compare."""
    found = freed_copies(before, after)
    if found is None or not found[0]:
        return ""
    return overlap_text(overlap(before, found[0]), overlap(after, found[1]))


def _in_full(before: Log, after: Log) -> tuple[str, ...]:
    found = freed_copies(before, after)
    assert found is not None
    return overlap_inputs(overlap(before, found[0]), overlap(after, found[1]))


def _said(after: Log) -> tuple[str, ...]:
    """How the memory came to be pinned."""
    pinned = after.pinned
    made = []
    if pinned.blocks:
        blocks = f"{pinned.blocks} {'block' if pinned.blocks == 1 else 'blocks'} ({size_text(pinned.nbytes)})"
        refused = f", {pinned.refused} could not be pinned" if pinned.refused else ""
        made.append(
            f"{blocks} pinned by the verifier with cudaHostRegister, {pinned.ms:.3g} ms that are not counted{refused}"
        )
    if after.full:
        made.append("only the first part of the program's copies and kernels was looked at with events")
    return tuple(made)


def _early(count: int) -> str:
    times = "once" if count == 1 else f"{count} times"
    return f"the program frees memory while a copy is under way ({times}): once it is pinned, it has to wait before"
