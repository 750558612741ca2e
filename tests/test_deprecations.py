"""CUD901 by target toolkit, and the edits of CUD901 and CUD902."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Severity
from cudalint.lint.frontend import parse_file
from cudalint.rules.base import SourceRule
from cudalint.rules.cud901_removed_or_deprecated_api import RemovedOrDeprecatedApi
from cudalint.rules.cud902_legacy_warp_intrinsic import LegacyWarpIntrinsic


def check(rule: SourceRule, source: str, folder: Path, cuda: tuple[int, int] = (13, 0)) -> list[Diagnostic]:
    path = folder / "source.cu"
    path.write_text(source)
    return list(rule.check(Unit(parse_file(str(path)), Options(cuda=cuda))))


def edited(source: str, finding: Diagnostic) -> str:
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    data = source.encode()
    return (data[: edit.span.offset] + edit.content.encode() + data[edit.span.end_offset :]).decode()


@pytest.mark.parametrize(
    ("cuda", "status"),
    [((3, 2), None), ((12, 9), (Severity.INFO, "deprecated")), ((13, 0), (Severity.WARNING, "removed"))],
)
def test_status_follows_the_target(
    tmp_path: Path, cuda: tuple[int, int], status: tuple[Severity, str] | None
) -> None:
    found = check(RemovedOrDeprecatedApi(), "void f() { cudaThreadSynchronize(); }\n", tmp_path, cuda)
    assert [(f.severity, (f.evidence or {})["status"]) for f in found] == ([status] if status else [])


def test_old_form_is_right_for_an_old_target(tmp_path: Path) -> None:
    source = (
        "void f(void* p) { cudaMemPrefetchAsync(p, 8, 0, 0); cudaMemAdvise(p, 8, cudaMemAdviseSetReadMostly, 0); }\n"
    )
    assert not check(RemovedOrDeprecatedApi(), source, tmp_path, (12, 9))
    found = check(RemovedOrDeprecatedApi(), source, tmp_path)
    assert [(f.evidence or {})["name"] for f in found] == ["cudaMemPrefetchAsync", "cudaMemAdvise"]


@pytest.mark.parametrize("field", ["memoryClockRate", "computeMode", "kernelExecTimeoutEnabled", "deviceOverlap"])
def test_properties_are_found_through_pointers(tmp_path: Path, field: str) -> None:
    (found,) = check(RemovedOrDeprecatedApi(), f"int f(cudaDeviceProp* p) {{ return p->{field}; }}\n", tmp_path)
    assert field in found.message


def test_graph_calls_tell_old_from_new_by_count(tmp_path: Path) -> None:
    source = """void f(cudaGraph_t g, cudaGraphNode_t* a, cudaGraphNode_t* b)
{
    cudaGraphAddDependencies(g, a, b, 1);
    cudaGraphAddDependencies(g, a, b, nullptr, 1);
}
"""
    assert [f.span.line for f in check(RemovedOrDeprecatedApi(), source, tmp_path)] == [3]


def test_rename_is_a_safe_edit(tmp_path: Path) -> None:
    source = "void f() { /* é */ cudaThreadSynchronize(); }\n"
    (found,) = check(RemovedOrDeprecatedApi(), source, tmp_path)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.SAFE
    assert edited(source, found) == "void f() { /* é */ cudaDeviceSynchronize(); }\n"


def test_mask_is_added_where_whole_warps_arrive(tmp_path: Path) -> None:
    source = """__global__ void k(int* o) { o[threadIdx.x] = __ballot(o[threadIdx.x] > 0); }
void f(int* o) { k<<<1, 64>>>(o); }
"""
    (found,) = check(LegacyWarpIntrinsic(), source, tmp_path)
    assert "= __ballot_sync(0xffffffff, o[threadIdx.x] > 0)" in edited(source, found)


def test_no_mask_is_guessed_in_divergent_code(tmp_path: Path) -> None:
    source = """__global__ void k(int* o)
{
    if (threadIdx.x % 32 < 20)
        o[threadIdx.x] = __shfl(o[threadIdx.x], 0);
}
void f(int* o) { k<<<1, 64>>>(o); }
"""
    (found,) = check(LegacyWarpIntrinsic(), source, tmp_path)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.DISPLAY


def test_own_functions_of_that_name_are_left_alone(tmp_path: Path) -> None:
    source = """__device__ int warp(int v) { return v; }
namespace mine { __device__ int __any(int v) { return v; } }
__global__ void k(int* o) { o[0] = mine::__any(warp(o[1])); }
"""
    assert not check(LegacyWarpIntrinsic(), source, tmp_path)
