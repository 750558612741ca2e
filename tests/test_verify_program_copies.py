"""Asynchronous copies of a program, without a GPU: logs, overlap, and the library on a runtime that is none."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from cudalint.lint.diagnostics import Applicability, Fix
from cudalint.verify.build import toolkit_includes
from cudalint.verify.device import Device
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_all import verify_programs
from cudalint.verify.program_copy import copy_project
from cudalint.verify.program_job import Block, job_text
from cudalint.verify.program_overlap import (
    Clocks,
    Copied,
    Host,
    Log,
    Pinned,
    Spans,
    Work,
    freed_copies,
    overlap,
    overlap_inputs,
    overlap_text,
    read_copies,
    size_text,
)
from cudalint.verify.program_pinned import verify_copies
from cudalint.verify.program_run import run_command
from cudalint.verify.program_runner import ProgramOptions, Runner
from cudalint.verify.verdict import Verdict, Verification
from program_work import copied as program_copied
from program_work import unit_of, work

DATA = Path(__file__).parent / "data" / "copies"
DEVICE = Device(0, "card", 13000, "sm_90")
EPOCH = ("copies-7", 0)


def copied(stream: int, begin: float, end: float, *, host: Host = Host.PAGEABLE, nbytes: int = 1024) -> Copied:
    """A copy whose call took as long as the copy, on a host clock that is 100 ms ahead."""
    return Copied(EPOCH, stream, begin, end, 100 + begin, 100 + end, nbytes, 1, host)


def kernel(stream: int, begin: float, end: float) -> Work:
    return Work(EPOCH, stream, begin, end)


CLOCKS = {EPOCH: Clocks(100.0, 200.0, 100.0)}


# ---- logs --------------------------------------------------------------------------------------------------------

LOG = """block\tmain\t1048576\t0
pinned\t2\t2097152\t40.5\t1\t0
kernel\t0\t257\t1.5\t2.5
copy\t0\t258\t2.0\t3.0\t105\t106.5\t65536\t2\t1
copy\t0\t257\t0.5\t1.5\t101\t102\t65536\t1\t3
clock\t0\t100\t200\t99.5
surprise\t1
copy\t0\t257\t0.5
"""


def test_logs_of_all_processes_are_one(tmp_path: Path) -> None:
    (tmp_path / "copies-7.txt").write_text(LOG + "full\t0\n")
    (tmp_path / "copies-8.txt").write_text("pinned\t1\t100\t1.5\t0\t2\nkernel\t0\t257\t1\t2\nfull\t1\n")
    log = read_copies(tmp_path)
    assert [c.called for c in log.copies] == [101.0, 105.0]
    assert [c.host for c in log.copies] == [Host.PINNED_HERE, Host.PAGEABLE]
    assert log.copies[1] == Copied(EPOCH, 258, 2.0, 3.0, 105.0, 106.5, 65536, 2, Host.PAGEABLE)
    assert [k.epoch for k in log.kernels] == [EPOCH, ("copies-8", 0)]
    assert log.clocks == {EPOCH: Clocks(100.0, 200.0, 99.5)}
    assert log.blocks == (Block("main", 1048576, 0),)
    assert log.pinned == Pinned(3, 2097252, 42.0, 1, 2)
    assert log.full
    assert read_copies(tmp_path / "nowhere") == Log()


def test_a_job_says_what_to_pin() -> None:
    assert "pinning" not in job_text("copies")
    lines = job_text("copies", pinned=[Block("main", 4096, 1)]).splitlines()
    assert lines[0] == "mode\tcopies"
    assert lines[-2:] == ["pinning\t1", "pin\tmain\t4096\t1"]


# ---- arithmetic --------------------------------------------------------------------------------------------------


def test_spans_are_the_union_of_intervals() -> None:
    spans = Spans([(4.0, 5.0), (0.0, 2.0), (1.0, 3.0), (1.2, 1.4), (3.0, 3.5), (9.0, 9.0), (8.0, 7.0)])
    assert spans.within(0.0, 10.0) == pytest.approx(4.5)
    assert spans.within(0.5, 1.0) == pytest.approx(0.5)
    assert spans.within(3.6, 3.9) == 0.0
    assert spans.within(3.25, 4.25) == pytest.approx(0.5)
    assert spans.within(-5.0, -1.0) == 0.0
    assert spans.within(4.5, 4.5) == 0.0
    assert Spans([]).within(0.0, 1.0) == 0.0


def test_a_copy_overlaps_with_kernels_of_other_streams_only() -> None:
    kernels = (kernel(1, 0.0, 10.0), kernel(2, 1.0, 2.0), kernel(3, 1.5, 3.0))
    one, other = copied(1, 0.0, 4.0), copied(2, 3.0, 5.0)
    log = Log((one, other), kernels, CLOCKS)
    found = overlap(log, [one])
    assert (found.count, found.nbytes, found.device_ms, found.call_ms) == (1, 1024, 4.0, 4.0)
    assert found.kernels_ms == pytest.approx(2.0)
    assert found.others_ms == pytest.approx(3.0)
    assert found.free_ms == pytest.approx(0.0)
    assert found.share(found.kernels_ms) == pytest.approx(0.5)
    assert overlap(log, [other]).kernels_ms == pytest.approx(2.0)
    assert overlap(log, []).share(1.0) == 0.0


def test_work_of_another_epoch_or_process_is_no_company() -> None:
    one = copied(1, 0.0, 4.0)
    for epoch in (("copies-7", 1), ("copies-8", 0)):
        log = Log((one,), (replace(kernel(2, 0.0, 4.0), epoch=epoch),), CLOCKS)
        assert overlap(log, [one]).kernels_ms == 0.0


def test_the_hosts_clock_is_put_on_the_devices() -> None:
    assert Clocks(100.0, 200.0, 50.0).on_device(120.0) == pytest.approx(10.0)
    assert Clocks(100.0, 100.0, 0.0).on_device(103.0) == pytest.approx(3.0)
    early = replace(copied(1, 2.0, 6.0), called=100.0, returned=100.5)
    late = replace(early, returned=105.0)
    log = Log((early, late), (), CLOCKS)
    assert overlap(log, [early]).free_ms == pytest.approx(4.0)
    assert overlap(log, [late]).free_ms == pytest.approx(1.0)
    assert overlap(replace(log, clocks={}), [early]).free_ms == 0.0


def test_copies_are_found_again_in_the_other_run() -> None:
    own = copied(1, 0.0, 1.0, host=Host.PINNED)
    device = copied(1, 0.0, 1.0, host=Host.NONE, nbytes=99)
    before = Log((own, copied(1, 1.0, 2.0), device, copied(1, 2.0, 3.0, nbytes=5)))
    after = Log((own, copied(1, 1.0, 1.5, host=Host.PINNED_HERE), copied(1, 2.0, 3.0, nbytes=5)))
    found = freed_copies(before, after)
    assert found == ([before.copies[1]], [after.copies[1]])
    assert freed_copies(before, replace(after, copies=after.copies[:2])) is None


def test_the_verdict_has_the_figures() -> None:
    before = Log((copied(1, 0.0, 4.0), copied(1, 4.0, 8.0)), (kernel(2, 3.0, 5.0),), CLOCKS)
    after = replace(before, kernels=(kernel(2, 0.0, 6.0),))
    was, now = overlap(before, before.copies), replace(overlap(after, after.copies), call_ms=0.25)
    assert overlap_text(was, now) == (
        "2 asynchronous copies of pageable memory, 2 KiB, return after 0.25 ms instead of 8 ms; "
        "75% of the copy time overlaps with kernels (was 25%)"
    )
    assert "beside kernels of other streams: 25% -> 75% of the copy time" in overlap_inputs(was, now)
    assert [size_text(n) for n in (10, 1536, 3 << 30)] == ["10 bytes", "1.5 KiB", "3 GiB"]


# ---- the library, on a runtime that is none ----------------------------------------------------------------------

needs_compiler = pytest.mark.skipif(
    shutil.which("g++") is None or not any((d / "cuda.h").is_file() for d in toolkit_includes()),
    reason="a C++ compiler or the CUDA headers are missing",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `chunks`, built for the runtime that is none."""
    folder = tmp_path_factory.mktemp("copies")
    program = folder / "program"
    program.mkdir()
    includes = " ".join(f"-I{d}" for d in toolkit_includes())
    for words in (
        f"-shared -fPIC {DATA}/fake_runtime.cpp -o {folder}/libcudart.so.13",
        f"{DATA}/chunks.cpp -o {program}/run {folder}/libcudart.so.13",
    ):
        ran = run_command(f"g++ -std=c++17 {includes} {words}", folder, limit_s=120)
        assert ran.status == 0, ran.err
    return folder


def runner(place: Path, command: str) -> Runner:
    return Runner(place / "program", ProgramOptions(command, place / "cache", budget_s=0.01, limit_s=60.0), DEVICE)


@needs_compiler
def test_pinned_copies_return_at_once_and_overlap(place: Path) -> None:
    with runner(place, f"{place}/program/run") as own:
        made = verify_copies(own, copy_project(place / "program", place / "copy"), None)
    assert made.verdict is Verdict.FASTER, made
    assert made.comparison == "same output"
    assert made.reason.startswith("32 asynchronous copies of pageable memory, 2 MiB, return after ")
    assert "2 blocks (2 MiB) pinned by the verifier with cudaHostRegister" in " ".join(made.inputs)
    free = next(said for said in made.inputs if said.startswith("after the call had returned"))
    was, now = (float(part.split("%")[0]) for part in free.split(": ")[1].split(" -> "))
    assert was < 20
    assert now > 80
    shares = made.reason.split("; ")[1]
    assert float(shares.split("%")[0]) > float(shares.split("was ")[1].split("%")[0]) + 20
    assert made.reason in made.summary()


@needs_compiler
def test_memory_that_is_freed_under_a_copy_is_no_gain(place: Path) -> None:
    with runner(place, f"{place}/program/run early") as own:
        made = verify_copies(own, copy_project(place / "program", place / "copy-early"), None)
    assert made.verdict is Verdict.DIFFERENT_RESULTS
    assert "frees memory while a copy is under way" in made.reason


@needs_compiler
def test_without_such_copies_there_is_nothing_to_say(place: Path) -> None:
    with (
        runner(place, "true") as own,
        pytest.raises(NotVerifiableError, match="no asynchronous copy of pageable memory"),
    ):
        verify_copies(own, copy_project(place / "program", place / "copy-none"), None)


# ---- which findings are looked at how ----------------------------------------------------------------------------


def test_findings_without_a_fix_share_one_run_and_a_fix_is_what_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = unit_of(program_copied(tmp_path))
    fixed = work(unit, 0, "CUD504", None, "main.cu", "int main(", "int  main(")
    advice = replace(fixed.finding, fix=Fix(Applicability.DISPLAY, "x"))
    plain = [replace(fixed, index=n, finding=advice) for n in (1, 2)]
    asked: list[list[str] | None] = []

    def verify(_: object, __: object, contents: dict[Path, bytes] | None) -> Verification:
        asked.append(None if contents is None else [path.name for path in contents])
        return Verification(Verdict.NO_GAIN, "", device="card")

    monkeypatch.setattr("cudalint.verify.program.verify_copies", verify)
    monkeypatch.setattr("cudalint.verify.program_runner.build_library", lambda *_, **__: Path("libm.so.6"))
    options = ProgramOptions(
        "printf '%s\\0nvcc\\0main.cu\\0' \"$PWD\" > $CUDALINT_PRELOAD/nvcc-1", tmp_path / "cache"
    )
    made = verify_programs([fixed, *plain], options, [DEVICE])
    assert [made[n].verdict for n in range(3)] == [Verdict.NO_GAIN] * 3
    assert asked == [["main.cu"], None]
