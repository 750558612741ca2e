"""Where float code computes in double precision because of a literal, a constant or a math function.

An expression of type double costs FP64 instructions only if the compiler cannot narrow it. It can where one
operation on promoted floats and constants that float holds exactly is rounded straight back to float; it cannot
where a constant is inexact, where operations follow each other, or where the result goes to a comparison or an
integer. The rules here reproduce what nvcc 13.0 makes for sm_90 of the kernels in tests/data/fp64.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Const,
    Expr,
    FunctionName,
    IncDec,
    Lambda,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.types import DOUBLE, FloatType, IntType, Type
from cudalint.lint.model.walk import Node, walk

MATH = frozenset(
    [
        *("sqrt", "rsqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "hypot"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("fabs", "abs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "fmod", "remainder", "fdim"),
        *("fmax", "fmin", "max", "min", "fma", "copysign", "erf", "erfc", "tgamma", "lgamma", "sinpi", "cospi"),
    ]
)
"""Math functions of the CUDA Math API that have a version for double and one for float under the same name."""

_ARITHMETIC = frozenset("+-*/")
_COMPARISONS = frozenset(["<", ">", "<=", ">=", "==", "!="])
_COMPOUND = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}


@dataclass(frozen=True, slots=True)
class Doubled:
    """A double expression over float data whose result is not kept as double.

    `literals` are the constants that make it double, `functions` the double math functions that it calls,
    `into` what becomes of the result: float, a comparison, or an integer.
    """

    root: Expr
    literals: tuple[Const, ...]
    functions: tuple[str, ...]
    into: str


@dataclass(frozen=True, slots=True)
class MathCall:
    """A call that takes the double version of a math function for float data, because of `argument`."""

    call: Call
    argument: Const


@dataclass(slots=True)
class Findings:
    """What one function does in double precision without need."""

    expressions: list[Doubled] = field(default_factory=list)
    calls: list[MathCall] = field(default_factory=list)


def device_functions(program: TranslationUnit) -> Iterator[Function]:
    """The functions that run on the device as far as the unit shows: kernels, device functions, what they call.

    Instances whose template arguments are guesses are left out.
    """
    starts = [f for f in program.functions.values() if f.kind in {FunctionKind.KERNEL, FunctionKind.DEVICE}]
    queue, seen = [f.key for f in starts], set()
    while queue:
        key = queue.pop()
        function = program.functions.get(key)
        if key in seen or function is None or function.body is None:
            continue
        seen.add(key)
        nodes = walk(function.body)
        queue += [n.key for n in nodes if isinstance(n, Call | FunctionName | Lambda) and n.key is not None]
    for key in sorted(seen):
        if not program.functions[key].synthetic:
            yield program.functions[key]


def all_doubles(unit: Unit) -> tuple[tuple[Function, Findings], ...]:
    """The device functions of a unit with their needless double precision."""
    return tuple((function, doubles(unit.program, function)) for function in device_functions(unit.program))


def doubles(program: TranslationUnit, function: Function) -> Findings:
    """The needless double precision in one device function."""
    constants = _known_values(program, function)
    findings = Findings()
    assert function.body is not None
    for node in walk(function.body):
        for root, into in _uses(node):
            _judge(root, into, constants, findings)
    return findings


def _is(of: Type, bits: int) -> bool:
    return isinstance(of, FloatType) and of.bits == bits


def _uses(node: Node) -> Iterator[tuple[Expr, str]]:
    """The double expressions that end at a node, with what they are turned into."""
    match node:
        case Cast(operand=operand, type=FloatType(bits=bits)) if bits < 64 and _is(operand.type, 64):
            yield operand, "float"
        case Cast(operand=operand, type=IntType(name=name)) if name != "bool" and _is(operand.type, 64):
            yield operand, "integer"
        case Binary(op=op, left=left, right=right) if (
            op in _COMPARISONS and _is(left.type, 64) and _is(right.type, 64)
        ):
            yield node, "comparison"
        case Assign(op=op, target=target, value=value, span=span) if op in _COMPOUND:
            if _is(target.type, 32) and _is(value.type, 64):
                promoted = Cast(target, DOUBLE, target.span)
                yield Binary(_COMPOUND[op], promoted, value, DOUBLE, span), "float"


def _known_values(program: TranslationUnit, function: Function) -> Mapping[str, float]:
    """The values of variables that are constant, by symbol key: whatever sets them sets them to the same."""
    assert function.body is not None
    defined: dict[str, list[Expr | None]] = {}
    for variable in program.globals:
        if variable.symbol.const and variable.init is not None:
            defined[variable.symbol.key] = [variable.init]
    for node in walk(function.body):
        match node:
            case Decl(symbol=symbol, init=init) if init is not None:
                defined.setdefault(symbol.key, []).append(init)
            case Assign(op=op, target=Var(symbol=symbol), value=value):
                defined.setdefault(symbol.key, []).append(value if op == "=" else None)
            case IncDec(target=Var(symbol=symbol)) | AddressOf(operand=Var(symbol=symbol)):
                defined.setdefault(symbol.key, []).append(None)
    values: dict[str, float] = {}
    for key, sources in defined.items():
        first, *others = (None if source is None else _value(source, values) for source in sources)
        if first is not None and all(other == first for other in others):
            values[key] = first
    return values


@dataclass(slots=True)
class _Leaves:
    """What a double expression is made of."""

    floats: int = 0
    integers: int = 0
    literals: list[Const] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    native: bool = False


def _collect(expr: Expr, constants: Mapping[str, float], leaves: _Leaves) -> None:  # noqa: C901 - one case a kind
    """Add the leaves of a double expression; `native` when some of its data is double by choice."""
    match expr:
        case Const(type=FloatType(bits=64)):
            leaves.literals.append(expr)
        case Const():
            pass
        case Cast(explicit=True):
            leaves.native = True
        case Cast(operand=operand) if _is(operand.type, 64):
            _collect(operand, constants, leaves)
        case Cast(operand=operand):
            if _value(operand, constants) is None:
                _leaf(operand, leaves)
        case Unary(operand=operand) if _is(expr.type, 64):
            _collect(operand, constants, leaves)
        case Binary(op=op, left=left, right=right) if op in _ARITHMETIC | _COMPARISONS:
            _collect(left, constants, leaves)
            _collect(right, constants, leaves)
        case Conditional(then=then, otherwise=otherwise):
            _collect(then, constants, leaves)
            _collect(otherwise, constants, leaves)
        case Call(name=name, args=args) if name in MATH and _is(expr.type, 64):
            leaves.calls.append(expr)
            for argument in args:
                _collect(argument, constants, leaves)
        case Var(symbol=symbol) if symbol.const and symbol.key in constants:
            leaves.literals.append(Const(constants[symbol.key], symbol.type, expr.span, symbol.name))
        case _ if not _is(expr.type, 64):
            if _value(expr, constants) is None:
                _leaf(expr, leaves)
        case _:
            leaves.native = True


def _leaf(expr: Expr, leaves: _Leaves) -> None:
    """Count data that is not double: a float, or an integer that is not a constant."""
    if isinstance(expr.type, FloatType):
        leaves.floats += 1
    elif not isinstance(expr, Const):
        leaves.integers += 1


def _judge(root: Expr, into: str, constants: Mapping[str, float], findings: Findings) -> None:
    leaves = _Leaves()
    _collect(root, constants, leaves)
    if leaves.native or not (leaves.floats or leaves.integers):
        return
    taken: set[Span] = set()
    spoilt: list[Call] = []
    for call in leaves.calls:
        literal = _direct_literal(call, constants)
        if literal is not None:
            spoilt.append(call)
            taken.add(literal.span)
            if small_power(call) is None:
                findings.calls.append(MathCall(call, literal))
        elif small_power(call) is not None:
            spoilt.append(call)
    literals = tuple(c for c in leaves.literals if c.span not in taken)
    needed = _compared(root, constants, spoilt) if into == "comparison" else _needs(root, into, constants, spoilt)
    if literals and needed:
        functions = tuple(dict.fromkeys(c.name for c in leaves.calls if c not in spoilt))
        findings.expressions.append(Doubled(root, literals, functions, into))


def _direct_literal(call: Call, constants: Mapping[str, float]) -> Const | None:
    """The double constant that is an argument beside float data, and so makes the call double."""
    data = [a.operand if isinstance(a, Cast) and not a.explicit else a for a in call.args]
    if not any(_is(a.type, 32) for a in data):
        return None
    return next((leaf for a in call.args if (leaf := _constant_leaf(a, constants)) is not None), None)


def _constant_leaf(expr: Expr, constants: Mapping[str, float]) -> Const | None:
    """The literal of an argument that is a constant, negated or not."""
    if _value(expr, constants) is None or not _is(expr.type, 64):
        return None
    leaves = _Leaves()
    _collect(expr, constants, leaves)
    return leaves.literals[0] if leaves.literals else None


def small_power(call: Call) -> float | None:
    """The exponent of a power that a few multiplications (or a square root) replace, else None."""
    if call.name not in {"pow", "powf", "powi"} or len(call.args) != 2:
        return None
    value = _value(call.args[1], {})
    return value if value in {2.0, 3.0, 4.0, 0.5, -1.0, -2.0} else None


def _value(expr: Expr, constants: Mapping[str, float]) -> float | None:
    """The value of a constant expression."""
    match expr:
        case Const(value=bool() | int() | float() as value):
            return float(value)
        case Cast(operand=operand, type=FloatType()):
            return _value(operand, constants)
        case Unary(op="-", operand=operand):
            inner = _value(operand, constants)
            return None if inner is None else -inner
        case Var(symbol=symbol):
            return constants.get(symbol.key)
        case Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            a, b = _value(left, constants), _value(right, constants)
            if a is None or b is None or (op == "/" and b == 0):
                return None
            return {"+": a + b, "-": a - b, "*": a * b}[op] if op != "/" else a / b
    return None


def _exact(value: float) -> bool:
    """Whether float holds a value exactly."""
    if not math.isfinite(value):
        return True
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def _narrow(expr: Expr, constants: Mapping[str, float], spoilt: list[Call]) -> bool:
    """Whether an operand is a promoted float, or a constant that float holds exactly."""
    value = _value(expr, constants)
    if value is not None:
        return _exact(value)
    inner = expr.operand if isinstance(expr, Cast) else expr
    return _is(inner.type, 32) or (isinstance(inner, Call) and inner in spoilt)


def _needs(expr: Expr, into: str, constants: Mapping[str, float], spoilt: list[Call]) -> bool:
    """Whether FP64 instructions remain when the expression is turned into float or an integer."""
    if _value(expr, constants) is not None:
        return False
    match expr:
        case Unary(op="-", operand=operand):
            return _needs(operand, into, constants, spoilt)
        case Binary(left=left, right=right):
            narrow = _narrow(left, constants, spoilt) and _narrow(right, constants, spoilt)
            return into != "float" or not narrow
        case Conditional(then=then, otherwise=otherwise):
            arms = [a for a in (then, otherwise) if _value(a, constants) is None]
            return into != "float" or not all(_narrow(a, constants, spoilt) for a in arms)
        case Call() if expr in spoilt:
            return False
        case Call():
            return True
    return False


def _compared(root: Expr, constants: Mapping[str, float], spoilt: list[Call]) -> bool:
    """Whether a comparison is done in FP64: unless both sides are promoted floats or exact constants."""
    assert isinstance(root, Binary)
    return not (_narrow(root.left, constants, spoilt) and _narrow(root.right, constants, spoilt))


def powers(program: TranslationUnit, function: Function) -> Iterator[tuple[Call, float]]:
    """Calls of a power function with an exponent that a few multiplications replace, unless all is constant."""
    assert function.body is not None
    constants = _known_values(program, function)
    for node in walk(function.body):
        if isinstance(node, Call) and isinstance(node.type, FloatType):
            exponent = small_power(node)
            if exponent is not None and _value(node.args[0], constants) is None:
                yield node, exponent
