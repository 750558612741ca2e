"""CUD902: warp intrinsics without a mask."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cudalint.lint.analysis.directives import chosen_by_the_build
from cudalint.lint.analysis.toolkit_api import LEGACY_WARP
from cudalint.lint.analysis.trace import Sync
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.source import Span
from cudalint.lint.model.walk import walk
from cudalint.rules.base import Meta, SourceRule


class LegacyWarpIntrinsic(SourceRule):
    """Shuffles and votes of the time before independent thread scheduling.

    ## What it does
    Finds `__shfl`, `__shfl_up`, `__shfl_down`, `__shfl_xor`, `__any`, `__all` and `__ballot`.

    ## Why is this bad?
    They do not say which lanes take part, and rely on the warp running in lockstep. GPUs since Volta (compute
    capability 7.0) do not, and nvcc refuses these intrinsics for them. The `_sync` forms name the lanes in a mask
    and bring them together first.

    ## Example
    ```cuda
    __device__ float warp_sum(float v)
    {
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down(v, offset);
        return v;
    }
    ```

    ## Use instead
    ```cuda
    __device__ float warp_sum(float v)
    {
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffff, v, offset);
        return v;
    }
    ```

    ## When it does not apply
    Code under `#if CUDART_VERSION < 9000` is not compiled for the target. Where a macro of the project decides
    between two ways (`#if HAVE_SYNC … #else …`), the build decides, and nothing is said. A full mask is right only
    where all lanes of the warp arrive; where the executed kernel shows other lanes, or none, no edit is offered.

    ## References
    - CUDA C++ Programming Guide: warp shuffle functions, warp vote functions
    - CUDA Toolkit release notes: removal of the non-sync intrinsics
    """

    meta = Meta(
        code="CUD902",
        name="legacy-warp-intrinsic",
        summary="A warp intrinsic without a mask, which GPUs since Volta do not have",
        category="deprecation",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each use; instances of a template count once."""
        calls: dict[Span, tuple[Function, Call]] = {}
        for function in unit.program.functions.values():
            if function.body is not None and function.kind is not FunctionKind.HOST:
                for node in walk(function.body):
                    if isinstance(node, Call) and node.name in LEGACY_WARP and node.key is None:
                        calls.setdefault(node.span, (function, node))
        files = unit.program.files
        calls = {
            span: (function, call)
            for span, (function, call) in calls.items()
            if not chosen_by_the_build(files[span.file], span.offset, {LEGACY_WARP[call.name]})
        }
        whole = _whole_warp(unit, calls) if calls else {}
        for span, (function, call) in calls.items():
            yield self._found(unit, function, call, whole.get(span))

    def _found(self, unit: Unit, function: Function, call: Call, whole: bool | None) -> Diagnostic:
        new = LEGACY_WARP[call.name]
        return self.finding(
            call.span,
            f"{call.name} names no lanes; GPUs since Volta only have {new}",
            kernel=function.name,
            reason="the lanes of a warp run independently, so each operation has to say which of them take part",
            help=f"use {new} with the mask of the lanes that get here",
            evidence={"name": call.name, "instead": new, "whole_warp": whole},
            fix=_fix(unit, call, new, whole),
        )


def _whole_warp(unit: Unit, calls: dict[Span, tuple[Function, Call]]) -> dict[Span, bool]:
    """For the calls that the executed kernels reach: whether whole warps reach them, every time."""
    result: dict[Span, bool] = {}
    for kernel in unit.kernels:
        for trace in unit.traces(kernel):
            for event in trace.events:
                if isinstance(event, Sync) and event.span in calls:
                    reached = np.unique(trace.lanes.warp[event.mask])
                    everybody = bool(event.mask[np.isin(trace.lanes.warp, reached)].all())
                    result[event.span] = result.get(event.span, True) and everybody
    return result


def _fix(unit: Unit, call: Call, new: str, whole: bool | None) -> Fix:
    """The `_sync` form with a full mask where whole warps arrive, else advice."""
    span, text = call.span, unit.program.text(call.span)
    opening = text.find("(")
    if not whole or span.macro or not text.startswith(call.name) or opening < 0 or "\n" in text[:opening]:
        return Fix(
            Applicability.DISPLAY, f"{new} with the mask of the lanes that get here, as __ballot_sync gives it"
        )
    size = opening + 1
    place = Span(span.file, span.line, span.column, span.line, span.column + size, span.offset, span.offset + size)
    return Fix(Applicability.UNSAFE, "name all lanes of the warp", (Edit(place, f"{new}(0xffffffff, "),))
