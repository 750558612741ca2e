"""Synchronisation as real code has it: sizes that fit, last blocks, asynchronous copies, moved barriers."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.fixes import apply_edits
from cudalint.lint.frontend import parse_file
from cudalint.rules.base import SourceRule
from cudalint.rules.cud401_missing_syncthreads import MissingSyncthreads
from cudalint.rules.cud402_syncthreads_in_divergent_code import SyncthreadsInDivergentCode
from cudalint.rules.cud405_global_memory_race import GlobalMemoryRace
from nvrtc import errors

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


# -- asynchronous copies ---------------------------------------------------------------------------------------------

COPY = """
#include <cuda_pipeline.h>
__global__ void __launch_bounds__(64) k(const float *in, float *out, int n) {
    __shared__ float s[%d][64];
    int t = threadIdx.x;
    float v = 0;
    for (int i = 0; i < %d; ++i) {
        __pipeline_memcpy_async(&s[i][t], &in[i * 64 + t], 4);
        __pipeline_commit();
    }
    for (int i = 0; i < n; ++i) {
        %s
        __syncthreads();
        v += s[i %% %d][63 - t];
        __syncthreads();
        __pipeline_memcpy_async(&s[i %% %d][t], &in[(i + %d) * 64 + t], 4);
        __pipeline_commit();
    }
    out[t] = v;
}
"""


@pytest.mark.parametrize(
    ("stages", "wait", "expected"),
    [
        (1, "__pipeline_wait_prior(0);", 0),
        (1, "__pipeline_wait_prior(1);", 1),
        (1, "", 1),
        (3, "__pipeline_wait_prior(2);", 0),
        (3, "__pipeline_wait_prior(3);", 1),
        (3, "__pipeline_wait_prior(0);", 0),
    ],
)
def test_a_stage_is_read_when_its_copies_were_waited_for(
    tmp_path: Path, stages: int, wait: str, expected: int
) -> None:
    text = COPY % (stages, stages, wait, stages, stages, stages)
    found = findings(MissingSyncthreads(), text, tmp_path)
    assert len(found) == expected
    assert all("asynchronous copy" in f.message and f.labels for f in found)


def test_a_buffer_that_two_stages_share_is_read_while_the_later_one_arrives(tmp_path: Path) -> None:
    text = """
    #include <cuda/pipeline>
    __global__ void __launch_bounds__(64) k(const float *in, float *out, int n) {
        __shared__ float s[2][64];
        auto pipe = cuda::make_pipeline();
        int t = threadIdx.x;
        float v = 0;
        for (int i = 0, ahead = 0; i < n; ++i) {
            for (; ahead < i + DEPTH; ++ahead) {
                cuda::memcpy_async(&s[ahead % 2][t], &in[ahead * 64 + t], cuda::aligned_size_t<4>(4), pipe);
                pipe.producer_commit();
            }
            pipe.consumer_wait();
            v += s[i % 2][t];
            pipe.consumer_release();
        }
        out[t] = v;
    }
    """
    assert findings(MissingSyncthreads(), text.replace("DEPTH", "2"), tmp_path) == []
    (found,) = findings(MissingSyncthreads(), text.replace("DEPTH", "3"), tmp_path)
    assert "`s[0][0]`, to which its asynchronous copy may still be under way" in found.message


def test_a_wait_that_comes_after_the_barrier_covers_the_own_warp_only(tmp_path: Path) -> None:
    text = """
    #include <cuda_pipeline.h>
    __global__ void __launch_bounds__(64) k(const float *in, float *out) {
        __shared__ float s[64];
        int t = threadIdx.x;
        __pipeline_memcpy_async(&s[t], &in[t], 4);
        __pipeline_commit();
        __syncthreads();
        __pipeline_wait_prior(0);
        __syncwarp();
        out[t] = s[t ^ LANE];
    }
    """
    assert findings(MissingSyncthreads(), text.replace("LANE", "1"), tmp_path) == []
    assert len(findings(MissingSyncthreads(), text.replace("LANE", "32"), tmp_path)) == 1


# -- barriers that all threads reach ---------------------------------------------------------------------------------

KERNEL = """__global__ void __launch_bounds__(128) k(float* a, const float* b, int n, int m) {
    __shared__ float s[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
%s}
void run(float* a, const float* b, int m) { k<<<8, 128>>>(a, b, 1000, m); }
"""


def moved(body: str, tmp_path: Path) -> str | None:
    """The kernel's body with the fix of its only finding, which is gone then; None without edits."""
    text = KERNEL % body
    (found,) = findings(SyncthreadsInDivergentCode(), text, tmp_path)
    if not found.fix or not found.fix.edits:
        return None
    fixed = applied(found, text)
    assert findings(SyncthreadsInDivergentCode(), fixed, tmp_path) == []
    assert errors(fixed[: fixed.index("void run")], ["-std=c++17"]) == []
    return fixed[fixed.index("* 128 + t;\n") + len("* 128 + t;\n") : fixed.index("}\nvoid run")]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "    if (t < 64) {\n        s[t] = b[t];\n        __syncthreads();\n    }\n    a[t] = s[t & 63];\n",
            "    if (t < 64) {\n        s[t] = b[t];\n    }\n    __syncthreads();\n    a[t] = s[t & 63];\n",
        ),
        (
            "    s[t] = b[t];\n    if (t < 64) {\n        __syncthreads();\n        a[t] = s[127 - t];\n    }\n",
            "    s[t] = b[t];\n    __syncthreads();\n    if (t < 64) {\n        a[t] = s[127 - t];\n    }\n",
        ),
        (
            "    if (t < 64) {\n        s[t] = b[t];\n        __syncthreads();\n        a[t] = s[63 - t];\n    }\n",
            "    if (t < 64) {\n        s[t] = b[t];\n    }\n    __syncthreads();\n    if (t < 64) {\n"
            "        a[t] = s[63 - t];\n    }\n",
        ),
        (
            "    s[t] = b[t];\n    if (t < 64) __syncthreads();\n    a[t] = s[127 - t];\n",
            "    s[t] = b[t];\n    __syncthreads();\n    a[t] = s[127 - t];\n",
        ),
    ],
)
def test_a_barrier_moves_out_of_a_condition(tmp_path: Path, body: str, after: str) -> None:
    assert moved(body, tmp_path) == after


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "    if (i >= n) return;\n    s[t] = b[i];\n    __syncthreads();\n    a[i] = s[127 - t];\n",
            "    if (i < n) {\n        s[t] = b[i];\n    }\n    __syncthreads();\n    if (i < n) {\n"
            "        a[i] = s[127 - t];\n    }\n",
        ),
        (
            "    if (i >= n) return;\n    float v = b[i];\n    s[t] = v;\n    __syncthreads();\n"
            "    a[i] = s[127 - t] + v;\n",
            "    float v = 0;\n    if (i < n) {\n        v = b[i];\n        s[t] = v;\n    }\n    __syncthreads();\n"
            "    if (i < n) {\n        a[i] = s[127 - t] + v;\n    }\n",
        ),
        (
            "    if (t > 99 || i >= n) {\n        return;\n    }\n    float sum = 0;\n"
            "    for (int r = 0; r < m; ++r) {\n        s[t] = b[r * n + i];\n        __syncthreads();\n"
            "#pragma unroll\n        for (int j = 0; j < 4; ++j) sum += s[j];\n        __syncthreads();\n    }\n"
            "    a[i] = sum;\n",
            "    float sum = 0;\n    for (int r = 0; r < m; ++r) {\n        if (t <= 99 && i < n) {\n"
            "            s[t] = b[r * n + i];\n        }\n        __syncthreads();\n        if (t <= 99 && i < n) {\n"
            "    #pragma unroll\n            for (int j = 0; j < 4; ++j) sum += s[j];\n        }\n"
            "        __syncthreads();\n    }\n    if (t <= 99 && i < n) {\n        a[i] = sum;\n    }\n",
        ),
    ],
)
def test_a_return_before_barriers_becomes_a_guard(tmp_path: Path, body: str, after: str) -> None:
    assert moved(body, tmp_path) == after


@pytest.mark.parametrize(
    "body",
    [
        # What the first part declares, the second uses.
        "    if (t < 64) {\n        float v = b[t];\n        s[t] = v;\n        __syncthreads();\n"
        "        a[t] = s[63 - t] + v;\n    }\n",
        # The first part changes what decides.
        "    if (t < 64) {\n        s[t++] = b[i];\n        __syncthreads();\n        a[i] = s[t];\n    }\n",
        # Both sides hold a barrier.
        "    if (t < 64) {\n        s[t] = b[t];\n        __syncthreads();\n    } else {\n        __syncthreads();\n"
        "        a[t] = s[t - 64];\n    }\n",
        # Part of the block comes by at all.
        "    if (t < 96)\n        if (t < 64) {\n            s[t] = b[t];\n            __syncthreads();\n        }\n",
        # A loop that the threads run differently.
        "    if (i >= n) return;\n    for (int r = t; r < 300; r += 128) {\n        s[t] = b[r];\n"
        "        __syncthreads();\n        a[r] = s[127 - t];\n        __syncthreads();\n    }\n",
        # The size that decides changes later.
        "    if (i >= n) return;\n    s[t] = b[i];\n    __syncthreads();\n    n = m;\n    a[i] = s[127 - t] + n;\n",
    ],
)
def test_entangled_code_is_left_to_the_user(tmp_path: Path, body: str) -> None:
    text = KERNEL % body
    found = findings(SyncthreadsInDivergentCode(), text, tmp_path)
    assert found
    assert not any(f.fix and f.fix.edits for f in found)
