"""Verification inside a program on a real GPU: every verdict, faults and hangs among them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cudalint.lint.cli import main
from cudalint.verify.device import devices
from cudalint.verify.program_all import verify_programs
from cudalint.verify.program_runner import ProgramOptions
from cudalint.verify.verdict import Verdict, Verification
from program_work import copied, fixes, unit_of, work

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def needs() -> None:
    if not devices():
        pytest.skip("no CUDA device")
    if shutil.which("nvcc") is None or shutil.which("make") is None:
        pytest.skip("nvcc or make is missing")


def verdicts(folder: Path, *names: str, command: str = "make ARCH=native run") -> dict[str, Verification]:
    program = copied(folder)
    options = ProgramOptions(command, folder / "cache", budget_s=1.0, limit_s=120.0)
    made = verify_programs(fixes(unit_of(program), *names), options, devices()[:1])
    for index, name in enumerate(names):
        print(name, made[index].summary(), made[index].inputs)
    return {name: made[index] for index, name in enumerate(names)}


def test_every_verdict_in_one_program(tmp_path: Path) -> None:
    made = verdicts(tmp_path, "padded", "single", "wrong", "faulting", "hanging", "broken", "barrier", "wider")
    assert made["padded"].verdict is Verdict.FASTER
    assert made["padded"].comparison == "results bitwise equal"
    assert made["padded"].timing is not None
    assert made["padded"].timing.ratio > 1.2
    assert made["single"].verdict in {Verdict.FASTER, Verdict.NO_GAIN}
    assert made["wrong"].verdict is Verdict.DIFFERENT_RESULTS
    assert "argument 1" in made["wrong"].reason
    assert made["faulting"].verdict is Verdict.FAILED
    assert "illegal memory access" in made["faulting"].reason
    assert made["hanging"].verdict is Verdict.FAILED
    assert "no answer" in made["hanging"].reason
    assert made["broken"].verdict is Verdict.FAILED
    assert "__no_such_call" in made["broken"].reason
    assert made["barrier"].verdict in {Verdict.CONFIRMED, Verdict.NO_GAIN}
    assert made["wider"].verdict in {Verdict.FASTER, Verdict.NO_GAIN, Verdict.SLOWER}
    assert any("with the fix launched as" in said and "(128, 1, 1)" in said for said in made["wider"].inputs)


def test_the_same_kernel_is_never_faster_or_slower(tmp_path: Path) -> None:
    unit = unit_of(copied(tmp_path))
    kernels = (("transpose", "transpose.cuh", "    __syncthreads();"), ("scale", "main.cu", "1.000001;"))
    pairs = [(kernel, file, text, text + " " * n) for n in range(1, 9) for kernel, file, text in kernels]
    items = [work(unit, n, "CUD201", *pair) for n, pair in enumerate(pairs)]
    options = ProgramOptions("make ARCH=native run", tmp_path / "cache", budget_s=0.5, limit_s=120.0)
    made = verify_programs(items, options, devices()[:1])
    print([one.timing.ratio if one.timing else one.reason for one in made.values()])
    assert [one.verdict for one in made.values()] == [Verdict.NO_GAIN] * len(items)
    assert all(one.comparison == "results bitwise equal" for one in made.values())


def test_device_code_that_is_linked(tmp_path: Path) -> None:
    command = "nvcc -std=c++17 -rdc=true -arch=native -o main main.cu && ./main 1024"
    made = verdicts(tmp_path, "padded", "single", command=command)
    assert made["padded"].verdict in {Verdict.FASTER, Verdict.NO_GAIN}
    assert made["padded"].comparison == "results bitwise equal"
    assert made["single"].timing is not None


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied(tmp_path))
    options = ["--verify", "--verify-program", "make ARCH=native run", "--no-cache", "--verify-budget", "1s"]
    with pytest.raises(SystemExit):
        main(["check", ".", *options, "--output-format", "json", "--output-file", "out.json"])
    found = {f["code"]: f["verification"] for f in json.loads(Path("out.json").read_text()) if f["verification"]}
    print(json.dumps(found, indent=1))
    assert found["CUD201"]["verdict"] == "faster"
    assert found["CUD401"]["verdict"] in {"confirmed", "no-gain"}
    assert found["CUD503"]["verdict"] in {"faster", "no-gain"}
    assert any("in the program itself" in said for said in found["CUD503"]["inputs"])
