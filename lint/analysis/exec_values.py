"""Values of the executor: numbers, pointers and records over lanes.

Lanes form a matrix of C rows (one per world and block) and T columns (the threads of a block). A value's data
is a Python scalar when all lanes agree, else an array of shape (C, 1), (1, T) or (C, T) that broadcasts: a
value that is uniform in each block stays visibly so, and costs little. Taints are plain ints in here (the bits
of `trace.Taint`): enum arithmetic is slow.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type

if TYPE_CHECKING:
    from cudalint.lint.analysis.exec_memory import Obj

Array = npt.NDArray[Any]
Data = int | float | bool | Array
Dtype = np.dtype[Any]

EXACT, ASSUMED, LOADED_UNIFORM, LOADED, ATOMIC, APPROXIMATE, UNKNOWN, UNDEFINED = 0, 1, 2, 4, 8, 16, 32, 64
OPAQUE = LOADED | ATOMIC | APPROXIMATE | UNKNOWN
MAY = OPAQUE | LOADED_UNIFORM
"""A condition with any of these decides nothing: both sides are executed."""

BOOL = np.dtype(np.bool_)
DRAWN_STEPS = 4096.0
"""Floats in memory are drawn as multiples of one by this, up to one."""
I8, I16, I32, I64 = (np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64))
U8, U16, U32, U64 = (np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64))
F16, F32, F64 = (np.dtype(t) for t in (np.float16, np.float32, np.float64))
_INTS: dict[tuple[int, bool], Dtype] = {(8, True): I8, (16, True): I16, (32, True): I32, (64, True): I64}
_INTS |= {(8, False): U8, (16, False): U16, (32, False): U32, (64, False): U64}
_FLOATS: dict[int, Dtype] = {16: F16, 32: F32}


def dtype_of(of: Type) -> Dtype | None:
    """How a number of that type is kept; None for what is no number."""
    return _number_dtype(of) if isinstance(of, _NUMBERS) else None


_NUMBERS = (IntType, FloatType)


@cache
def _number_dtype(of: IntType | FloatType) -> Dtype | None:
    if isinstance(of, IntType):
        if of.name == "bool":
            return BOOL
        integer: Dtype = _INTS.get((of.bits, of.signed), I64)
        return integer
    if isinstance(of, FloatType):
        floating: Dtype = _FLOATS.get(of.bits, F64)
        return floating
    return None


class Val:
    """A number: `data` in the C type's representation `dt`, and what it rests on."""

    __slots__ = ("data", "dt", "taint")

    def __init__(self, data: Data, dt: Dtype, taint: int = EXACT) -> None:
        self.data = data
        self.dt = dt
        self.taint = taint

    def __repr__(self) -> str:
        return f"Val({self.data!r}, {self.dt}, {self.taint})"


class Ptr:
    """A pointer: byte offset `off` in `obj`. `alts` are lanes (a boolean array each) that point elsewhere."""

    __slots__ = ("alts", "obj", "off", "taint")

    def __init__(
        self, obj: Obj, off: int | Array = 0, taint: int = EXACT, alts: tuple[tuple[Array, Obj], ...] = ()
    ) -> None:
        self.obj = obj
        self.off = off
        self.taint = taint
        self.alts = alts

    def moved(self, by: int | Array, taint: int = EXACT) -> Ptr:
        """The pointer `by` bytes further on."""
        return Ptr(self.obj, self.off + by, self.taint | taint, self.alts)


class Rec:
    """A record or array by value: scalars by byte offset; missing ones are read through `src`, or unknown."""

    __slots__ = ("cells", "src", "taint")

    def __init__(self, cells: dict[int, Value], taint: int = EXACT, src: Ptr | None = None) -> None:
        self.cells = cells
        self.taint = taint
        self.src = src


class Fn:
    """A function as a value: its key, if it has a definition."""

    __slots__ = ("key", "taint")

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.taint = EXACT


class Group:
    """A cooperative group: `kind` is grid, block, tile (of `size` lanes) or coalesced."""

    __slots__ = ("kind", "size", "taint")

    def __init__(self, kind: str, size: int, taint: int = EXACT) -> None:
        self.kind = kind
        self.size = size
        self.taint = taint


Value = Val | Ptr | Rec | Fn | Group


def tainted(value: Value, taint: int) -> Value:
    """The value with more taint."""
    if value.taint | taint == value.taint:
        return value
    joined = value.taint | taint
    if isinstance(value, Val):
        return Val(value.data, value.dt, joined)
    if isinstance(value, Ptr):
        return Ptr(value.obj, value.off, joined, value.alts)
    if isinstance(value, Rec):
        return Rec({k: tainted(v, taint) for k, v in value.cells.items()}, joined, value.src)
    if isinstance(value, Group):
        return Group(value.kind, value.size, joined)
    return value


def wrap(number: int, dt: Dtype) -> int | bool:
    """The integer as the C type would hold it."""
    if dt is BOOL:
        return number != 0
    bits = dt.itemsize * 8
    number &= (1 << bits) - 1
    if dt.kind == "i" and number >> (bits - 1):
        number -= 1 << bits
    return number


def fit(data: Data, dt: Dtype) -> Data:
    """Convert to the representation, as a C conversion does."""
    if isinstance(data, np.ndarray):
        if data.dtype == dt:
            return data
        return data != 0 if dt is BOOL else data.astype(dt)
    if dt.kind == "f":
        return float(data)
    if isinstance(data, float):
        if dt is BOOL:
            return data != 0
        data = int(data) if math.isfinite(data) else 0
    return wrap(int(data), dt)


def convert(value: Val, dt: Dtype) -> Val:
    """The number in another representation.

    Numbers drawn for floats in memory are at most 1: made integers, they would all be the same. They are integers
    drawn like others then.
    """
    if value.dt is dt:
        return value
    data = value.data
    drawn = value.taint & LOADED and value.dt.kind == "f" and dt.kind in "iu"
    if drawn and isinstance(data, np.ndarray) and data.size and float(np.abs(data).max()) <= 1:
        data = data * DRAWN_STEPS
    return Val(fit(data, dt), dt, value.taint)


def promoted(a: Dtype, b: Dtype) -> Dtype:
    """The usual arithmetic conversions."""
    if a is b and a.itemsize >= 4:
        return a
    if a.kind == "f" or b.kind == "f":
        floats = [d for d in (a, b) if d.kind == "f"]
        return max(floats, key=lambda d: d.itemsize)
    a, b = (d if d.itemsize >= 4 else I32 for d in (a, b))
    if a.itemsize != b.itemsize:
        return a if a.itemsize > b.itemsize else b
    return a if a.kind == "u" else b


def _scalar_divide(x: Any, y: Any) -> Any:
    if isinstance(x, float) or isinstance(y, float):
        if y:
            return x / y
        return math.nan if not x or math.isnan(x) else math.copysign(math.inf, x)
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _scalar_remainder(x: Any, y: Any) -> Any:
    return x - y * _scalar_divide(x, y) if isinstance(x, int) else math.fmod(x, y)


_SCALAR: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _scalar_divide,
    "%": _scalar_remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})


def _array_divide(x: Any, y: Any) -> Any:
    probe = x if isinstance(x, np.ndarray) else y
    if probe.dtype.kind == "f":
        return np.true_divide(x, y)
    if probe.dtype.kind == "u" or (_nonnegative(x) and _nonnegative(y)):
        return np.floor_divide(x, y)
    return np.floor_divide(x - np.fmod(x, y), y)


def _array_remainder(x: Any, y: Any) -> Any:
    return np.fmod(x, y)


def _nonnegative(x: Any) -> bool:
    return bool(x.min() >= 0) if isinstance(x, np.ndarray) else x >= 0


_ARRAY: dict[str, Callable[[Any, Any], Any]] = {
    **_SCALAR,
    "/": _array_divide,
    "%": _array_remainder,
}


def _shift(op: str, a: Val, b: Val, dt: Dtype) -> Val:
    """Shifts take the left operand's type; counts beyond the width wrap, as the hardware need not."""
    taint = a.taint | b.taint
    x: Any = fit(a.data, dt)
    y: Any = fit(b.data, I64)
    bits = dt.itemsize * 8
    if not isinstance(x, np.ndarray) and not isinstance(y, np.ndarray):
        count = int(y) % bits
        return Val(wrap(int(x) << count if op == "<<" else int(x) >> count, dt), dt, taint)
    count_data: Any = y & (bits - 1)
    if isinstance(count_data, np.ndarray):
        count_data = count_data.astype(dt)
    if not isinstance(x, np.ndarray):
        x = np.full((1, 1), x, dt)
    shifted = np.left_shift(x, count_data) if op == "<<" else np.right_shift(x, count_data)
    return Val(fit(shifted, dt), dt, taint)


def arithmetic(op: str, a: Val, b: Val, dt: Dtype | None) -> Val:
    """`a op b`; `dt` is the result's representation (that of the operands, except for comparisons)."""
    if op in {"<<", ">>"}:
        return _shift(op, a, b, dt or a.dt)
    comparison = op in COMPARISONS
    common = promoted(a.dt, b.dt) if comparison or dt is None or dt is BOOL else dt
    x: Any = a.data if a.dt is common else fit(a.data, common)
    y: Any = b.data if b.dt is common else fit(b.data, common)
    taint = a.taint | b.taint
    if not isinstance(x, np.ndarray) and not isinstance(y, np.ndarray):
        try:
            result: Any = _SCALAR[op](x, y)
        except (ArithmeticError, ValueError, TypeError):
            return Val(0, common, taint | UNKNOWN)
        return Val(result, BOOL, taint) if comparison else Val(fit(result, common), common, taint)
    if op in {"/", "%"} and common.kind != "f" and not np.all(y):
        y = np.where(y == 0, 1, y).astype(common)
        result = _ARRAY[op](x, y)
    else:
        result = _ARRAY[op](x, y)
    if comparison:
        return Val(result, BOOL, taint)
    return Val(fit(result, common), common, taint)


def negate(value: Val, dt: Dtype) -> Val:
    """`-value`."""
    value = convert(value, dt)
    return Val(fit(-value.data, dt), dt, value.taint)


def invert(value: Val, dt: Dtype) -> Val:
    """`~value`."""
    value = convert(value, dt)
    data: Any = value.data
    return Val(fit(~data if isinstance(data, np.ndarray) else ~int(data), dt), dt, value.taint)


def truth(value: Value) -> Val:
    """The value as a condition; a pointer is assumed not to be null."""
    if isinstance(value, Val):
        return convert(value, BOOL)
    return Val(True, BOOL, value.taint | ASSUMED)


def logical_not(value: Val) -> Val:
    """`!value`."""
    data: Any = value.data
    return Val(~data if isinstance(data, np.ndarray) else not data, BOOL, value.taint)


def select(cond: bool | Array, a: Value, b: Value, taint: int = EXACT) -> Value:
    """`cond ? a : b` lane by lane; the taint is added to the joined one."""
    if a is b:
        return tainted(a, taint)
    if not isinstance(cond, np.ndarray):
        chosen = a if cond else b
        return tainted(chosen, taint | a.taint | b.taint if taint else EXACT)
    taint |= a.taint | b.taint
    if isinstance(a, Val) and isinstance(b, Val):
        return _select_numbers(cond, a, b, taint)
    if isinstance(a, Ptr) and isinstance(b, Ptr):
        return _select_pointers(cond, a, b, taint)
    if isinstance(a, Rec) and isinstance(b, Rec):
        cells: dict[int, Value] = {}
        for key in a.cells.keys() | b.cells.keys():
            mine, other = a.cells.get(key), b.cells.get(key)
            cells[key] = select(cond, mine, other, taint) if mine and other else tainted(mine or other, taint)  # type: ignore[arg-type]
        return Rec(cells, taint, a.src)
    if type(a) is type(b):
        return tainted(a, taint)
    return Val(0, I64, taint | UNKNOWN)


def _select_numbers(cond: Array, a: Val, b: Val, taint: int) -> Val:
    dt = a.dt if a.dt is b.dt else promoted(a.dt, b.dt)
    x, y = fit(a.data, dt), fit(b.data, dt)
    if not isinstance(x, np.ndarray) and not isinstance(y, np.ndarray) and x == y:
        return Val(x, dt, taint)
    return Val(fit(np.where(cond, x, y), dt), dt, taint)


def _select_pointers(cond: Array, a: Ptr, b: Ptr, taint: int) -> Ptr:
    same = isinstance(a.off, int) and isinstance(b.off, int) and a.off == b.off
    off: int | Array = a.off if same else np.where(cond, a.off, b.off)
    if a.obj is b.obj and not a.alts and not b.alts:
        return Ptr(a.obj, off, taint)
    alts = tuple((lanes & cond, obj) for lanes, obj in a.alts)
    rest = cond
    for lanes, _ in a.alts:
        rest = rest & ~lanes
    alts += ((rest, a.obj),)
    alts += tuple((lanes & ~cond, obj) for lanes, obj in b.alts)
    return Ptr(b.obj, off, taint, alts)


def scalar_fields(of: Type, base: int = 0, limit: int = 256) -> list[tuple[int, Type]]:
    """The numbers and pointers in a type with their byte offsets, at most `limit`."""
    found: list[tuple[int, Type]] = []
    if isinstance(of, RecordType):
        for member in of.fields:
            if len(found) >= limit:
                break
            found += scalar_fields(member.type, base + member.offset, limit - len(found))
    elif isinstance(of, ArrayType):
        for i in range(min(of.count or 0, limit)):
            if len(found) >= limit:
                break
            found += scalar_fields(of.element, base + i * of.element.size, limit - len(found))
    elif isinstance(of, IntType | FloatType | PointerType):
        found.append((base, of))
    return found
