"""The worker's answers to errors, with a stand-in for CuPy and for what runs jobs."""

import sys
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import pytest
from cudalint.verify import worker
from cudalint.verify.job import Build, Job


class OutOfMemoryError(Exception):
    pass


class CUDARuntimeError(Exception):
    pass


class StageError(Exception):
    stage = "build"


@pytest.mark.parametrize(
    ("error", "stage", "usable"),
    [
        (OutOfMemoryError("allocating 5 bytes"), "memory", False),
        (CUDARuntimeError("illegal access"), "run", False),
        (StageError("no such file"), "build", True),
        (ValueError("surprise"), "run", False),
    ],
)
def test_an_error_becomes_an_answer(monkeypatch: pytest.MonkeyPatch, error, stage, usable) -> None:
    cupy = ModuleType("cupy")
    cupy.cuda = SimpleNamespace(
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError),
    )
    gpu = ModuleType("cudalint.verify.gpu")

    gpu.perform, gpu.StageError = Mock(side_effect=error), StageError
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "cudalint.verify.gpu", gpu)
    build = Build((1, 1, 1), (32, 1, 1), 0, "k")
    outcome, still = worker._serve(Job(build, build, ()), Mock())
    assert (outcome.stage, still) == (stage, usable)
    assert str(error) in outcome.error
