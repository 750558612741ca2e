"""The verifier's parts that need no GPU: expressions, specs, statistics, verdicts, the worker session."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from cudalint.verify.cexpr import ExpressionError, evaluate
from cudalint.verify.commandline import command_line
from cudalint.verify.counters import METRICS, CountersError, parse
from cudalint.verify.job import Argument, Build, Job, Outcome
from cudalint.verify.session import Session
from cudalint.verify.spec import SpecError, from_comment, from_items
from cudalint.verify.statistics import judge_times, settled, speed_verdict
from cudalint.verify.verdict import Timing, Verdict, Verification
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(N + 31) / 32", 128),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("N > 5 ? 1 << 4 : 2", 16),
        ("min(N, 10) * 0x10", 160),
        ("!0 && ~0", 1),
        ("010", 8),
        ("1.5f * 2", 3.0),
        ("7u", 7),
    ],
)
def test_c_expressions(text: str, value: float) -> None:
    assert evaluate(text, {"N": 4096}) == value


@pytest.mark.parametrize(
    "text",
    ["N +", "M", "1 / 0", "f(2)", "a[1]", "1; 2", "1 << 99", "x = 3", '"s"', "", "(" * 600, "__import__('os')"],
)
def test_bad_expressions_say_why(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, {"N": 1})


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool))
def test_division_truncates_as_in_c(a: int, b: int) -> None:
    quotient, rest = evaluate("a / b", {"a": a, "b": b}), evaluate("a % b", {"a": a, "b": b})
    assert quotient == int(np.trunc(a / b))
    assert quotient * b + rest == a


def test_a_comment_gives_a_spec() -> None:
    spec = from_comment("// cudalint: verify N=4096 grid=((N+31)/32, (N+31)/32) block=(32,8) out=float[N*N] s=2.5")
    assert spec is not None
    assert spec.grid == (128, 128, 1)
    assert spec.block == (32, 8, 1)
    assert spec.buffers == {"out": 4096 * 4096 * 4}
    assert spec.numbers == {"N": 4096, "s": 2.5}


def test_a_table_gives_a_spec_and_other_comments_none() -> None:
    assert from_items({"N": 16, "argv": "(1024, 10)"}).argv == ("1024", "10")
    assert from_comment("// cudalint: ignore[CUD101] verify") is None


@pytest.mark.parametrize(
    "body", ["grid=(0,1)", "N", "N=M", "x=quux[4]", "x=float[0]", "grid=(1,2", "block=(1,1,1,1)"]
)
def test_a_bad_spec_says_why(body: str) -> None:
    with pytest.raises(SpecError):
        from_comment(f"// cudalint: verify {body}")


def noisy(mean: float, spread: float, seed: int, count: int = 60) -> list[float]:
    return list(mean * (1 + spread * np.random.default_rng(seed).standard_normal(count)))


def test_a_clear_gain_is_faster_and_its_inverse_slower() -> None:
    slow, fast = noisy(2.0, 0.01, 1), noisy(1.0, 0.01, 2)
    assert speed_verdict(judge_times(slow, fast, noisy(2.0, 0.01, 3))) is Verdict.FASTER
    assert speed_verdict(judge_times(fast, slow, noisy(1.0, 0.01, 4))) is Verdict.SLOWER


def test_the_same_kernel_with_a_module_offset_is_no_gain() -> None:
    """2.5% apart with tiny spread: the interval excludes 1, the margin does not."""
    timing = judge_times(noisy(1.025, 0.001, 1), noisy(1.0, 0.001, 2), noisy(1.025, 0.001, 3))
    assert timing.low > 1.0
    assert speed_verdict(timing) is Verdict.NO_GAIN


def test_a_high_floor_raises_the_bar() -> None:
    timing = Timing(1.1, 1.0, 1.1, 1.09, 1.11, 0.06, 60)
    assert speed_verdict(timing) is Verdict.NO_GAIN


def test_narrow_times_settle_and_wide_ones_do_not() -> None:
    assert settled(noisy(1.0, 0.005, 1), noisy(1.0, 0.005, 2))
    assert not settled(noisy(1.0, 0.3, 1, 10), noisy(1.0, 0.3, 2, 10))


def test_a_verification_is_json_able_and_readable() -> None:
    timing = judge_times([2.0] * 5, [1.0] * 5, [2.0] * 5)
    made = Verification(Verdict.FASTER, "", timing=timing, comparison="bitwise equal")
    assert made.as_json()["verdict"] == "faster"
    assert "ratio 2.00" in made.summary()
    assert "bandwidth_gbs" not in made.as_json()


JOB = Job(
    Build((1, 1, 1), (32, 1, 1), 0, "k"), Build((1, 1, 1), (32, 1, 1), 0, "k"), (Argument("scalar", data="00"),)
)


def worker(tmp_path: Path, body: str) -> list[str]:
    """A stand-in worker: speaks the protocol without a GPU."""
    script = tmp_path / "worker.py"
    script.write_text(
        "import sys, time\nfrom cudalint.verify.job import Job, Outcome\n"
        f"for line in sys.stdin:\n    job = Job.from_line(line)\n    {body}\n"
    )
    return [sys.executable, str(script)]


def test_jobs_and_outcomes_survive_the_wire() -> None:
    assert Job.from_line(JOB.to_line()) == JOB
    outcome = Outcome(equal="bitwise", before_ms=(1.0, 2.0))
    assert Outcome.from_line(outcome.to_line()) == outcome


def test_a_session_serves_several_jobs(tmp_path: Path) -> None:
    command = worker(tmp_path, "print(Outcome(equal=job.mode).to_line(), flush=True)")
    with Session(command) as session:
        assert [session.run(JOB).equal for _ in range(2)] == ["compare", "compare"]


def test_a_worker_that_dies_is_an_outcome_and_the_next_job_gets_a_new_one(tmp_path: Path) -> None:
    command = worker(tmp_path, "print('segfault here', file=sys.stderr, flush=True); time.sleep(0.1); sys.exit(9)")
    with Session(command) as session:
        for _ in range(2):
            outcome = session.run(JOB)
            assert outcome.stage == "died"
            assert "segfault here" in outcome.error


def test_an_answer_that_cannot_be_read_is_an_outcome(tmp_path: Path) -> None:
    with Session(worker(tmp_path, "print('printed by a kernel', flush=True)")) as session:
        assert session.run(JOB).stage == "died"


def test_the_real_worker_answers_wherever_it_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without CuPy or a GPU too; a folder named like the package must not be taken for it."""
    (tmp_path / "cudalint").mkdir()
    (tmp_path / "cudalint" / "__init__.py").write_text("")
    monkeypatch.chdir(tmp_path)
    with Session() as session:
        outcome = session.run(JOB)
    assert outcome.stage in {"device", "load", "run", "build"}
    assert outcome.error


@pytest.mark.parametrize(
    ("said", "stage", "words"),
    [
        ("", "build", "not compiled"),
        ("#flagged", "hang", "the flagged kernel hangs"),
        ("#fixed", "hang", "the fixed kernel hangs"),
        ("#timing", "hang", "a kernel hangs"),
    ],
)
def test_a_hang_is_ended_in_bounded_time_and_says_where(tmp_path: Path, said: str, stage: str, words: str) -> None:
    body = f"print({said!r}, flush=True) if {said!r} else None; time.sleep(100)"
    with Session(worker(tmp_path, body)) as session:
        outcome = session.run(JOB, limit_s=1.0)
    assert outcome.stage == stage
    assert words in outcome.error


SECTORS, REQUESTS = METRICS["global_load_sectors"], METRICS["global_load_requests"]
NCU = f"""==PROF== Connected to process 7
==PROF== Profiling "k" - 0: 0%....50%....100% - 1 pass
"ID","Process ID","Kernel Name","{SECTORS}","{REQUESTS}"
"","","","sector",""
"0","7","k","4,096","128"
"""


def test_counters_are_read_from_the_profilers_table() -> None:
    assert parse(NCU) == {"global_load_sectors": 4096.0, "global_load_requests": 128.0}


def test_a_profiler_without_permission_says_so() -> None:
    with pytest.raises(CountersError, match="ERR_NVGPUCTRPERM"):
        parse("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters\n")


@pytest.mark.parametrize(
    ("recipe", "argv"),
    [
        ("run: main\n\t$(LAUNCHER) ./$(program) 8192 10\n", ("program", "8192", "10")),
        ("all:\n\t./gen 1\nrun: main\n\techo x\n\t./main -n 5 | tail\n", ("program", "-n", "5")),
        ("run: main\n\t./main $(SIZE)\n", None),
        ("all: main\n", None),
    ],
)
def test_the_run_target_gives_the_command_line(tmp_path: Path, recipe: str, argv: tuple[str, ...] | None) -> None:
    (tmp_path / "Makefile").write_text(recipe)
    assert command_line(tmp_path / "main.cu") == argv
