"""The synchronisation rules on small kernels, through the front end and the executor."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.analysis.trace import Branch
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.frontend import parse_file
from cudalint.rules.cud401_missing_syncthreads import MissingSyncthreads
from cudalint.rules.cud402_syncthreads_in_divergent_code import SyncthreadsInDivergentCode
from cudalint.rules.cud405_global_memory_race import GlobalMemoryRace

HEAD = "#include <cuda_runtime.h>\n__global__ void __launch_bounds__(128) k(float* a, const float* b, int n) {\n"


def findings(rule, body: str, tmp_path: Path, head: str = HEAD) -> tuple[list[Diagnostic], str]:
    path = tmp_path / "k.cu"
    path.write_text(head + body + "}\n")
    unit = Unit(parse_file(str(path)), Options())
    return list(rule.check(unit)), path.read_text()


def applied(finding: Diagnostic, text: str) -> str:
    assert finding.fix is not None
    data = text.encode()
    for edit in sorted(finding.fix.edits, key=lambda e: -e.span.offset):
        data = data[: edit.span.offset] + edit.content.encode() + data[edit.span.end_offset :]
    return data.decode()


SHARED = "  __shared__ float s[128];\n  int t = threadIdx.x;\n"


def test_the_fix_puts_the_barrier_before_the_use_and_silences_the_rule(tmp_path):
    body = SHARED + "  s[t] = b[t];\n  a[t] = s[127 - t];\n"
    (found,), text = findings(MissingSyncthreads(), body, tmp_path)
    fixed = applied(found, text)
    assert "  s[t] = b[t];\n  __syncthreads();\n  a[t] = s[127 - t];\n" in fixed
    assert findings(MissingSyncthreads(), fixed.removeprefix(HEAD)[:-2], tmp_path)[0] == []


def test_the_fix_puts_the_barrier_at_the_end_of_the_loop(tmp_path):
    body = (
        SHARED + "  float v = 0;\n  for (int i = 0; i < n; ++i) {\n    s[t] = b[i * 128 + t];\n    __syncthreads();\n"
        "    v += s[127 - t];\n  }\n  a[t] = v;\n"
    )
    (found,), text = findings(MissingSyncthreads(), body, tmp_path)
    fixed = applied(found, text)
    assert "    v += s[127 - t];\n    __syncthreads();\n  }\n" in fixed
    assert findings(MissingSyncthreads(), fixed.removeprefix(HEAD)[:-2], tmp_path)[0] == []


def test_no_fix_where_part_of_the_block_goes(tmp_path):
    body = SHARED + "  if (t < 64) {\n    s[t] = b[t];\n    a[t] = s[63 - t];\n  }\n"
    (found,), _ = findings(MissingSyncthreads(), body, tmp_path)
    assert found.fix is None


def test_evidence_names_two_threads_and_the_element(tmp_path):
    body = SHARED + "  s[t] = b[t];\n  a[t] = s[127 - t];\n"
    (found,), _ = findings(MissingSyncthreads(), body, tmp_path)
    assert found.evidence is not None
    first, second = found.evidence["first"], found.evidence["second"]
    assert first["thread"][0] == 127 - second["thread"][0]
    assert found.evidence["element"] == f"s[{first['thread'][0]}]"
    assert (first["access"], second["access"]) == ("store", "load")


@pytest.mark.parametrize(("condition", "count"), [("b[blockIdx.x] > 0", 0), ("b[t] > 0", 1)])
def test_sides_that_a_block_takes_as_a_whole_exclude_each_other(tmp_path, condition, count):
    body = SHARED + f"  if ({condition}) {{\n    s[t] = 1.5f * t;\n  }} else {{\n    a[t] = s[127 - t];\n  }}\n"
    assert len(findings(MissingSyncthreads(), body, tmp_path)[0]) == count


def test_a_block_of_unknown_shape_supports_no_claim_in_two_dimensions(tmp_path):
    head = "__global__ void k(float* a, const float* b, int n) {\n"
    one = "  __shared__ float s[1024];\n  s[threadIdx.x] = b[threadIdx.x];\n  a[threadIdx.x] = s[threadIdx.x ^ 33];\n"
    two = one.replace("s[threadIdx.x]", "s[threadIdx.y * 8 + threadIdx.x]")
    assert len(findings(MissingSyncthreads(), one, tmp_path, head)[0]) == 1
    assert findings(MissingSyncthreads(), two, tmp_path, head)[0] == []


@pytest.mark.parametrize(
    ("end", "count"),
    [("n", 1), ("(n + 127) / 128 * 128", 0)],
)
def test_a_size_that_splits_a_barrier_is_shown_and_a_rounded_one_is_not_flagged(tmp_path, end, count):
    body = SHARED + f"  for (int i = t; i < {end}; i += 128) {{\n    s[t] = b[i];\n    __syncthreads();\n  }}\n"
    found, _ = findings(SyncthreadsInDivergentCode(), body, tmp_path)
    assert len(found) == count
    assert all("n = " in f.message for f in found)


def test_a_flag_of_one_thread_splits_the_block_and_one_in_shared_memory_does_not(tmp_path):
    local = "  int stop = 0;\n  if (t == 0 && b[0] > 0) stop = 1;\n  if (!stop) {\n    __syncthreads();\n  }\n"
    shared = local.replace("int stop = 0;\n", "__shared__ int stop;\n  stop = 0;\n  __syncthreads();\n").replace(
        "  if (!stop)", "  __syncthreads();\n  if (!stop)"
    )
    assert len(findings(SyncthreadsInDivergentCode(), SHARED + local, tmp_path)[0]) == 1
    assert findings(SyncthreadsInDivergentCode(), SHARED + shared, tmp_path)[0] == []


def test_a_single_thread_kernel_without_a_launch_is_not_suspected(tmp_path):
    head = "__global__ void k(float* a, const float* b, int n) {\n"
    assert findings(GlobalMemoryRace(), "  a[0] += b[0];\n", tmp_path, head)[0] == []
    assert len(findings(GlobalMemoryRace(), "  a[0] += b[threadIdx.x];\n", tmp_path, head)[0]) == 1


def test_a_call_without_a_body_may_be_a_barrier(tmp_path):
    head = "__device__ void meet();\n" + HEAD
    body = SHARED + "  s[t] = b[t];\n  {}\n  a[t] = s[127 - t];\n"
    assert len(findings(MissingSyncthreads(), body.replace("{}", ""), tmp_path, head)[0]) == 1
    assert findings(MissingSyncthreads(), body.replace("{}", "meet();"), tmp_path, head)[0] == []


def test_a_store_on_a_side_that_no_sample_takes_may_be_one_threads(tmp_path):
    body = "  {} a[0] = threadIdx.x;\n"
    assert len(findings(GlobalMemoryRace(), body.replace("{}", "if (n > 1)"), tmp_path)[0]) == 1
    assert findings(GlobalMemoryRace(), body.replace("{}", "if (n == 1)"), tmp_path)[0] == []


@pytest.mark.parametrize(("limit", "count"), [("32", 1), ("n", 0)])
def test_threads_that_an_unfinished_count_picks_support_no_claim(tmp_path, limit, count):
    body = (
        SHARED
        + f"""
  unsigned m = 0;
  for (unsigned i = 1; i < {limit}; i <<= 1) {{ m = 2 * i - 1; a[t + i] = b[m]; }}
  if ((t & m) == m) s[t] = b[t];
  if (t == 127) a[0] = s[95];
"""
    )
    assert len(findings(MissingSyncthreads(), body, tmp_path)[0]) == count


def test_a_barrier_in_the_iterations_that_are_missing_counts(tmp_path):
    body = """
  __shared__ float s[1024];
  int t = threadIdx.x;
  for (int r = blockIdx.x; r < n; r += gridDim.x) {
    int step = 1;
    s[2 * t] = b[2 * t];
    s[2 * t + 1] = b[2 * t + 1];
    for (int d = 512; d > 0; d >>= 1) {
      __syncthreads();
      if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
      step *= 2;
    }
    if (t == 0) s[1023] = 0;
    __syncthreads();
    a[t] = s[t];
    __syncthreads();
  }
"""
    assert findings(MissingSyncthreads(), body, tmp_path, HEAD.replace("128", "512"))[0] == []


@pytest.mark.parametrize(
    ("side", "cost"),
    [
        ("swap(p, q);", 2),
        ("v = r[1]; r[1] = r[2]; r[2] = v;", 7),
        ("v += s[t];", 5),
    ],
)
def test_registers_cost_less_than_memory(tmp_path, side, cost):
    head = "__device__ void swap(float& x, float& y) { float z = x; x = y; y = z; }\n" + HEAD
    body = (
        SHARED
        + f"  float p = b[0], q = b[1], v = 0, r[4] = {{}};\n  if (t & 1) {{ {side} }}\n  a[t] = p + q + v + r[2];\n"
    )
    path = tmp_path / "k.cu"
    path.write_text(head + body + "}\n")
    unit = Unit(parse_file(str(path)), Options())
    (branch,) = {e.then_cost for t in unit.traces(unit.kernels[0]) for e in t.events if isinstance(e, Branch)}
    assert branch == cost
