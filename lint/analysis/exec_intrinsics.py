"""Functions without a visible definition: arithmetic, conversions, loads and stores by intrinsic, the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from cudalint.lint.analysis import exec_atomics, exec_groups, exec_sync
from cudalint.lint.analysis.exec_calls import NOTHING, Intrinsic, bytes_at, construct, fill, pointee
from cudalint.lint.analysis.exec_expr import load, peek, place, poke, store
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_memory import is_aggregate, reread
from cudalint.lint.analysis.exec_values import (
    ASSUMED,
    EXACT,
    I32,
    I64,
    LOADED,
    U32,
    U64,
    UNKNOWN,
    Data,
    Ptr,
    Rec,
    Val,
    Value,
    arithmetic,
    convert,
    dtype_of,
    fit,
    promoted,
    select,
    tainted,
)
from cudalint.lint.analysis.trace import AccessKind
from cudalint.lint.model.expressions import Call, Deref, Expr, Index, Member, Var
from cudalint.lint.model.types import ArrayType, IntType, PointerType, RecordType, VoidType

UCHAR = IntType(8, False, "unsigned char")
_VECTOR = 16
"""Bytes that one access can move (lanes.WIDEST)."""
MTGP32_THREADS = 256
"""Threads of a block that may draw from one MTGP32 state (cuRAND Library, "Device API Overview")."""


# -- arithmetic ------------------------------------------------------------------------------------------------


def _numbers(m: Machine, expr: Call) -> list[Val]:
    return [m.number(arg) for arg in expr.args]


def _extremum(op: str) -> Intrinsic:
    def handler(m: Machine, expr: Call) -> Value:
        values = _numbers(m, expr)
        dt = dtype_of(expr.type) or values[0].dt
        result = convert(values[0], dt)
        for value in values[1:3] if isinstance(expr.args[-1].type, IntType) else values[1:2]:
            other = convert(value, dt)
            chosen: Any = arithmetic(op, result, other, None)
            picked = select(chosen.data, result, other, chosen.taint)
            assert isinstance(picked, Val)
            result = picked
        return result

    return handler


def _absolute(m: Machine, expr: Call) -> Value:
    value = _numbers(m, expr)[0]
    dt = dtype_of(expr.type) or value.dt
    data: Any = value.data
    return Val(fit(abs(data), dt), dt, value.taint)


def _apply(function: Callable[..., Any], integer: bool = False) -> Intrinsic:
    """A function computed by numpy on float64, or on int64 when `integer`."""

    def handler(m: Machine, expr: Call) -> Value:
        values = _numbers(m, expr)
        taint = EXACT
        for value in values:
            taint |= value.taint
        dt = dtype_of(expr.type) or (values[0].dt if values else I32)
        # As numpy numbers: 1 / 0 is an infinity then, not an exception.
        data = [np.asarray(fit(v.data, I64 if integer else np.dtype(np.float64))) for v in values]
        return Val(fit(_scalar(function(*data)), dt), dt, taint)

    return handler


def _scalar(data: Any) -> Data:
    return data if isinstance(data, np.ndarray) and data.ndim else data.item() if hasattr(data, "item") else data


def _popcount(x: Any) -> Any:
    x = np.asarray(x).astype(np.uint64)
    return np.bitwise_count(x) if hasattr(np, "bitwise_count") else _count_bits(x)


def _count_bits(x: Any) -> Any:
    total = np.zeros_like(x, dtype=np.int64)
    for bit in range(64):
        total += (x >> np.uint64(bit)).astype(np.int64) & 1
    return total


def _bits(bits: int, function: Callable[[Any, int], Any]) -> Intrinsic:
    """A function of the `bits` low bits of an integer, given and taken as int64 or uint64 numbers."""
    dt = U32 if bits == 32 else U64

    def handler(m: Machine, expr: Call) -> Value:
        value = convert(_numbers(m, expr)[0], dt)
        result = _scalar(function(np.asarray(value.data, dtype=np.uint64), bits))
        to = dtype_of(expr.type) or I32
        return Val(fit(result, to), to, value.taint)

    return handler


def _leading_zeros(x: Any, bits: int) -> Any:
    for shift in (1, 2, 4, 8, 16, 32):
        x = x | (x >> np.uint64(shift))
    return bits - _popcount(x).astype(np.int64)


def _first_set(x: Any, bits: int) -> Any:
    lowest = x & (~x + np.uint64(1))
    return np.where(x == 0, 0, bits - _leading_zeros(lowest, bits))


def _reversed_bits(x: Any, bits: int) -> Any:
    out = np.zeros_like(x)
    for bit in range(bits):
        out = out | (((x >> np.uint64(bit)) & np.uint64(1)) << np.uint64(bits - 1 - bit))
    return out


def _high_word(m: Machine, expr: Call) -> Value:
    """The high word of a product. A sampled factor tells nothing: such factors are made, with a shift, to divide."""
    value = _HIGH_PRODUCT(m, expr)
    return tainted(value, UNKNOWN) if isinstance(value, Val) and value.taint & ASSUMED else value


_HIGH_PRODUCT = _apply(lambda a, b: (a * b) >> 32, integer=True)


def _low24(a: Any, b: Any) -> Any:
    return (((a & 0xFFFFFF) ^ 0x800000) - 0x800000) * (((b & 0xFFFFFF) ^ 0x800000) - 0x800000)


def _unsigned24(a: Any, b: Any) -> Any:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF)


def _pure(m: Machine, expr: Call) -> Value:
    """A function of its arguments of which only that is known: uniform in, uniform out."""
    taint = EXACT
    mixed: Any = 0
    for arg in expr.args:
        value = m.eval(arg)
        taint |= value.taint
        if isinstance(value, Val):
            mixed = mixed + (value.data * 0.61803 if value.dt.kind == "f" else fit(value.data, I64))
    m.record.call(m, expr.name, expr.span, known=True)
    dt = dtype_of(expr.type)
    if dt is None:
        return Rec({}, taint | UNKNOWN) if is_aggregate(expr.type) else tainted(m.unknown_value(expr.type), taint)
    return Val(fit(mixed, dt), dt, taint | UNKNOWN)


def _reinterpret(m: Machine, expr: Call) -> Value:
    value = _numbers(m, expr)[0]
    dt = dtype_of(expr.type)
    return value if dt is None else reread(value, dt)


def _same(m: Machine, expr: Call) -> Value:
    """A conversion, or a function that gives its argument."""
    return m.as_type(m.eval(expr.args[0]), expr.type)


def _limit(m: Machine, expr: Call) -> Value:
    """Members of std::numeric_limits."""
    dt = dtype_of(expr.type)
    if dt is None:
        return m.unknown_value(expr.type)
    if dt.kind != "f":
        bits = dt.itemsize * 8 - (dt.kind == "i")
        lowest = -(1 << bits) if dt.kind == "i" else 0
        return Val(fit((1 << bits) - 1 if expr.name == "max" else lowest, dt), dt)
    info = np.finfo(dt)
    known = {"max": info.max, "min": info.tiny, "lowest": info.min, "epsilon": info.eps, "infinity": np.inf}
    return Val(float(known.get(expr.name, np.nan)), dt)


def _sine_and_cosine(m: Machine, expr: Call) -> Value:
    """sincos(x, &s, &c): the two results go where the pointers lead."""
    angle = _numbers(m, expr)[0]
    for target, function in zip(expr.args[1:], (np.sin, np.cos), strict=False):
        ptr, lvalue = pointee(m, target, expr)
        data = _scalar(function(fit(angle.data, np.dtype(np.float64))))
        store(m, ptr, lvalue.type, Val(data, np.dtype(np.float64), angle.taint), lvalue)
    return NOTHING


# -- memory ----------------------------------------------------------------------------------------------------


def _load(m: Machine, expr: Call) -> Value:
    ptr, lvalue = pointee(m, expr.args[0], expr)
    return m.as_type(load(m, ptr, lvalue.type, lvalue), expr.type)


def _store(m: Machine, expr: Call) -> Value:
    ptr, lvalue = pointee(m, expr.args[0], expr)
    store(m, ptr, lvalue.type, m.eval(expr.args[1]), lvalue)
    return NOTHING


def _move_bytes(m: Machine, expr: Call) -> Value:
    """Memcpy and memset: one access of all the bytes where their number is known."""
    target, target_lvalue = bytes_at(m, expr.args[0], expr)
    source = None
    if not expr.name.endswith("memset"):
        source, source_lvalue = bytes_at(m, expr.args[1], expr)
    count = m.number(expr.args[2])
    size = count.data if isinstance(count.data, int) and not count.taint else 1
    if source is not None:
        m.record.access(m, _elements(source_lvalue, size), AccessKind.LOAD, tainted_ptr(source, count), size)
    m.record.access(m, _elements(target_lvalue, size), AccessKind.STORE, tainted_ptr(target, count), size)
    of = target_lvalue.type
    if source is not None and of.size == size:
        poke(m, target, of, peek(m, source, of))
    else:
        target.obj.smear(m, LOADED)
    return target


def _elements(lvalue: Expr, size: int) -> Expr:
    """An lvalue of so many bytes that promises the alignment of its type, no more."""
    of = lvalue.type
    made_of = of.size and of.size < size <= _VECTOR and size % of.size == 0
    if isinstance(lvalue, Deref | Index | Var | Member) and made_of:
        return replace(lvalue, type=ArrayType(of, size // of.size))
    return lvalue


def tainted_ptr(ptr: Ptr, count: Val) -> Ptr:
    """The pointer, unknown where the number of bytes moved is not exact."""
    return ptr if not count.taint and isinstance(count.data, int) else ptr.moved(0, UNKNOWN)


def _swap(m: Machine, expr: Call) -> Value:
    a, b = expr.args[:2]
    first, second = place(m, a), place(m, b)
    x, y = load(m, first, a.type, a), load(m, second, b.type, b)
    store(m, first, a.type, y, a)
    store(m, second, b.type, x, b)
    return NOTHING


def _texture(m: Machine, expr: Call) -> Value:
    for arg in expr.args:
        m.eval(arg)
    m.record.call(m, expr.name, expr.span, known=True)
    return tainted(m.unknown_value(expr.type), LOADED) if not isinstance(expr.type, VoidType) else NOTHING


def _ignored(m: Machine, expr: Call) -> Value:
    for arg in expr.args:
        if not isinstance(arg.type, RecordType):
            m.eval(arg)
    m.record.call(m, expr.name, expr.span, known=True)
    return NOTHING if isinstance(expr.type, VoidType) else Val(0, dtype_of(expr.type) or I32, UNKNOWN)


def _opaque(m: Machine, expr: Call) -> Value:
    """A clock or a random number: another value each time."""
    for arg in expr.args:
        m.eval(arg)
    m.record.call(m, expr.name, expr.span, known=True)
    return m.unknown_value(expr.type)


def _draw(m: Machine, expr: Call) -> Value:
    """A cuRAND call changes the state that it is given: told where all threads of a block share one.

    A state of the Mersenne twister (MTGP32) serves the 256 threads of one block together.
    """
    shared = expr.args[-1 if expr.name.startswith(("curand_init", "skipahead")) else 0] if expr.args else None
    if shared is not None and isinstance(shared.type, PointerType):
        ptr, lvalue = pointee(m, shared, expr)
        together = "Mtgp32" in str(getattr(lvalue.type, "name", "")) and m.lanes.threads <= MTGP32_THREADS
        if not isinstance(ptr.off, np.ndarray) or ptr.off.shape[-1] == 1:
            value = m.lanes.block_coordinate(0) if together else m.lanes.thread_index
            m.record.access(m, lvalue, AccessKind.STORE, ptr, lvalue.type.size or 1, value)
    return _opaque(m, expr)


def _make(m: Machine, expr: Call) -> Value:
    values = [m.eval(arg) for arg in expr.args]
    if isinstance(expr.type, RecordType) and len(values) <= len(expr.type.fields):
        return fill(m, expr.type, values)
    return m.unknown_value(expr.type)


# -- the table -------------------------------------------------------------------------------------------------

_NUMPY: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "rint": np.rint,
    "nearbyint": np.rint,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(10.0, x),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "pow": np.power,
    "fmod": np.fmod,
    "fma": lambda a, b, c: a * b + c,
    "hypot": np.hypot,
    "cbrt": np.cbrt,
    "copysign": np.copysign,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "fdividef": lambda a, b: a / b,
    "fdiv": lambda a, b: a / b,
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "frcp": lambda a: 1 / a,
    "fsqrt": np.sqrt,
    "saturate": lambda a: np.clip(a, 0.0, 1.0),
    "lrint": np.rint,
    "llrint": np.rint,
    "lround": np.rint,
    "llround": np.rint,
}
_PURE_WORDS = (
    "erf erfc erfinv lgamma tgamma norm3d normcdf sinpi cospi remainder ldexp logb nan rhypot j0 j1 "
    "y0 y1 signbit fdim scalbn scalbln erfcx rcbrt asinh acosh atanh"
)


def _numeric_names() -> dict[str, Intrinsic]:
    table: dict[str, Intrinsic] = {}
    for name, function in _NUMPY.items():
        handler = _apply(function)
        table |= dict.fromkeys((name, f"{name}f", f"__{name}", f"__{name}f"), handler)
        table |= {f"__{name}_{mode}": handler for mode in ("rn", "rz", "ru", "rd")}
        table |= {f"__{name}f_{mode}": handler for mode in ("rn", "rz", "ru", "rd")}
    for name in _PURE_WORDS.split():
        table |= dict.fromkeys((name, f"{name}f"), _pure)
    for names, op in (("min umin llmin ullmin fmin fminf", "<"), ("max umax llmax ullmax fmax fmaxf", ">")):
        table |= dict.fromkeys(names.split(), _extremum(op))
    table |= dict.fromkeys(["abs", "fabs", "fabsf", "labs", "llabs"], _absolute)
    return table


TABLE: dict[str, Intrinsic] = {
    **_numeric_names(),
    "__popc": _bits(32, lambda x, _: _popcount(x)),
    "__popcll": _bits(64, lambda x, _: _popcount(x)),
    "__clz": _bits(32, _leading_zeros),
    "__clzll": _bits(64, _leading_zeros),
    "__ffs": _bits(32, _first_set),
    "__ffsll": _bits(64, _first_set),
    "__brev": _bits(32, _reversed_bits),
    "__brevll": _bits(64, _reversed_bits),
    "__mul24": _apply(_low24, integer=True),
    "__umul24": _apply(_unsigned24, integer=True),
    "__mulhi": _high_word,
    "__umulhi": _high_word,
    "__fns": _pure,
    **dict.fromkeys(("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"), _load),
    **dict.fromkeys(("__stwb", "__stcg", "__stcs", "__stwt"), _store),
    **{f"{prefix}mem{what}": _move_bytes for prefix in ("", "__builtin_") for what in ("cpy", "move", "set")},
    "swap": _swap,
    **dict.fromkeys(("sincos", "sincosf", "__sincosf", "sincospi", "sincospif"), _sine_and_cosine),
    **dict.fromkeys(
        (
            "__int_as_float",
            "__float_as_int",
            "__uint_as_float",
            "__float_as_uint",
            "__longlong_as_double",
            "__double_as_longlong",
            "__half_as_ushort",
            "__half_as_short",
            "__ushort_as_half",
            "__short_as_half",
        ),
        _reinterpret,
    ),
    **dict.fromkeys(
        (
            "move",
            "forward",
            "__cvta_generic_to_shared",
            "__cvta_generic_to_global",
            "__cvta_shared_to_generic",
            "__cvta_global_to_generic",
            "__half2float",
            "__float2half",
            "__float2half_rn",
            "__float2bfloat16",
            "__bfloat162float",
            "__builtin_assume_aligned",
            "__int2float_rn",
            "__uint2float_rn",
            "__float2int_rz",
            "__float2int_rd",
            "__float2uint_rz",
            "__float2uint_rd",
            "__double2int_rz",
            "__int2double_rn",
        ),
        _same,
    ),
    **dict.fromkeys(
        (
            "printf",
            "assert",
            "__assert_fail",
            "__trap",
            "__brkpt",
            "__nanosleep",
            "__prof_trigger",
            "__builtin_assume",
            "__assume",
            "__builtin_unreachable",
            "puts",
            "__builtin_expect",
            "cudaTriggerProgrammaticLaunchCompletion",
            "free",
            "vprintf",
        ),
        _ignored,
    ),
    **dict.fromkeys(("clock", "clock64", "__clock", "__clock64", "globaltimer", "rand", "malloc"), _opaque),
    "isPow2": _pure,
    **exec_sync.TABLE,
    **exec_atomics.TABLE,
}
_PREFIXES: tuple[tuple[str, Intrinsic], ...] = (
    ("tex", _texture),
    ("surf", _texture),
    ("make_", _make),
    ("curand", _draw),
    ("cuda", _ignored),
    ("__", _pure),
)


def find(expr: Call) -> Intrinsic | None:
    """What to do for a call of a function without a definition; None when it is not known."""
    if expr.constructor:
        return exec_atomics.construct_reference if exec_atomics.is_reference(expr.type) else construct
    qualified = expr.qualified
    if qualified.startswith("cooperative_groups::"):
        return exec_groups.find(expr)
    if "numeric_limits" in qualified:
        return _limit
    if qualified.startswith("cub::"):
        return exec_sync.find_collective(expr)
    if qualified.startswith(("cuda::", "std::atomic", "nvcuda::")):
        found = exec_atomics.find_method(expr) or exec_sync.find_async(expr)
        if found is not None:
            return found
    if expr.receiver is not None or expr.name.startswith("operator"):
        return _operator(expr)
    if expr.name.startswith(("__nv_atomic_", "__atomic_")):
        return exec_atomics.generic
    return TABLE.get(expr.name) or _by_prefix(expr)


def _by_prefix(expr: Call) -> Intrinsic | None:
    pointers = any(isinstance(a.type, PointerType) for a in expr.args)
    for prefix, general in _PREFIXES:
        if expr.name.startswith(prefix) and (not pointers or general is not _pure):
            return general
    return _pure if expr.name.startswith("h") and _small(expr) else None


def _small(expr: Call) -> bool:
    """Arithmetic on half-precision numbers: `hexp`, `hsqrt`."""
    return bool(expr.args) and all(getattr(a.type, "size", 0) in {2, 4} for a in expr.args) and len(expr.args) <= 3


def _operator(expr: Call) -> Intrinsic | None:
    """Operators and accessors of records without a body: a function of the operands."""
    return _operate if expr.name.startswith("operator") else None


def _operate(m: Machine, expr: Call) -> Value:
    """An overloaded operator without a body: arithmetic on what it is given; assignments write the target."""
    op = expr.name.removeprefix("operator").strip()
    operands = ([expr.receiver] if expr.receiver is not None else []) + list(expr.args)
    if op.endswith("=") and op not in {"==", "!=", "<=", ">="} and len(operands) == 2:
        target = operands[0]
        value = m.eval(operands[1])
        if isinstance(target.type, PointerType):
            m.record.not_understood(expr.span, f"call of {expr.qualified}")
            return m.unknown_value(expr.type)
        ptr = place(m, target)
        if op != "=":
            old = load(m, ptr, target.type, target)
            value = tainted(old, value.taint | UNKNOWN)
        store(m, ptr, target.type, value, target)
        return ptr if isinstance(expr.type, PointerType) else value
    values = [m.eval(operand) for operand in operands]
    taint = EXACT
    for value in values:
        taint |= value.taint
    if len(values) == 2 and all(isinstance(v, Val) for v in values) and op in {"+", "-", "*", "/", "<", ">"}:
        a, b = values
        assert isinstance(a, Val) and isinstance(b, Val)
        return arithmetic(op, a, b, promoted(a.dt, b.dt))
    return tainted(m.unknown_value(expr.type), taint)
