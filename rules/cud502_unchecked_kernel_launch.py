"""CUD502 unchecked-kernel-launch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudalint.lint.analysis.hostfix_text import add_behind, defined_later
from cudalint.lint.analysis.hostflow_errors import FEW_LAUNCHES, ErrorFlow, LaunchCheck, by_style, error_flow
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.expressions import Launch
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Case, ExprStmt, Return
from cudalint.lint.model.walk import unwrapped, walk
from cudalint.rules.base import Meta, SourceRule

MAX_LABELS = 4
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
_REASON = (
    "A launch returns nothing. When its configuration is rejected the kernel never runs and the output keeps its "
    "old content; no copy or synchronisation reports that, only cudaGetLastError does."
)


class UncheckedKernelLaunch(SourceRule):
    """Nothing asks whether a kernel launch was accepted.

    ## What it does

    Reports a `<<<…>>>` launch after which no way through the code reaches `cudaGetLastError()` or
    `cudaPeekAtLastError()` with a result that is looked at: in the same function, in its callers, in a macro
    or in a helper. One query after several launches, or after a loop of them, is enough; a query before the
    launch is not. A file that never asks is reported once, with the count. A function that code of other files
    can call, that looks at no status and ends with its launches leaves the question to its callers: that is
    noted once per file, and only where all callers are found in the project and none of them asks.

    ## Why is this bad?

    A launch that asks for too many threads, too much shared memory or an empty grid is rejected without a
    sound. A checked copy afterwards reports faults of kernels that ran, but not that one did not run.

    ## Example

    ```cuda
    scale<<<blocks, threads>>>(d, n);
    CUDA_CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
    ```

    ## Use instead

    ```cuda
    scale<<<blocks, threads>>>(d, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
    ```

    ## When it does not apply

    Launches through `cudaLaunchKernel` and its kin return a status: see CUD501. Where a function out of sight
    is called after the launch, it is taken to ask. Launches that a stream captures are reported by the end of
    the capture.

    ## References

    - CUDA Runtime API, "Error Handling"
    - CUDA C++ Programming Guide, "Error Checking"
    """

    meta = Meta(
        code="CUD502",
        name="unchecked-kernel-launch",
        summary="nothing asks whether a kernel launch was accepted",
        category="host",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """One finding per launch, or one for a function or file that has many."""
        errors = unit.once(error_flow)
        launches = errors.launches
        single, whole = by_style(errors.launch_places, errors.call_places, FEW_LAUNCHES)
        macro = errors.macro()
        for index in single:
            one = launches[index]
            message = f"nothing asks whether the launch of `{one.launch.kernel}` was accepted"
            yield self._found([one], message, macro, _queries(unit.program, [one], macro))
        for indexes in whole.values():
            together = [launches[i] for i in indexes]
            total = sum(c.span.file == together[0].span.file for c in launches)
            message = (
                f"nothing asks whether launches were accepted: {len(indexes)} of {total} in this file, "
                f"`{together[0].launch.kernel}` first"
            )
            yield self._found(together, message, macro, _queries(unit.program, together, macro))
        yield from self._left_to_callers(unit.program, errors)

    def _left_to_callers(self, program: TranslationUnit, errors: ErrorFlow) -> Iterator[Diagnostic]:
        """One note per file whose launches callers in other files could ask after, and do not.

        Nothing is said where anything in sight looks at errors, since that code has its way of doing it, nor of
        headers, which others include.
        """
        if errors.checking_files:
            return
        macro = errors.macro()
        files: dict[str, list[LaunchCheck]] = {}
        for launch in errors.launches:
            if launch.unseen and launch.unasked and launch.span.file.endswith(SOURCES):
                files.setdefault(launch.span.file, []).append(launch)
        for launches in files.values():
            first = f"`{launches[0].launch.kernel}`"
            many = f"its launches were accepted ({len(launches)}, {first} first)"
            which = many if len(launches) > 1 else f"the launch of {first} was accepted"
            message = f"nothing asks whether {which}, neither this file nor its callers in others"
            found = self._found(launches, message, macro, _queries(program, launches, macro))
            yield replace(found, severity=Severity.INFO, confidence=Confidence.LOW)

    def _found(
        self, checks: list[LaunchCheck], message: str, macro: str | None, edits: tuple[Edit, ...]
    ) -> Diagnostic:
        first, *others = checks
        query = f"{macro}(cudaGetLastError())" if macro else "cudaGetLastError()"
        advice = f"add `{query};` after the launch" + ("" if macro else " and stop on anything but cudaSuccess")
        return self.finding(
            first.span,
            message,
            kernel=first.launch.kernel,
            reason=_REASON,
            help=advice,
            evidence={"function": first.function, "launches": len(checks)},
            fix=Fix(Applicability.UNSAFE if edits else Applicability.DISPLAY, advice, edits),
            labels=[Label(other.span, "nor is this one") for other in others[:MAX_LABELS]],
        )


def _queries(program: TranslationUnit, checks: list[LaunchCheck], macro: str | None) -> tuple[Edit, ...]:
    """A checked query behind each launch; none at all where one is not a statement of a block by itself."""
    spans = {check.span for check in checks}
    if macro is None or not spans <= _statements(program, macro) or len({span.file for span in spans}) > 1:
        return ()
    if any(defined_later(program, macro, span) for span in spans):
        return ()
    query = f"{macro}(cudaGetLastError());"
    edits = [add_behind(program, span, query) for span in sorted(spans, key=lambda s: s.offset)]
    made = tuple(edit for edit in edits if edit is not None)
    return made if len(made) == len(edits) else ()


def _statements(program: TranslationUnit, macro: str) -> set[Span]:
    """The statements of blocks, in functions that the macro fits: one that returns a status wants such a result."""
    bodies = [(f, list(walk(f.body))) for f in program.functions.values() if f.body is not None]
    results = {f.result for f, nodes in bodies for n in nodes if isinstance(n, Return) and n.span.macro == macro}
    return {
        stmt.span
        for function, nodes in bodies
        if not results or function.result in results
        for block in nodes
        if isinstance(block, Block | Case)
        for stmt in block.body
        if isinstance(stmt, ExprStmt) and isinstance(unwrapped(stmt.expr), Launch)
    }
