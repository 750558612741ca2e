"""Verification inside a program, without a GPU: copies, builds, commands, messages and verdicts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.check import run_check
from cudalint.lint.config import Settings
from cudalint.lint.options import CheckOptions
from cudalint.lint.verifying import _program
from cudalint.verify import program_runner
from cudalint.verify.build import toolkit_includes
from cudalint.verify.device import Device
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program import Program
from cudalint.verify.program_all import better, needs_program, verify_programs
from cudalint.verify.program_build import (
    Cubin,
    read_commands,
)
from cudalint.verify.program_copy import copy_project
from cudalint.verify.program_find import element_types, fixed_contents, launched, may_change_launch
from cudalint.verify.program_host import _same_output
from cudalint.verify.program_job import (
    Looked,
    Seen,
    Want,
    build_library,
    environment,
    job_text,
    looked,
    read_launches,
    read_results,
    read_times,
)
from cudalint.verify.program_judge import judge_launches, with_racecheck
from cudalint.verify.program_run import KEPT, Ran, run_command
from cudalint.verify.program_runner import ProgramOptions, Runner
from cudalint.verify.program_sanitizer import hazards
from cudalint.verify.store import Store
from cudalint.verify.verdict import Verdict, Verification
from program_work import copied, fixes, unit_of

DEVICE = Device(0, "card", 13000, "sm_90")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is missing")


# ---- running ---------------------------------------------------------------------------------------------------


def test_a_command_that_overruns_is_ended_with_its_children(tmp_path: Path) -> None:
    begin = time.monotonic()
    ran = run_command("(sleep 30; touch late) & echo begun; sleep 30", tmp_path, limit_s=0.3)
    assert ran.stopped == "timeout"
    assert ran.out == "begun\n"
    assert time.monotonic() - begin < 10
    assert not (tmp_path / "late").exists()


def test_a_watch_can_end_a_command(tmp_path: Path) -> None:
    ran = run_command(["sleep", "30"], tmp_path, limit_s=30, watch=lambda: "seen enough")
    assert ran.stopped == "seen enough"
    assert ran.seconds < 10


def test_what_was_started_ends_when_the_one_who_started_it_is_killed(tmp_path: Path) -> None:
    code = f"from pathlib import Path; from {run_command.__module__} import run_command as run; "
    code += f"run('echo $$ > pid; sleep 60', Path({str(tmp_path)!r}), limit_s=60)"
    starter = subprocess.Popen([sys.executable, "-P", "-c", code], cwd=tmp_path)
    pid = tmp_path / "pid"
    wait_for(lambda: pid.is_file() and pid.read_text().strip() != "")
    starter.kill()
    starter.wait()
    wait_for(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())


def wait_for(done: Callable[[], bool], limit_s: float = 20.0) -> None:
    deadline = time.monotonic() + limit_s
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_output_is_bounded_and_the_error_is_found(tmp_path: Path) -> None:
    ran = run_command("yes | head -c 2000000; echo 'x.cu(3): error: no' >&2; echo end; exit 3", tmp_path, limit_s=30)
    assert ran.status == 3
    assert len(ran.out) == 2 * KEPT
    assert ran.out.endswith("end\n")
    assert ran.problem == "x.cu(3): error: no"
    assert run_command("exit 4", tmp_path, limit_s=30).problem == "exit status 4"
    assert (
        Ran(2, 1.0, "nvcc -c a.cu\n", "make: *** No rule to make target 'b.o'.  Stop.\n").problem[:12]
        == "make: *** No"
    )


# ---- messages --------------------------------------------------------------------------------------------------


def test_a_job_says_all_about_a_kernel() -> None:
    sides = (Cubin(Path("/t/a.cubin"), "_Z1kPf", ""), Cubin(Path("/t/b.cubin"), "_Z1kPf", "0123abcd"))
    want = Want("3", "_Z1kPf", "compare", *sides, 2, {0: "f32"}, {1: (4, 1, 1, 64, 1, 1, 0)})
    lines = job_text("verify", [want], compare=Path("/t/c.cubin"), budget_s=0.5).splitlines()
    assert lines[0] == "mode\tverify"
    assert "compare\t/t/c.cubin" in lines
    assert "want\t3\t_Z1kPf\tcompare\t2\t/t/a.cubin\t_Z1kPf\t\t/t/b.cubin\t_Z1kPf\t0123abcd" in lines
    assert "type\t3\t0\tf32" in lines
    assert "shape\t3\t1\t4 1 1 64 1 1 0" in lines


def test_launches_are_read_past_a_line_cut_short(tmp_path: Path) -> None:
    (tmp_path / "launches.txt").write_text("7\t_Z1kv\t0\t1 2 3 4 5 6 7\t0\n7\t_Z1kv\t1\t1 2 3 4 5 6 7\t1\n7\t_Z1")
    shape = (1, 2, 3, 4, 5, 6, 7)
    assert read_launches(tmp_path) == [Seen("_Z1kv", 0, shape, False), Seen("_Z1kv", 1, shape, True)]
    assert read_launches(tmp_path / "nowhere") == []


def test_times_of_all_processes_add_up(tmp_path: Path) -> None:
    assert read_times(tmp_path) is None
    (tmp_path / "time.txt").write_text("10.5\t3\t1.5\n2\t1\t0.5\n")
    made = read_times(tmp_path)
    assert made is not None
    assert (made.wall_ms, made.allocations, made.allocating_ms) == (12.5, 4, 2.0)


def test_the_environment_has_the_library_one_device_and_the_users_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-DX")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    made = environment(Path("/job"), Path("/lib.so"), 1)
    assert made["NVCC_APPEND_FLAGS"] == "-DX -cudart shared"
    assert made["CUDA_VISIBLE_DEVICES"] == "5"
    assert made["LD_PRELOAD"].split()[0] == "/lib.so"
    assert made["CUDALINT_PRELOAD"] == "/job"


RESULT = {
    "launch": 4,
    "shape": [64, 64, 1, 32, 32, 1, 0],
    "fixed_shape": [64, 64, 1, 32, 32, 1, 0],
    "bytes": 50332160,
    "regions": 5,
    "equal": "bitwise",
    "max_difference": 0,
    "where": "",
    "varies": False,
    "fixed_varies": False,
    "runs": 3,
    "device": "card",
    "before_ms": [2.0, 2.01, 1.99, 2.0, 2.0, 2.01],
    "after_ms": [1.0, 1.01, 0.99, 1.0, 1.0, 1.0],
    "again_ms": [2.0, 2.0, 2.0, 1.99, 2.01, 2.0],
}
"""As the library writes it for a launch."""


def result(**changed: object) -> Looked:
    return looked(json.loads(json.dumps({**RESULT, **changed})))


def test_results_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / "result-1-0.json").write_text(json.dumps(RESULT))
    (tmp_path / "result-1-1.json").write_text("{")
    (tmp_path / "result-10-0.json").write_text(json.dumps(RESULT))
    assert [one.launch for one in read_results(tmp_path, "1")] == [4]


# ---- verdicts --------------------------------------------------------------------------------------------------


def judged(*results: Looked, code: str = "CUD201") -> Verification:
    return judge_launches(code, "k", results, "make run")


def test_equal_and_faster() -> None:
    made = judged(result())
    assert made.verdict is Verdict.FASTER
    assert made.launch == "k<<<(64, 64, 1), (32, 32, 1), 0>>>"
    assert made.comparison == "results bitwise equal"
    assert "in the program itself: make run" in made.summary()
    assert Verification.from_json(made.as_json()) == made


def test_a_difference_at_a_later_launch_counts() -> None:
    other = result(launch=5, equal="different", max_difference=0.5, where="argument 1, element 3", before_ms=[])
    made = judged(result(), other)
    assert made.verdict is Verdict.DIFFERENT_RESULTS
    assert "argument 1, element 3" in made.reason
    assert any("launch 5 and 6 of the kernel" in said for said in made.inputs)


def test_another_launch_shape_is_told() -> None:
    made = judged(result(fixed_shape=[8, 1, 1, 128, 1, 1, 0]))
    assert "with the fix launched as <<<(8, 1, 1), (128, 1, 1), 0>>>" in made.inputs


@pytest.mark.parametrize(
    ("changed", "verdict", "words"),
    [
        (
            {"stage": "fixed", "error": "an illegal memory access"},
            Verdict.FAILED,
            "the fixed kernel failed: an illegal",
        ),
        ({"stage": "flagged", "error": "fault"}, Verdict.NOT_VERIFIABLE, "built apart"),
        ({"stage": "memory", "error": "copies do not fit"}, Verdict.NOT_VERIFIABLE, "copies do not fit"),
        ({"stage": "idle", "error": "its first 20 launches"}, Verdict.NOT_VERIFIABLE, "its first 20"),
        ({"varies": True}, Verdict.NOT_VERIFIABLE, "different results for the same inputs"),
    ],
)
def test_what_goes_wrong_has_a_verdict(changed: dict[str, object], verdict: Verdict, words: str) -> None:
    made = judged(result(**changed))
    assert made.verdict is verdict
    assert words in made.reason


def test_a_hang_leaves_little_to_tell() -> None:
    made = judged(looked({"stage": "fixed", "error": "no answer within 5 s", "hang": True}))
    assert made.verdict is Verdict.FAILED
    assert made.launch == "k"
    assert not any("allocations" in said for said in made.inputs)


def test_a_failure_at_a_later_launch_of_the_flagged_kernel_leaves_the_first() -> None:
    assert judged(result(), result(stage="flagged", error="fault")).verdict is Verdict.FASTER
    assert judged(result(), result(stage="fixed", error="fault")).verdict is Verdict.FAILED


def test_races() -> None:
    assert judged(result(varies=True), code="CUD401").verdict is Verdict.CONFIRMED
    assert judged(result(varies=True, fixed_varies=True), code="CUD401").verdict is Verdict.NOT_VERIFIABLE
    calm = judged(result(), code="CUD401")
    assert calm.verdict is Verdict.NO_GAIN
    assert with_racecheck(calm, "racecheck: 0 hazards").verdict is Verdict.NO_GAIN
    assert with_racecheck(calm, "racecheck: no answer in 60 s").verdict is Verdict.NO_GAIN
    assert with_racecheck(calm, "") is calm
    seen = with_racecheck(calm, "racecheck: 2 hazards")
    assert seen.verdict is Verdict.CONFIRMED
    assert seen.reason.endswith("racecheck: 2 hazards")


def test_racecheck_summaries_add_up() -> None:
    text = "x\n========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n"
    assert hazards(text + "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)") == 3
    assert hazards("========= ERROR") is None


def test_outputs_compare_past_times() -> None:
    one = Ran(0, 1.0, "took 1.25 ms\nsum 7\n", "")
    assert _same_output(one, one) == "same output"
    assert _same_output(one, replace(one, out="took 0.5 ms\nsum 7\n")) == "same output but for numbers with fractions"
    assert _same_output(one, replace(one, out="took 0.5 ms\nsum 8\n")) == "same exit status, other output"


def test_the_program_is_asked_where_a_kernel_alone_says_too_little(sample: Unit) -> None:
    (item,) = fixes(sample, "padded")
    plain = Unit(replace(sample.program, globals=()), sample.options)
    apart = Verification(Verdict.NO_GAIN, "", inputs=("n = 4",))
    assert needs_program(item, apart)  # `width` is filled by the host
    bare = replace(item, unit=plain)
    assert not needs_program(bare, apart)
    (race,) = fixes(sample, "barrier")
    assert needs_program(replace(race, unit=plain), apart)
    assert needs_program(bare, replace(apart, verdict=Verdict.FAILED))
    assert needs_program(bare, None)
    assert needs_program(bare, replace(apart, inputs=("assumed: n = 4096",)))
    nothing = Verification(Verdict.NOT_VERIFIABLE, "no")
    assert needs_program(bare, nothing)
    assert better(apart, nothing) == replace(apart, inputs=("n = 4", "no"))
    assert better(nothing, apart) is apart
    assert better(None, nothing) is nothing


# ---- finding the kernel ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Unit:
    return unit_of(copied(tmp_path_factory.mktemp("sample")))


SHAPE = (64, 64, 1, 32, 32, 1, 0)


def test_a_finding_means_the_instance_that_is_launched(sample: Unit) -> None:
    (item,) = fixes(sample, "padded")
    seen = [Seen("_Z5otherv", 0, SHAPE, False), *(Seen("_Z9transposeIfEvPKT_PS0_", n, SHAPE, False) for n in (0, 1))]
    found = launched(sample, item.finding, seen)
    assert (found.name, found.launches) == ("_Z9transposeIfEvPKT_PS0_", 2)
    assert element_types(found.kernel) == {0: "f32", 1: "f32"}
    unknown = launched(sample, item.finding, [Seen("_Z9transposeIdEvPKT_PS0_", 0, SHAPE, False)])
    assert unknown.name == "_Z9transposeIdEvPKT_PS0_"
    with pytest.raises(NotVerifiableError, match="does not launch transpose"):
        launched(sample, item.finding, seen[:1])
    with pytest.raises(NotVerifiableError, match="only into CUDA graphs"):
        launched(sample, item.finding, [replace(seen[1], captured=True)])


def test_element_types_of_other_parameters(sample: Unit) -> None:
    kernels = {k.name: k for k in sample.kernels}
    assert element_types(kernels["scale"]) == {0: "f32", 1: "bytes"}


def test_what_a_fix_makes_of_files(sample: Unit) -> None:
    padded, wider = fixes(sample, "padded", "wider")
    ((path, data),) = fixed_contents(sample, padded.finding).items()
    assert path.name == "transpose.cuh"
    assert b"T tile[TILE][TILE + 1];" in data
    assert not may_change_launch(sample, padded.finding)
    assert may_change_launch(sample, wider.finding)
    with pytest.raises(NotVerifiableError, match="no rewrite"):
        fixed_contents(sample, replace(padded.finding, fix=None))


# ---- whole runs ------------------------------------------------------------------------------------------------


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that start no CUDA program need no library."""
    monkeypatch.setattr(program_runner, "build_library", lambda *_, **__: Path("libm.so.6"))


def in_program(unit: Unit, command: str, folder: Path, limit_s: float = 30.0) -> Verification:
    options = ProgramOptions(command, folder / "cache", limit_s=limit_s)
    return verify_programs(fixes(unit, "padded"), options, [DEVICE])[0]


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("true", "ran no nvcc"),
        ("echo 'error: nothing works' >&2; exit 3", "exit status 3: error: nothing works"),
        ("sleep 30", "within 0 s"),
    ],
)
def test_a_command_that_shows_nothing(sample: Unit, tmp_path: Path, command: str, words: str) -> None:
    made = in_program(sample, command, tmp_path, limit_s=0.4)
    assert made.verdict is Verdict.NOT_VERIFIABLE
    assert made.reason.startswith(f"in the program itself ({command}): ")
    assert words in made.reason


@pytest.mark.usefixtures("no_library")
def test_a_fault_of_our_own_is_a_verdict(sample: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_runner, "read_commands", lambda _: [][1])
    made = in_program(sample, "true", tmp_path)
    assert made.verdict is Verdict.NOT_VERIFIABLE
    assert "IndexError" in made.reason


@pytest.mark.usefixtures("no_library")
def test_copies_are_removed_and_the_original_is_not_touched(sample: Unit, tmp_path: Path) -> None:
    origin = Path(sample.program.path).parent
    before = {p.name: p.read_bytes() for p in origin.iterdir()}
    in_program(sample, f"pwd > {tmp_path}/where; touch made-here; rm main.cu", tmp_path)
    assert {p.name: p.read_bytes() for p in origin.iterdir()} == before
    place = Path((tmp_path / "where").read_text().strip())
    assert place != origin
    assert not place.exists()


FAKE_LIBRARY = """
J=$CUDALINT_PRELOAD
printf '%s\\0nvcc\\0main.cu\\0' "$PWD" > $J/nvcc-1
printf '1\\t_Z9transposeIfEvPKT_PS0_\\t0\\t64 64 1 32 32 1 0\\t0\\n' > $J/launches.txt
grep -q '^mode.verify' $J/job.txt || exit 0
while IFS='\t' read -r word id rest; do
  [ "$word" = want ] || continue
  touch $J/claim-$id
  [ -e crashed ] || { touch crashed; exit 1; }
  echo '@RESULT@' > $J/result-$id-0.json
done < $J/job.txt
"""
"""A program that behaves towards the verifier as the library does: it crashes at the first kernel it looks at."""


@pytest.mark.usefixtures("no_library")
def test_a_run_that_dies_at_one_kernel_is_made_again_for_the_others(
    sample: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "program.sh"
    script.write_text(FAKE_LIBRARY.replace("@RESULT@", json.dumps(RESULT)))
    cubin = Cubin(tmp_path / "k.cubin", "_Z9transposeIfEvPKT_PS0_", "")
    monkeypatch.setattr("cudalint.verify.program.build_compare", lambda *_: tmp_path)
    monkeypatch.setattr(Program, "_flagged_side", lambda *_: ([], cubin))
    monkeypatch.setattr(Program, "_fixed_side", lambda *_: cubin)
    made: dict[int, Verification] = {}
    options = ProgramOptions(f"sh {script}", tmp_path / "cache")
    groups = [[item] for item in fixes(sample, "padded", "wrong")]
    with Runner(Path(sample.program.path).parent, options, DEVICE) as runner:
        Program(runner, Store(tmp_path / "kept")).verify(
            groups, lambda group, one: made.update({group[0].index: one})
        )
    assert made[0].verdict is Verdict.NOT_VERIFIABLE
    assert "the program ended before the kernel could be looked at" in made[0].reason
    assert made[1].verdict is Verdict.FASTER
    assert made[1].seconds > 0


@pytest.mark.usefixtures("no_library")
def test_verdicts_are_kept_by_the_contents_of_the_folder(sample: Unit, tmp_path: Path) -> None:
    item = fixes(sample, "padded")[0]
    folder = Path(sample.program.path).parent
    options = ProgramOptions("touch ran; true", tmp_path / "cache")
    kept = Store(tmp_path / "kept")
    digest = copy_project(folder, tmp_path / "copy").digest
    settings = f"program {options.command} {options.budget_s} {digest}"
    known = Verification(Verdict.FASTER, "", device="card")
    kept.put(kept.key(item.finding, item.unit.program, DEVICE, settings), known)
    made = verify_programs([item], options, [DEVICE], store=tmp_path / "kept")[0]
    assert made.verdict is Verdict.FASTER


needs_compiler = pytest.mark.skipif(
    shutil.which("g++") is None or not any((d / "cuda.h").is_file() for d in toolkit_includes()),
    reason="a C++ compiler or the CUDA headers are missing",
)


@needs_compiler
@needs_nvcc
def test_the_library_compiles_and_writes_down_what_nvcc_is_asked(tmp_path: Path) -> None:
    library = build_library(tmp_path / "cache")
    assert build_library(tmp_path / "cache") == library
    job = tmp_path / "job"
    job.mkdir()
    (job / "job.txt").write_text(job_text("report"))
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    names = environment(job, library, 0)
    ran = run_command("nvcc -DX='a b' -ptx a.cu && true", tmp_path, limit_s=60, environment=names)
    assert ran.status == 0, ran.problem
    (found,) = read_commands(job)
    assert found.folder == tmp_path
    assert found.sources == [tmp_path / "a.cu"]
    assert "-DX=a b" in [w.text[0] for w in found.words]


# ---- the command line ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared_workers")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"verify_program": " "}, "expected a command"),
        ({"verify_program": "configured"}, "has no verify.program"),
        ({"verify_program": "make", "verify_program_folder": "/no/such"}, "no such folder"),
        ({"verify_program": "make", "verify_program_timeout": "soon"}, "--verify-program-timeout soon"),
    ],
)
def test_options_that_cannot_be_used(
    options: dict[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    given = CheckOptions(paths=[str(tmp_path)], verify=True, no_cache=True, isolated=True)
    assert run_check(replace(given, **options)) == 2
    assert words in capsys.readouterr().err


def test_a_configured_command_runs_only_when_asked_for(tmp_path: Path) -> None:
    settings = Settings(verify={"program": "make run", "program-timeout": "20s"}, root=tmp_path)
    assert _program(CheckOptions(verify=True), settings) is None
    made = _program(CheckOptions(verify=True, verify_program="configured"), settings)
    assert made is not None
    assert (made.command, made.limit_s, made.budget_s) == ("make run", 20.0, 2.0)
