"""CUD803: a power function where a multiplication or two would do."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.lint.analysis.precision import MATH, device_functions, powers
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.model.expressions import Binary, Builtin, Call, Cast, Const, Deref, Expr, Index, Member, Unary, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.types import FloatType
from cudalint.lint.model.walk import walk
from cudalint.rules.base import Meta, SourceRule

_FORMS = {
    2.0: "({x} * {x})",
    3.0: "({x} * {x} * {x})",
    4.0: "(({x} * {x}) * ({x} * {x}))",
    -1.0: "({one} / {x})",
    -2.0: "({one} / ({x} * {x}))",
    0.5: "{sqrt}({x})",
}
"""What computes a power without a power function."""

LONGEST = 80
"""Characters of a base that is still written twice."""


class PowWithSmallInteger(SourceRule):
    """A general power function with the exponent 2, 3, 4, -1, -2 or 1/2.

    ## What it does
    Finds `pow(x, 2)`, `powf(x, 3.0f)` and the like in device code.

    ## Why is this bad?
    nvcc does not turn a power into a product. `powf(x, 2.0f)` compiles to some 75 instructions where `x * x` is
    one; `pow(x, 2)` of a float is computed in double precision (the C++ standard says so), with about 90 FP64
    instructions.

    ## Example
    ```cuda
    __global__ void square(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = pow(v[i], 2);
    }
    ```

    ## Use instead
    ```cuda
    __global__ void square(float* v, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = v[i] * v[i];
    }
    ```

    ## When it does not apply
    Host code, other exponents, exponents that are not constants, and powers of constants. A product can differ from
    the power in the last bit, so the fix is not applied without being asked for.

    ## References
    - CUDA C++ Best Practices Guide: exponentiation with small fractional arguments; math libraries
    - C++ standard: additional overloads of pow
    """

    meta = Meta(
        code="CUD803",
        name="pow-with-small-integer",
        summary="A power function computes what a multiplication or two would",
        category="numerics",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each call; instances of a template count once."""
        seen: set[tuple[str, int, int]] = set()
        for function in device_functions(unit.program):
            for call, exponent in powers(unit.program, function):
                if call.span.start not in seen:
                    seen.add(call.span.start)
                    yield self._found(unit, function, call, exponent)

    def _found(self, unit: Unit, function: Function, call: Call, exponent: float) -> Diagnostic:
        base = _base(call)
        single = isinstance(base.type, FloatType) and base.type.bits == 32
        doubled = single and call.name == "pow" and not _float(call.args[1])
        text = unit.program.text(base.span) if not base.span.macro else ""
        text = text if isinstance(base, Var | Index | Member | Call) else f"({text})" if text else ""
        form = _FORMS[exponent].format(
            x=text or "x", one="1.0f" if single else "1.0", sqrt="sqrtf" if single else "sqrt"
        )
        plain = bool(text) and _repeatable(base, text) and not call.span.macro
        fix = Fix(Applicability.UNSAFE, f"write {form}", (Edit(call.span, form),)) if plain else None
        cost = "about 90 FP64 instructions" if doubled or not single else "about 75 instructions"
        return self.finding(
            call.span,
            f"{call.name} with exponent {exponent:g} takes {cost}",
            kernel=function.name,
            reason="nvcc does not turn a power into a product: it calls the general function",
            help=f"write {form}" if plain else f"write it as {_FORMS[exponent].format(x='x', one='1', sqrt='sqrt')}",
            evidence={"function": call.name, "exponent": exponent, "fp64": doubled or not single},
            fix=fix,
        )


def _base(call: Call) -> Expr:
    """The base without the conversion to the parameter's type."""
    base = call.args[0]
    return base.operand if isinstance(base, Cast) and not base.explicit else base


def _float(exponent: Expr) -> bool:
    """Whether the exponent is a float, so that the float version is called."""
    inner = exponent.operand if isinstance(exponent, Cast) and not exponent.explicit else exponent
    return isinstance(inner.type, FloatType) and inner.type.bits == 32


def _repeatable(base: Expr, text: str) -> bool:
    """Whether the base can be written several times: it is a number, short, and has no side effects.

    The compiler computes it once all the same.
    """
    parts = Var | Index | Member | Deref | Const | Cast | Unary | Binary | Builtin
    return (
        isinstance(base.type, FloatType)
        and len(text) <= LONGEST
        and all(
            isinstance(n, parts) or (isinstance(n, Call) and n.key is None and n.name.removesuffix("f") in MATH)
            for n in walk(base)
        )
    )
