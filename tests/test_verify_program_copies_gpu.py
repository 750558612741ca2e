"""Asynchronous copies in a program on a real GPU: pinned they return at once, and overlap with kernels."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from cudalint.lint.cli import main
from cudalint.verify.device import devices
from cudalint.verify.program_copy import copy_project
from cudalint.verify.program_host import Side, run_side
from cudalint.verify.program_job import job_text
from cudalint.verify.program_overlap import Host, freed_copies, overlap, read_copies
from cudalint.verify.program_pinned import verify_copies
from cudalint.verify.program_runner import ProgramOptions, Runner
from cudalint.verify.verdict import Verdict

pytestmark = pytest.mark.gpu

DATA = Path(__file__).parent / "data" / "copies"
COMMAND = "make ARCH=native run"
COPIES = 192
"""Of the program: two for each of 32 chunks, three times over."""


@pytest.fixture(scope="module", autouse=True)
def needs() -> None:
    if not devices():
        pytest.skip("no CUDA device")
    if shutil.which("nvcc") is None or shutil.which("make") is None:
        pytest.skip("nvcc or make is missing")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The program's sources in a folder of the test."""
    folder = tmp_path / "program"
    folder.mkdir()
    for name in ("main.cu", "Makefile"):
        shutil.copy(DATA / name, folder)
    return folder


def test_events_tell_pageable_and_pinned_copies_apart(program: Path, tmp_path: Path) -> None:
    options = ProgramOptions(COMMAND, tmp_path / "cache", budget_s=1.0, limit_s=120.0)
    with Runner(program, options, devices()[0]) as runner:
        copy = copy_project(program, tmp_path / "copy")
        assert runner.build(copy).ran.status == 0
        before = read_copies(run_side(runner, Side(copy, job_text("copies"), host_memory=True))[1])
        pinning = job_text("copies", pinned=before.blocks)
        after = read_copies(run_side(runner, Side(copy, pinning, host_memory=True))[1])
    print(before.blocks, before.clocks, after.pinned, after.clocks)
    assert [len(log.copies) for log in (before, after)] == [COPIES, COPIES]
    assert [len(log.kernels) for log in (before, after)] == [COPIES // 2, COPIES // 2]
    assert {c.host for c in before.copies} == {Host.PAGEABLE}
    assert {c.host for c in after.copies} == {Host.PINNED_HERE}
    assert (after.pinned.blocks, after.pinned.refused, after.pinned.early) == (2, 0, 0)
    found = freed_copies(before, after)
    assert found is not None
    was, now = overlap(before, found[0]), overlap(after, found[1])
    print(was, now)
    assert now.call_ms < was.call_ms / 4
    assert now.share(now.free_ms) > 0.9 > was.share(was.free_ms)
    assert now.share(now.kernels_ms) > was.share(was.kernels_ms) + 0.1
    assert was.device_ms > 0
    assert now.device_ms > 0


def test_pinning_by_the_library_makes_the_program_faster(program: Path, tmp_path: Path) -> None:
    options = ProgramOptions(COMMAND, tmp_path / "cache", budget_s=1.0, limit_s=120.0)
    with Runner(program, options, devices()[0]) as runner:
        copy = copy_project(program, tmp_path / "copy")
        assert runner.build(copy).ran.status == 0
        made = verify_copies(runner, copy, None)
    print(made.summary(), made.inputs)
    assert made.verdict is Verdict.FASTER
    assert made.comparison == "same output"
    assert "192 asynchronous copies of pageable memory, 768 MiB, return after" in made.reason
    assert any("2 blocks (256 MiB) pinned by the verifier" in said for said in made.inputs)


def test_the_command_line(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program)
    options = ["--verify", "--verify-program", COMMAND, "--no-cache", "--verify-budget", "1s", "--select", "CUD504"]
    with pytest.raises(SystemExit):
        main(["check", ".", *options, "--output-format", "json", "--output-file", "out.json"])
    found = json.loads(Path("out.json").read_text())
    print(json.dumps([f["verification"] for f in found], indent=1))
    assert len(found) == 2
    for finding in found:
        made = finding["verification"]
        assert made["verdict"] in {"faster", "no-gain"}
        assert re.search(r"\d+% of the copy time overlaps with kernels \(was \d+%\)", made["reason"])
        assert made["reason"] in made["summary"]
    by_fix = {bool(f["fix"] and f["fix"]["edits"]): f["verification"] for f in found}
    assert "96 asynchronous copies" in by_fix[True]["reason"]
    assert "192 asynchronous copies" in by_fix[False]["reason"]
