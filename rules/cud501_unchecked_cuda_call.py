"""CUD501 unchecked-cuda-call."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.hostflow_errors import ErrorFlow, StatusCall, by_style, error_flow
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import IntType
from cudalint.rules.base import Meta, SourceRule

MAX_LABELS = 4
_REASON = (
    "A call that fails changes nothing and says so only in its status; the program goes on with what it had, "
    "and the fault shows at a later call, which also reports errors of kernels that ran before it."
)


class UncheckedCudaCall(SourceRule):
    """The status of a CUDA call is ignored.

    ## What it does

    Follows the status that a runtime or driver call returns through variables, macros, helper functions and
    returns, and reports calls whose status nothing looks at: discarded, or kept in a variable that is
    overwritten or forgotten before it is read. A function that returns the status of the calls it makes is
    treated like the runtime's own. So are cuBLAS, cuFFT, cuSPARSE, cuSOLVER, cuRAND, cuDNN, NCCL and NVRTC, in
    files that look at any status. A file that checks nothing at all is reported once, with the count.

    ## Why is this bad?

    The CUDA headers do not mark the status as one that must be used, so the compiler is silent. A failed
    allocation then shows up as a crash or as wrong numbers somewhere else, and an error that a kernel caused
    earlier is reported by whatever call happens to come next.

    ## Example

    ```cuda
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    ```

    ## Use instead

    ```cuda
    CUDA_CHECK(cudaMalloc(&d, bytes));
    CUDA_CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    ```

    ## When it does not apply

    Releasing calls (`cudaFree`, `cudaEventDestroy` and their kin) are not reported, and neither is a status
    that is cast to `void` on purpose or a `cudaGetLastError()` that clears the error state. A runtime call is
    looked at too when `cudaGetLastError()` is asked behind it, before the next launch. Waits in functions that
    only release are left alone.

    ## References

    - CUDA Runtime API, "Error Handling"
    - CUDA C++ Best Practices Guide, "Getting the Right Answer"
    """

    meta = Meta(
        code="CUD501",
        name="unchecked-cuda-call",
        summary="the status of a CUDA call is ignored",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per ignored status, or one for a function or file that ignores many."""
        errors = unit.once(error_flow)
        single, whole = by_style(errors.call_places, errors.launch_places)
        for index in single:
            yield self._single(errors.calls[index], errors)
        for indexes in whole.values():
            yield self._file([errors.calls[i] for i in indexes], errors)

    def _single(self, call: StatusCall, errors: ErrorFlow) -> Diagnostic:
        macro = _macro(call, errors)
        return self.finding(
            call.span,
            f"the status of `{call.name}` is ignored",
            reason=_REASON,
            help=_help(macro, call),
            evidence={"call": call.name, "function": call.function},
            fix=_fix(call, macro),
        )

    def _file(self, ignored: list[StatusCall], errors: ErrorFlow) -> Diagnostic:
        first = ignored[0]
        total = sum(c.span.file == first.span.file for c in errors.calls)
        labels = [Label(c.span, f"`{c.name}` too") for c in ignored[1 : 1 + MAX_LABELS]]
        return self.finding(
            first.span,
            f"{len(ignored)} of {total} CUDA calls in this file ignore their status, `{first.name}` first",
            reason=_REASON,
            help=_help(_macro(first, errors), first),
            evidence={"call": first.name, "ignored": len(ignored), "calls": total},
            labels=labels,
        )


def _macro(call: StatusCall, errors: ErrorFlow) -> str | None:
    """The macro that the code checks such statuses with."""
    of = call.expr.type
    return errors.macro(of.name) if isinstance(of, IntType) else errors.macro()


def _help(macro: str | None, call: StatusCall) -> str:
    if macro:
        return f"wrap the call in `{macro}(…)`, as the rest of the code does"
    if call.library:
        return "test the returned status and stop or return on anything but success"
    return "test the returned cudaError_t and stop or return on anything but cudaSuccess"


def _fix(call: StatusCall, macro: str | None) -> Fix | None:
    """Wrap the call in the project's macro, where it stands in the source as it is."""
    if not macro or call.span.macro or not isinstance(call.expr, Call):
        return None
    span = call.span
    before = Span(span.file, span.line, span.column, span.line, span.column, span.offset, span.offset)
    after = Span(
        span.file, span.end_line, span.end_column, span.end_line, span.end_column, span.end_offset, span.end_offset
    )
    edits = (Edit(before, f"{macro}("), Edit(after, ")"))
    return Fix(Applicability.UNSAFE, f"check it with `{macro}`", edits)
