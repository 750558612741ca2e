"""The numerics rules against what nvcc makes of small kernels (recorded by bench/record_fp64.py)."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic
from cudalint.lint.frontend import parse_file
from cudalint.rules.cud801_double_literal_in_float_kernel import DoubleLiteralInFloatKernel
from cudalint.rules.cud802_double_math_on_float import DoubleMathOnFloat
from cudalint.rules.cud803_pow_with_small_integer import PowWithSmallInteger

DATA = Path(__file__).parent / "data"
FACTS = [json.loads(line) for line in (DATA / "fp64.jsonl").read_text().splitlines()]
RULES = (DoubleLiteralInFloatKernel(), DoubleMathOnFloat(), PowWithSmallInteger())
DELIBERATE = "deliberate.cu"


@cache
def findings(file: str) -> dict[str, list[Diagnostic]]:
    """The findings about double precision of a file, by kernel."""
    unit = Unit(parse_file(str(DATA / "fp64" / file)))
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for rule in RULES:
        for finding in rule.check(unit):
            if finding.evidence is not None and finding.evidence.get("fp64", True):
                found[finding.kernel or ""].append(finding)
    return found


def test_there_are_facts_of_both_kinds() -> None:
    plain = [fact for fact in FACTS if fact["file"] != DELIBERATE]
    assert len([f for f in plain if f["fp64"]]) >= 30
    assert len([f for f in plain if not f["fp64"]]) >= 30


@pytest.mark.parametrize("fact", FACTS, ids=lambda f: str(f["kernel"]))
def test_finding_means_fp64_instructions(fact: dict[str, object]) -> None:
    found = findings(str(fact["file"]))[str(fact["kernel"])]
    needless = bool(fact["fp64"]) and fact["file"] != DELIBERATE
    assert bool(found) == needless, [f.message for f in found]


def test_powers_of_floats_are_found_without_fp64(tmp_path: Path) -> None:
    source = tmp_path / "power.cu"
    source.write_text("__global__ void k(float* x) { x[0] = powf(x[1], 2.0f) + powf(x[2], 2.5f); }\n")
    (finding,) = PowWithSmallInteger().check(Unit(parse_file(str(source))))
    assert finding.evidence == {"function": "powf", "exponent": 2.0, "fp64": False}
    assert finding.fix is not None
    assert [edit.content for edit in finding.fix.edits] == ["(x[1] * x[1])"]


def fixed(
    source: str, tmp_path: Path, rule: DoubleLiteralInFloatKernel | DoubleMathOnFloat | PowWithSmallInteger
) -> str:
    """The source after the fixes of one rule."""
    path = tmp_path / "fix.cu"
    path.write_text(source)
    data = source.encode()
    edits = [e for f in rule.check(Unit(parse_file(str(path)))) if f.fix for e in f.fix.edits]
    for edit in sorted(edits, key=lambda e: e.span.offset, reverse=True):
        data = data[: edit.span.offset] + edit.content.encode() + data[edit.span.end_offset :]
    path.write_bytes(data)
    assert not list(rule.check(Unit(parse_file(str(path)))))
    return data.decode()


def test_literal_gets_a_suffix(tmp_path: Path) -> None:
    source = "__global__ void k(float* x) { x[0] = 0.1 * x[1] + 1e-3; /* é */ x[1] = 2. * x[2] * x[3]; }\n"
    wanted = "__global__ void k(float* x) { x[0] = 0.1f * x[1] + 1e-3f; /* é */ x[1] = 2.f * x[2] * x[3]; }\n"
    assert fixed(source, tmp_path, DoubleLiteralInFloatKernel()) == wanted


def test_literal_in_a_template_becomes_the_template_type(tmp_path: Path) -> None:
    source = (
        "template <typename T> __global__ void k(T* x) { x[0] = 0.1 * x[1]; }\n"
        "void run(float* f) { k<<<1, 32>>>(f); }\n"
    )
    assert "T(0.1) * x[1]" in fixed(source, tmp_path, DoubleLiteralInFloatKernel())


def test_argument_gets_a_suffix(tmp_path: Path) -> None:
    source = "__global__ void k(float* x) { x[0] = max(x[1], 0.0); }\n"
    assert "max(x[1], 0.0f)" in fixed(source, tmp_path, DoubleMathOnFloat())


def test_constants_of_a_macro_are_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "macro.cu"
    path.write_text("#define RATE 0.1\n__global__ void k(float* x) { x[0] = RATE * x[1]; }\n")
    (finding,) = DoubleLiteralInFloatKernel().check(Unit(parse_file(str(path))))
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY
    assert not finding.fix.edits


def test_explicit_instantiations_count_as_the_file_s_own(tmp_path: Path) -> None:
    path = tmp_path / "explicit.cu"
    path.write_text(
        "template <typename T> struct Half { __device__ T operator()(T x) const { return sqrt(0.5 * x); } };\n"
        "template <typename T, typename F> __global__ void map(T* x, F f) { x[0] = f(x[1]); }\n"
        "// template __global__ void map<int, Half<int>>(int*, Half<int>);\n"
        "template __global__ void map<double, Half<double>>(double*, Half<double>);\n"
        "template __global__ void map<float, Half<float>>(float*, Half<float>);\n"
    )
    (finding,) = DoubleLiteralInFloatKernel().check(Unit(parse_file(str(path))))
    assert (finding.span.line, finding.evidence and finding.evidence["functions"]) == (1, ["sqrt"])


@pytest.mark.parametrize(
    ("power", "product"),
    [
        ("pow(x[1] - x[2], 2.0)", "((x[1] - x[2]) * (x[1] - x[2]))"),
        ("powf(sqrtf(x[1]) / 3.f, 3.f)", "((sqrtf(x[1]) / 3.f) * (sqrtf(x[1]) / 3.f) * (sqrtf(x[1]) / 3.f))"),
        ("pow(-x[1], -2.0)", "(1.0f / ((-x[1]) * (-x[1])))"),
    ],
)
def test_a_base_without_side_effects_is_written_again(power: str, product: str, tmp_path: Path) -> None:
    source = f"__global__ void k(float* x) {{ x[0] = {power}; }}\n"
    assert fixed(source, tmp_path, PowWithSmallInteger()) == source.replace(power, product)


@pytest.mark.parametrize("base", ["*++x", "next(x)", "threadIdx.x", "n"])
def test_a_base_that_may_not_be_written_again_is_left(base: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__device__ float next(float* x) { return (*x)++; }\n"
        f"__global__ void k(float* x, int n) {{ x[0] = pow({base}, 2.0); }}\n"
    )
    assert [f.fix for f in PowWithSmallInteger().check(Unit(parse_file(str(path))))] == [None]
