"""What a padding can gain: shares of a kernel's passes, and rows that are read as vectors."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.memory import Verdict, global_sites, shared_sites
from cudalint.lint.analysis.memory_gain import conflict_share, little_gain
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.frontend import parse_file
from cudalint.lint.registry import load_registry

KERNEL = """
__global__ void k(const float *in, float *out) {
    __shared__ float s[%s];
    int x = threadIdx.x, y = threadIdx.y, i = y * blockDim.x + x;
    float sum = 0.f;
    %s
    out[i] = sum;
}
void run(float *a, float *b) { k<<<64, dim3(%s)>>>(a, b); }
"""
BESIDE = "for (int j = 0; j < 64; j++) sum += in[j * 512 + i];"
TWO = "s[i] = sum; __syncthreads(); for (int j = 0; j < 32; j++) sum += s[(2 * i + j) % 512];"


def unit(*parts: str) -> Unit:
    return Unit(parse_file("k.cu", content=(KERNEL % parts).encode()))


def findings(made: Unit) -> list[Diagnostic]:
    return list(load_registry().source_rules(("CUD201",))[0].check(made))


def share(made: Unit) -> float:
    sites = made.once(shared_sites)
    (site,) = [s for s in sites if s.verdict is Verdict.BAD]
    return conflict_share(site, sites, made.once(global_sites))


def test_the_share_of_conflicts_counts_loops_in_full() -> None:
    # 32 iterations of two passes each and a store of one; the store to out is one more
    assert share(unit("512", TWO, "256")) == pytest.approx(32 / (32 * 2 + 1 + 1), rel=0.01)
    # 64 loads of one pass each beside them
    assert share(unit("512", TWO + BESIDE, "256")) == pytest.approx(32 / (32 * 2 + 1 + 1 + 64), rel=0.01)


def test_small_conflicts_are_told_for_information() -> None:
    made = unit("512", "s[i * 2] = in[i]; __syncthreads(); sum = s[i];" + BESIDE, "256")
    (found,) = findings(made)
    assert found.severity is Severity.INFO
    sites = made.once(shared_sites)
    (site,) = [s for s in sites if s.verdict is Verdict.BAD]
    assert "little gain" in little_gain(site, sites, made.once(global_sites))


def test_two_ways_warn_only_where_they_are_most_of_the_traffic() -> None:
    assert [f.severity for f in findings(unit("512", TWO + BESIDE, "256"))] == [Severity.INFO]
    often = "s[i] = sum; __syncthreads(); for (int j = 0; j < 32; j++) s[(2 * i + j) % 512] = j;"
    assert share(unit("512", often, "256")) < 0.5
    many = "for (int j = 0; j < 32; j++) sum += s[(32 * i + j) % 1024];"
    assert [f.severity for f in findings(unit("1024", many, "256"))] == [Severity.WARNING]


@pytest.mark.parametrize(
    ("read", "pads"),
    [
        ("for (int j = 0; j < 64; j++) sum += s[y * 64 + j];", ["declare s[16][68]", "* 4"]),
        ("for (int j = 0; j < 64; j += 2) sum += s[y * 64 + j];", ["i + i / 64 instead"]),
    ],
)
def test_rows_that_are_read_as_vectors_stay_aligned(read: str, pads: list[str]) -> None:
    found = findings(unit("1024", "s[i] = in[i]; __syncthreads(); " + read, "16, 16"))
    assert found
    assert any(pad in found[-1].help for pad in pads), found[-1].help
