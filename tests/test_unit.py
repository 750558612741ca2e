"""What rules get to judge, and how trees are walked."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.frontend import functions, parse_file
from cudalint.lint.model.expressions import Const, Index, Launch, Var
from cudalint.lint.model.program import INSTANCES
from cudalint.lint.model.statements import If, Switch
from cudalint.lint.model.walk import children, walk

KERNELS = """
template <int N> __global__ void many(float *out) { out[threadIdx.x * N] = N; }
template <int N> __global__ void some(float *out) { out[threadIdx.x * N] = N; }
__global__ void one(float *out) { out[threadIdx.x] = 1; }
void run(float *out) {
"""


def _unit(text: str) -> Unit:
    return Unit(parse_file("k.cu", content=text.encode(), search=False))


def test_of_many_instances_a_few_are_judged_the_first_and_the_last_among_them() -> None:
    calls = [f"many<{n}><<<1, 32>>>(out);" for n in range(10, 50)] + [f"some<{n}><<<1, 32>>>(out);" for n in (1, 2)]
    unit = _unit(KERNELS + "\n".join(calls) + "one<<<1, 32>>>(out);}")
    values = {name: [k.template_args[0].value for k in unit.kernels if k.name == name] for name in ("many", "some")}
    assert len(unit.program.kernels()) == 43
    assert len(values["many"]) == len(set(values["many"])) == INSTANCES
    assert {10, 49} < set(values["many"])
    assert values["some"] == [1, 2]
    assert [k.name for k in unit.kernels if not k.template_args] == ["one"]


def test_of_much_code_only_the_instances_that_are_judged_are_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    source = KERNELS + "\n".join(f"many<{n}><<<1, 32>>>(out);" for n in range(10, 50)) + "}"
    judged = [kernel.key for kernel in _unit(source).kernels]
    monkeypatch.setattr(functions, "_AMPLE", 100)
    unit = _unit(source)
    assert [kernel.key for kernel in unit.kernels] == judged
    assert len([k for k in unit.program.kernels() if k.name == "many"]) == INSTANCES
    assert len(unit.program.launches) == 40


def test_parents_come_first_and_every_part_is_met() -> None:
    unit = _unit("""
__global__ void k(int *p, int n) {
  if (n > 1) p[n] = 2; else p[3] = 4;
  switch (n) { case 5: p[6] = 7; break; default: p[8] = 9; }
}
void run(int *p) { k<<<10, 11, 12>>>(p, 13); }
""")
    kernel, run = (f.body for f in unit.program.functions.values())
    assert kernel is not None
    assert run is not None
    nodes = list(walk(kernel))
    assert {n.value for n in nodes if isinstance(n, Const)} == set(range(1, 10))
    assert nodes[0] is kernel
    branch = next(n for n in nodes if isinstance(n, If))
    assert children(branch) == [branch.condition, branch.then, branch.otherwise]
    switch = next(n for n in nodes if isinstance(n, Switch))
    assert children(switch) == [switch.condition, *switch.cases]
    index = next(n for n in nodes if isinstance(n, Index))
    assert [n.symbol.name for n in walk(index) if isinstance(n, Var)] == ["p", "n"]
    launch = next(n for n in walk(run) if isinstance(n, Launch))
    assert {n.value for n in walk(launch) if isinstance(n, Const)} >= {10, 11, 12, 13}
