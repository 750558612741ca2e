"""CUD000: what the linter could not see."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.model.program import NoteKind
from cudalint.lint.model.source import Span
from cudalint.rules.base import Meta, SourceRule

CONSEQUENCE = {
    NoteKind.MISSING_HEADER: "code that depends on it is not checked; name its folder with --extra-arg=-I… or -p",
    NoteKind.SYNTAX: "the code around it is not checked",
    NoteKind.UNKNOWN_NAME: "expressions that use it are not checked",
    NoteKind.NOT_LOWERED: "no claim is made about it",
    NoteKind.FAILED: "this file is not checked",
}
HOST_ONLY = "host code that depends on it is not checked; name its folder with --extra-arg=-I… or -p"
"""... of a header on which no kernel code depends."""


class UnreadableSource(SourceRule):
    """Says what could not be read, so that silence is never mistaken for a clean bill.

    ## What it does
    Reports what the linter had to leave out: a header that was not found, code that does not parse, a name that
    nothing declares, a file that is binary or that took too long. What is amiss in kernels is told apart from what
    is amiss in host code. Everything else in the file is checked as usual.

    Headers are looked for where build files say and in the folders where projects keep them. Macros, and headers
    that CMake would generate, are taken from makefiles and CMake files with all options at their defaults. A source
    that another source includes is judged as it is read there.

    ## Why is this bad?
    It is not: this is a note, and it never changes the exit status. But a kernel whose index depends on a
    macro from a missing header is not judged at all, and you should know that.

    ## Example
    ```cuda
    #include "grid_config.h"  // not found: TILE is unknown

    __global__ void copy(float *out, const float *in) { out[threadIdx.x * TILE] = in[threadIdx.x]; }
    ```

    ## Use instead
    Name the folder of the header, or the build folder that holds `compile_commands.json`:

    ```console
    cudalint check src/ --extra-arg=-Iinclude
    cudalint check src/ -p build
    ```

    ## When it does not apply
    Headers of the CUDA toolkit and of the C++ standard library come with the linter. A missing header on which
    no kernel depends can be ignored, or silenced with `// cudalint: file-ignore[CUD000] reason`.

    ## References
    Clang, JSON Compilation Database Format Specification.
    """

    meta = Meta(
        code="CUD000",
        name="unreadable-source",
        summary="something in this file could not be read or understood",
        category="note",
        severity=Severity.INFO,
        since="0.1.0",
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """The notes that the front end has gathered."""
        for note in unit.program.notes:
            hosts = note.kind is NoteKind.MISSING_HEADER and not note.in_kernel
            yield self.finding(
                note.span if note.span.line else start_of(unit.program.path),
                note.message,
                reason=HOST_ONLY if hosts else CONSEQUENCE[note.kind],
                evidence={"kind": note.kind.value, "in_kernel": note.in_kernel},
            )

    def unreadable(self, file: str, message: str, reason: str = CONSEQUENCE[NoteKind.FAILED]) -> Diagnostic:
        """The note that a whole file could not be checked, or that one rule gave up on it."""
        evidence = {"kind": NoteKind.FAILED.value, "in_kernel": False}
        return self.finding(start_of(file), message, reason=reason, evidence=evidence)


def start_of(file: str) -> Span:
    """The first character of a file, for findings about all of it."""
    return Span(file, 1, 1, 1, 1, 0, 0)
