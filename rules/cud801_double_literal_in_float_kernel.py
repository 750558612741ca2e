"""CUD801: a double constant makes float code compute in double precision."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.lint.analysis.precision import Doubled, all_doubles
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Label, Severity
from cudalint.lint.model.expressions import Const
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import FloatType
from cudalint.rules.base import Meta, SourceRule

_LITERAL = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_SHOWN = 8
"""Other uses of a constant that a finding points at."""

_INTO = {
    "float": "the result is rounded to float",
    "comparison": "only to be compared",
    "integer": "the result is rounded to an integer",
}


class DoubleLiteralInFloatKernel(SourceRule):
    """A double constant among float data, where FP64 instructions result.

    ## What it does
    Finds constants of type double (`0.1`, `1e-6`, `M_PI`, a `constexpr double`) that make an expression over float
    or integer data double, although its result is stored as float, compared, or turned into an integer. It reports
    them only where the compiler cannot narrow the expression: the constant is not exact in float, or another
    operation follows before the result is rounded.

    ## Why is this bad?
    The float operands are converted, the operation runs in FP64, and the result is converted back. GPUs for
    graphics and inference run FP64 at 1/64 of the rate of FP32 (data-centre GPUs at 1/2), and an overload such as
    `sqrt(double)` takes dozens of instructions where the float version takes a few.

    ## Example
    ```cuda
    __global__ void settle(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = 0.97 * v[i] + 1e-6;
    }
    ```

    ## Use instead
    ```cuda
    __global__ void settle(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = 0.97f * v[i] + 1e-6f;
    }
    ```

    ## When it does not apply
    Constants that cost nothing are not reported: `x * 0.5`, `x + 1.0`, `x > 0.0` and `c ? x : 0.0` compile to float
    instructions, and so do initialisers and casts. Neither are expressions with double data, explicit casts to
    double, and results that are kept as double: there double precision is meant.

    The rule agrees with nvcc's code on the 82 kernels of tests/data/fp64 (docs/accuracy-numerics.md).

    ## References
    - CUDA C++ Best Practices Guide: instruction optimisation, single- versus double-precision literals
    - CUDA C++ Programming Guide: throughput of native arithmetic instructions
    """

    meta = Meta(
        code="CUD801",
        name="double-literal-in-float-kernel",
        summary="A double constant makes float code compute in double precision",
        category="numerics",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each expression with a literal, and one for each named constant.

        Instances of a template count once.
        """
        seen: set[tuple[str, int, int]] = set()
        groups: dict[object, list[tuple[Function, Doubled]]] = {}
        for function, needless in unit.once(all_doubles):
            for found in needless.expressions:
                first = found.literals[0]
                if first.span.start not in seen:
                    seen.add(first.span.start)
                    named = (first.span.file, first.name or first.value) if first.text is None else first.span.start
                    groups.setdefault(named, []).append((function, found))
        for group in groups.values():
            (function, found), *others = sorted(group, key=lambda pair: pair[1].literals[0].span.start)
            yield self._found(function, found, [other.literals[0].span for _, other in others])

    def _found(self, function: Function, found: Doubled, elsewhere: list[Span]) -> Diagnostic:
        first, *others = found.literals
        spelling = _spelling(first)
        by = f", and picks the double version of {', '.join(found.functions)}" if found.functions else ""
        also = f" ({len(elsewhere)} more uses like it)" if elsewhere else ""
        labels = [Label(c.span, "double, too") for c in others]
        return self.finding(
            first.span,
            f"{spelling} is a double: this expression is computed in FP64{by}, and {_INTO[found.into]}{also}",
            kernel=function.name,
            reason="float operands are converted to double and back, and FP64 runs at 1/2 to 1/64 of FP32's rate",
            help="give the constant type float (suffix f)",
            evidence={
                "constants": [_spelling(c) for c in found.literals],
                "functions": list(found.functions),
                "into": found.into,
                "uses": 1 + len(elsewhere),
            },
            labels=[*labels, *(Label(span, f"{spelling} again") for span in elsewhere[:_SHOWN])],
            fix=_fix(function, found.literals),
        )


def _spelling(constant: Const) -> str:
    """How the source writes a constant, as far as that is known."""
    return constant.text or constant.name or f"{constant.value:g}"


def _fix(function: Function, literals: tuple[Const, ...]) -> Fix | None:
    """Float constants: the suffix f, or in a template on a floating type T the form T(0.1)."""
    types = [a.name for a in function.template_args if isinstance(a.value, FloatType)]
    edits = []
    for literal in literals:
        if literal.text is None or literal.span.macro or not _LITERAL.fullmatch(literal.text):
            return Fix(Applicability.DISPLAY, "make the constant float where it is defined")
        if types:
            edits.append(Edit(literal.span, f"{types[0]}({literal.text})"))
        else:
            edits.append(Edit(literal.span.after, "f"))
    return Fix(Applicability.UNSAFE, "compute in float", tuple(edits)) if edits else None
