"""Synchronisation in the forms that real code has: sizes that fit, last blocks, asynchronous copies, moved barriers."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.fixes import apply_edits
from cudalint.lint.frontend import parse_file
from cudalint.rules.base import SourceRule
from cudalint.rules.cud402_syncthreads_in_divergent_code import SyncthreadsInDivergentCode
from cudalint.rules.cud405_global_memory_race import GlobalMemoryRace

HEAD = "#include <cuda_runtime.h>\n"


def findings(rule: SourceRule, text: str, tmp_path: Path) -> list[Diagnostic]:
    path = tmp_path / "k.cu"
    path.write_text(HEAD + text)
    return list(rule.check(Unit(parse_file(str(path)), Options())))


def applied(found: Diagnostic, text: str) -> str:
    assert found.fix is not None and found.fix.edits
    return apply_edits((HEAD + text).encode(), list(found.fix.edits)).decode().removeprefix(HEAD)


# -- launches that are not known -----------------------------------------------------------------------------------

SORT = """
__global__ void order(float *a, int n, int m) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = a[t];
    __syncthreads();
    a[t] = s[n - 1 - t] + m;
}
int padded(int n);
void run(float *a, int n, int m) {
    %s
}
"""


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("order<<<1, n, n * sizeof(float)>>>(a, n, m);", 0),
        ("int size = padded(n);\n    order<<<1, size, size * sizeof(float)>>>(a, size, m);", 0),
        ("order<<<1, m, m * sizeof(float)>>>(a, n, m);", 1),
        ("order<<<1, padded(m), m * sizeof(float)>>>(a, n, m);", 1),
    ],
)
def test_a_block_made_of_the_size_that_a_guard_compares_fits_it(tmp_path: Path, launch: str, expected: int) -> None:
    assert len(findings(SyncthreadsInDivergentCode(), SORT % launch, tmp_path)) == expected


def test_how_launch_bounds_part_into_two_dimensions_is_not_known(tmp_path: Path) -> None:
    text = """
    template <int rows> __global__ void __launch_bounds__(rows * 4) keep(float *a, const float *b) {
        int i = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y;
        a[j * rows + i] = b[i] * (j + 1);
    }
    template __global__ void keep<16>(float *, const float *);
    """
    assert findings(GlobalMemoryRace(), text, tmp_path) == []


@pytest.mark.parametrize(("stride", "expected"), [("32", 0), ("1", 1)])
def test_a_fixed_stride_tells_the_block_that_it_is_for(tmp_path: Path, stride: str, expected: int) -> None:
    text = f"""
    __global__ void spread(float *a, const float *b) {{
        for (int i = threadIdx.x; i < 1024; i += {stride}) a[i] = b[threadIdx.x] + i + threadIdx.x;
    }}
    """
    assert len(findings(GlobalMemoryRace(), text, tmp_path)) == expected
