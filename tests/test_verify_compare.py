"""What counts as equal: on arrays of NumPy in the place of CuPy's, and from outcomes to verdicts."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cudalint.verify.compare import Varying, compare
from cudalint.verify.job import Argument, Build, Job, Outcome
from cudalint.verify.judge import judge
from cudalint.verify.verdict import Verdict, Verification

RAN = Verification(Verdict.FAILED, "")
TIMES = {"before_ms": (1.0,) * 20, "after_ms": (1.0,) * 20, "again_ms": (1.0,) * 20}


def held(*values: Any, dtype: str = "float32") -> npt.NDArray[np.uint8]:
    return np.array(values, dtype).view(np.uint8)


def one(argument: Argument) -> list[tuple[int, Argument]]:
    return [(3, argument)]


def test_equal_bytes_are_equal_whatever_they_mean() -> None:
    nan = held(np.nan, 1.0)
    found = compare(np, [nan], [nan.copy()], one(Argument("buffer")), 1e-5)
    assert (found.kind, found.count, found.total) == ("bitwise", 0, 2)


def test_rounding_counts_as_equal_and_more_does_not() -> None:
    a, near, far = held(1.0, 2.0, 4.0), held(1.0, 2.00001, 4.0), held(1.0, 2.5, 3.0)
    assert compare(np, [a], [near], one(Argument("buffer")), 1e-5).kind == "tolerance"
    found = compare(np, [a], [far], one(Argument("buffer")), 1e-5)
    assert (found.kind, found.count, found.total, found.absolute) == ("different", 2, 3, 1.0)
    assert found.relative == pytest.approx(0.25)
    assert found.where == "argument 3, element 1"


@pytest.mark.filterwarnings("ignore:invalid value")
def test_nan_and_infinity_hide_no_difference() -> None:
    a = held(np.inf, 1.0, np.nan)
    assert compare(np, [a], [held(np.inf, 2.0, np.nan)], one(Argument("buffer")), 1e-5).kind == "different"
    assert compare(np, [a], [held(-np.inf, 1.0, np.nan)], one(Argument("buffer")), 1e-5).kind == "different"
    found = compare(np, [a], [held(np.inf, np.nan, np.nan)], one(Argument("buffer")), 1e-5)
    assert (found.kind, found.where) == ("different", "argument 3, element 1 (NaN on one side)")


def test_integers_have_no_tolerance_but_a_figure() -> None:
    pixels = Argument("buffer", dtype="uint8")
    found = compare(np, [held(10, 200, 3, dtype="uint8")], [held(10, 199, 3, dtype="uint8")], one(pixels), 1e-5)
    assert (found.kind, found.count, found.absolute) == ("different", 1, 1.0)


def test_halves_are_equal_to_a_unit_in_the_last_place() -> None:
    a, b = held(1.0, 0.5, dtype="float16"), held(1.0, 0.5 + 2**-11, dtype="float16")
    assert compare(np, [a], [b], one(Argument("buffer", dtype="float16")), 1e-5).kind == "tolerance"


def test_sums_by_atomics_are_given_more_room() -> None:
    a, b = held(1000.0, 1.0), held(1000.0, 1.05)
    assert compare(np, [a], [b], one(Argument("buffer")), 1e-5).kind == "different"
    assert compare(np, [a], [b], one(Argument("buffer", summed=True)), 1e-5).kind == "tolerance"


@pytest.mark.parametrize(("dtype", "row"), [("int32", 4), ("int32", 8), ("uint64", 8), ("int32", 12), ("float32", 8)])
def test_what_atomics_place_is_compared_in_any_order(dtype: str, row: int) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 9, size=(50, row)).astype(dtype)[:, : row // np.dtype(dtype).itemsize]
    other = rows[rng.permutation(50)]
    placed = one(Argument("buffer", dtype=dtype, row=row))
    a, b = (np.ascontiguousarray(r).reshape(-1).view(np.uint8) for r in (rows, other))
    assert compare(np, [a], [b], placed, 1e-5).kind in {"bitwise", "tolerance"}
    assert compare(np, [a], [b], one(Argument("buffer", dtype=dtype)), 1e-5).kind == "different"
    b[:4] = held(77, dtype="int32")
    assert compare(np, [a], [b], placed, 1e-5).kind == "different"


def test_a_value_that_the_flagged_kernel_gives_too_is_no_difference() -> None:
    """Two blocks store to one element: either may be last, with the fix as well."""
    first, again = held(1.0, 5.0, 2.0), held(1.0, 6.0, 2.0)
    for fixed, strangers in ((held(1.0, 6.0, 2.0), 0), (held(1.0, 7.0, 2.0), 1), (held(1.5, 6.0, 2.0), 1)):
        seen = Varying.of(np, [first], [fixed], one(Argument("buffer")), 1e-5)
        for run in (again, first, again):
            seen.add([run])
        assert (seen.elements, seen.strangers) == (1, strangers)


def test_what_kernels_change_is_put_back_before_each_launch_that_warms_up(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter that goes on counting from launch to launch would lead out of the buffer that it is an index of."""
    happened: list[str] = []
    runtime = SimpleNamespace(deviceSynchronize=lambda: None)
    monkeypatch.setattr(np, "cuda", SimpleNamespace(runtime=runtime), raising=False)
    monkeypatch.setattr(gpu, "launch", lambda *_: happened.append("launch"))
    counter = SimpleNamespace(restore=lambda: happened.append("restore"))
    gpu._warm_up(None, (None, None), [counter], [counter], lambda _: None)
    assert happened == ["restore", "launch"] * 6


def test_elements_that_vary_are_told_and_do_not_refute() -> None:
    steady = Outcome(equal="bitwise", varies=True, varying=3, compared=91, **TIMES)
    made = judge("CUD801", steady, RAN)
    assert made.verdict is Verdict.NO_GAIN
    assert made.comparison.startswith("results bitwise equal, but for 3 of 91 elements that vary")
    stranger = Outcome(equal="different", varies=True, varying=3, strangers=2, compared=91)
    made = judge("CUD801", stranger, RAN, ["different blocks store to the same elements of out"])
    assert made.verdict is Verdict.NOT_VERIFIABLE
    assert made.reason.endswith("3 of 91 elements vary; different blocks store to the same elements of out")


def test_different_results_come_with_figures() -> None:
    outcome = Outcome(
        equal="different",
        where="argument 4, element 7, seed 0",
        differing=2,
        compared=100,
        max_absolute=1.0,
        max_difference=1 / 255,
    )
    made = judge("CUD801", outcome, RAN)
    assert made.verdict is Verdict.DIFFERENT_RESULTS
    figures = "2 of 100 elements, by at most 1 (3.9e-03 of the largest value)"
    assert made.reason == f"results differ at argument 4, element 7, seed 0: {figures}"


def test_a_race_that_the_fix_leaves_says_where_to_look() -> None:
    outcome = Outcome(equal="different", varies=True, fixed_varies=True, varying=1, compared=8192)
    made = judge("CUD402", outcome, RAN, ["some blocks read elements that none has written"])
    assert made.verdict is Verdict.NOT_VERIFIABLE
    assert "(1 of 8192 elements vary); some blocks read" in made.reason


class Runs:
    """Kernels that give results which were recorded, in the place of a card's."""

    def __init__(self, flagged: list[npt.NDArray[np.uint8]], fixed: list[npt.NDArray[np.uint8]]) -> None:
        self.left = {"flagged": flagged, "fixed": fixed}
        self.count = {"flagged": 0, "fixed": 0}

    def __call__(self, _kernel: Any, _job: Any, _buffers: Any, which: str, _tell: Any) -> list[npt.NDArray[np.uint8]]:
        results = self.left[which]
        self.count[which] += 1
        return [results[(self.count[which] - 1) % len(results)]]


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The worker's module with NumPy in the place of CuPy."""
    monkeypatch.setitem(sys.modules, "cupy", np)
    monkeypatch.delitem(sys.modules, "cudalint.verify.gpu", raising=False)
    module = importlib.import_module("cudalint.verify.gpu")
    monkeypatch.setattr(module, "fill", lambda *_: None)
    monkeypatch.setattr(module, "clock", lambda *_: ([1.0], [1.0], [1.0]))
    monkeypatch.setattr(module, "copy_bandwidth", lambda: 4000.0)
    yield module
    sys.modules.pop("cudalint.verify.gpu", None)


@pytest.mark.parametrize(
    ("flagged", "fixed", "equal", "varies", "strangers"),
    [
        (((1, 2),), (1, 2), "bitwise", False, 0),
        (((1, 2),), (1, 3), "different", False, 0),
        (((1, 2), (1, 5)), (1, 5), "bitwise", True, 0),
        (((1, 2), (1, 5)), (1, 6), "different", True, 1),
        (((1, 2), (1, 5)), (0, 5), "different", True, 1),
    ],
)
def test_runs_of_both_kernels_become_an_outcome(
    gpu: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    flagged: tuple[tuple[int, int], ...],
    fixed: tuple[int, int],
    equal: str,
    varies: bool,
    strangers: int,
) -> None:
    runs = Runs([held(*values) for values in flagged], [held(*fixed)])
    monkeypatch.setattr(gpu, "_run_once", runs)
    argument = Argument("buffer", nbytes=8, role="out")
    side = Build((1, 1, 1), (1, 1, 1), 0, "k")
    buffer = SimpleNamespace(argument=argument, index=3)
    outcome = gpu._compared(Job(side, side, (argument,)), None, None, [buffer], lambda _: None)
    assert (outcome.equal, outcome.varies, outcome.strangers) == (equal, varies, strangers)
    assert bool(outcome.before_ms) is (equal != "different")
    assert runs.count["fixed"] == 1  # nothing in the inputs is random: another seed would show the same


def test_the_runs_of_a_race_are_told_apart_from_its_fix(gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    argument = Argument("buffer", nbytes=8, role="out")
    side = Build((1, 1, 1), (1, 1, 1), 0, "k")
    buffer = SimpleNamespace(argument=argument, index=3, inner=held(0, 0))
    monkeypatch.setattr(np, "cuda", SimpleNamespace(Stream=lambda **_: nullcontext()), raising=False)
    for fixed, unsteady in (([held(1, 2)], 0), ([held(1, 2), held(1, 3)], 1)):
        monkeypatch.setattr(gpu, "_run_once", Runs([held(1, 2), held(1, 4)], fixed))
        outcome = gpu._race(Job(side, side, (argument,), mode="race"), None, None, [buffer], lambda _: None)
        assert (outcome.varies, outcome.fixed_varies, outcome.varying) == (True, unsteady > 0, unsteady)
        assert (outcome.differing, outcome.compared) == (1, 2)


def test_a_bandwidth_that_no_card_has_is_not_told() -> None:
    """The bytes of all buffers are counted, and a kernel may touch few of them."""
    moved = replace(RAN, bytes_moved=1_000_000)
    for copy, told in ((1.0, True), (0.8, False)):
        made = judge("CUD801", Outcome(equal="bitwise", copy_gbs=copy, **TIMES), moved)
        assert (made.share is not None) is (made.bandwidth_gbs is not None) is told
