"""Synchronisation as real code has it: sizes that fit, last blocks, asynchronous copies, moved barriers."""

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


# -- the last block --------------------------------------------------------------------------------------------------

LAST = """
__global__ void __launch_bounds__(128) k(const float *in, float *part, float *out, unsigned *count) {
    __shared__ bool last;
    int t = threadIdx.x, b = blockIdx.x;
    part[b * 128 + t] = in[b * 128 + t];
    %s
    if (t == 0) {
        %s
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i * 128 + t];
        out[t] += sum;
    }
}
"""


@pytest.mark.parametrize(
    ("before", "within", "expected"),
    [
        ("__syncthreads();", "", 1),
        ("__syncthreads();", "__threadfence();", 0),
        ("__threadfence(); __syncthreads();", "", 0),
        ("__syncthreads();", "__threadfence_block();", 1),
        ("__syncthreads();", "__threadfence_system();", 0),
    ],
)
def test_results_are_fenced_before_the_block_is_counted(
    tmp_path: Path, before: str, within: str, expected: int
) -> None:
    found = findings(GlobalMemoryRace(), LAST % (before, within), tmp_path)
    assert len(found) == expected
    assert all("`part[0]`" in f.message for f in found)


def test_the_fence_goes_before_the_count_behind_a_barrier_only(tmp_path: Path) -> None:
    text = LAST % ("__syncthreads();", "")
    (found,) = findings(GlobalMemoryRace(), text, tmp_path)
    fixed = applied(found, text)
    assert "        __threadfence();\n        last = atomicAdd(" in fixed
    assert findings(GlobalMemoryRace(), fixed, tmp_path) == []
    (bare,) = findings(GlobalMemoryRace(), LAST % ("", ""), tmp_path)
    assert bare.fix is None


@pytest.mark.parametrize(
    ("count", "test", "expected"),
    [
        ("unsigned ticket = atomicAdd(count, 1u);", "ticket == blocks - 1", 1),
        ("unsigned ticket = atomicAdd(count, 1u) + 1;", "!(ticket < blocks)", 1),
        ("bool last = atomicInc(count, blocks) == blocks - 1;", "__syncthreads_or(last)", 1),
        ("unsigned ticket = atomicAdd(count, 1u);", "ticket == 0", 0),
        ("unsigned ticket = atomicAdd(count, 1u);", "ticket == 7", 0),
        ("unsigned ticket = blocks; if (n) ticket = atomicAdd(count, 1u);", "ticket == blocks - 1", 0),
    ],
)
def test_what_tells_the_last_block(tmp_path: Path, count: str, test: str, expected: int) -> None:
    text = f"""
    __global__ void __launch_bounds__(32) k(float *part, float *out, unsigned *count, unsigned blocks, int n) {{
        if (threadIdx.x == 0) part[blockIdx.x] = n;
        {count}
        if ({test}) {{
            for (unsigned b = threadIdx.x; b < blocks; b += 32) atomicAdd(out, part[b]);
        }}
    }}
    """
    found = [f for f in findings(GlobalMemoryRace(), text, tmp_path) if "last block" in f.message]
    assert len(found) == expected
