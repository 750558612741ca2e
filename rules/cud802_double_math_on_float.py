"""CUD802: the double version of a math function on float data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.lint.analysis.precision import MathCall, all_doubles
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.model.program import Function
from cudalint.rules.base import Meta, SourceRule

_LITERAL = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class DoubleMathOnFloat(SourceRule):
    """A math function in its double version, because one argument is a double constant.

    ## What it does
    Finds calls such as `fmax(x, 0.0)`, `atan2(x, 1.0)` or `pow(x, 0.25)` with float data and a double constant,
    whose result goes back to float, to a comparison or to an integer.

    ## Why is this bad?
    Overload resolution takes the double version for all arguments. The float version of the same function takes a
    fraction of the instructions, and none of them FP64: `fmaxf(x, 0.0f)` is one instruction, `atan2(x, 1.0)` has
    57 FP64 instructions (nvcc 13.0, sm_90).

    ## Example
    ```cuda
    __global__ void rectify(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = fmax(v[i], 0.0);
    }
    ```

    ## Use instead
    ```cuda
    __global__ void rectify(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = fmaxf(v[i], 0.0f);
    }
    ```

    ## When it does not apply
    Calls with double data, with explicit casts to double, and calls whose result is kept as double. `fmaxf(x, 0.0)`
    is no finding: the constant is converted when the code is compiled. `pow` with a small integer is CUD803.

    ## References
    - CUDA Math API: single and double precision functions
    - CUDA C++ Best Practices Guide: math libraries
    """

    meta = Meta(
        code="CUD802",
        name="double-math-on-float",
        summary="A double constant picks the double version of a math function for float data",
        category="numerics",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each call; instances of a template count once."""
        seen: set[tuple[str, int, int]] = set()
        for function, needless in unit.once(all_doubles):
            for found in needless.calls:
                if found.call.span.start not in seen:
                    seen.add(found.call.span.start)
                    yield self._found(function, found)

    def _found(self, function: Function, found: MathCall) -> Diagnostic:
        name, literal = found.call.name, found.argument
        spelling = literal.text or literal.name or f"{literal.value}"
        return self.finding(
            found.call.span,
            f"{name} is computed in FP64, because {spelling} is a double",
            kernel=function.name,
            reason="the double version of a function takes many instructions, at 1/2 to 1/64 of FP32's rate",
            help="give the constant type float (suffix f)",
            evidence={"function": name, "constant": spelling},
            fix=_fix(found),
        )


def _fix(found: MathCall) -> Fix:
    """The suffix f on the constant, where it stands in the call itself."""
    span, text = found.argument.span, found.argument.text
    if text is None or span.macro or not _LITERAL.fullmatch(text):
        return Fix(Applicability.DISPLAY, "make the constant float where it is defined")
    return Fix(Applicability.UNSAFE, "take the float version", (Edit(span.after, "f"),))
