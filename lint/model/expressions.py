"""Expressions of the model. Every node has a type and a span.

Lvalues are `Var`, `Index`, `Deref` and `Member`; using one as a value loads from it (there is no explicit
load node). References are pointers: a use of a reference variable lowers to `Deref(Var)`.
Implicit conversions that change representation are `Cast` nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from cudalint.lint.model.source import Span
from cudalint.lint.model.types import Type


class Storage(Enum):
    """Where a symbol lives."""

    LOCAL = "local"
    PARAM = "param"
    SHARED = "shared"
    DYNAMIC_SHARED = "dynamic shared"
    CONSTANT = "constant"
    DEVICE = "device"
    MANAGED = "managed"
    STATIC = "static"
    HOST = "host global"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable or parameter. `key` is unique in its translation unit (per function instance)."""

    key: str
    name: str
    type: Type
    storage: Storage
    span: Span = field(compare=False)
    const: bool = field(default=False, compare=False)
    volatile: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A literal, an enumerator, a constexpr, a macro's or a template argument's value.

    `name` is the spelling where it had one (`TILE`); strings are `str`, null pointers are 0.
    `text` is a number's spelling in the source, for rules about literals (`0.1`, `1e-6f`). `measured` is the type
    that a `sizeof` measures, where it is known (of a pointer that is written as a type, only that it is one).
    """

    value: int | float | bool | str
    type: Type
    span: Span
    name: str | None = None
    text: str | None = None
    measured: Type | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Var:
    """A use of a variable."""

    symbol: Symbol
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Builtin:
    """`threadIdx.x` and its kin: `name` is threadIdx, blockIdx, blockDim, gridDim or warpSize.

    `axis` is x, y or z; empty for warpSize and for the whole triple.
    """

    name: str
    axis: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`op` is one of - + ~ !"""

    op: str
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` is + - * / % << >> & | ^ < > <= >= == != && || or ','.

    Pointer + integer and pointer - integer count in elements of the pointee, as in C.
    """

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion. `explicit` when the source has a cast; `reinterpret` when it re-reads the bytes."""

    operand: Expr
    type: Type
    span: Span
    explicit: bool = False
    reinterpret: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """`base[index]` of an array or a pointer: an lvalue of the element type."""

    base: Expr
    index: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Deref:
    """`*pointer`, or the implicit dereference of a reference."""

    pointer: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """`base.field`, or `base->field` when `base` is a pointer expression (`arrow`)."""

    base: Expr
    field: str
    offset: int
    arrow: bool
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class AddressOf:
    """`&lvalue`; also an array that decays to a pointer to its first element (`decay`)."""

    operand: Expr
    type: Type
    span: Span
    decay: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    """`target op value`; `op` is = += -= *= /= %= <<= >>= &= |= ^=."""

    op: str
    target: Expr
    value: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class IncDec:
    """`++x`, `x++`, `--x`, `x--`; `op` is ++ or --."""

    op: str
    prefix: bool
    target: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, method, functor, lambda or overloaded operator.

    `name` is unqualified (`__syncthreads`, `operator()`, `sync`), `qualified` carries namespaces and classes
    (`cooperative_groups::thread_block::sync`). `key` looks the definition up in `TranslationUnit.functions`
    (None: no definition seen). A method call has its object in `receiver` (an lvalue, or a pointer when
    `arrow`). `template_args` are the explicit or deduced ones: types or integers, as far as known.
    Constructors are calls with `constructor` set, and `type` the record.
    """

    name: str
    qualified: str
    key: str | None
    args: tuple[Expr, ...]
    type: Type
    span: Span
    receiver: Expr | None = None
    arrow: bool = False
    constructor: bool = False
    template_args: tuple[Type | int, ...] = ()
    callee: Expr | None = None
    """The called expression where it is a function pointer or an object."""


@dataclass(frozen=True, slots=True)
class InitList:
    """`{a, b, c}` for an array or record; missing items are zero."""

    items: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Capture:
    """What a lambda captures: `symbol` outside, by reference or by value."""

    symbol: Symbol
    by_reference: bool


@dataclass(frozen=True, slots=True)
class Lambda:
    """A lambda expression; `key` is its call operator in `TranslationUnit.functions`.

    Its body uses the captured symbols under their own keys. `type` is its closure record.
    """

    key: str
    captures: tuple[Capture, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function used as a value (its address taken, a kernel passed to cudaLaunchKernel)."""

    name: str
    qualified: str
    key: str | None
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch: `k<<<grid, block, shared, stream>>>(args)`, or through a runtime call.

    `key` finds the (instantiated) kernel. `shared` and `stream` are None when left out. `via` is `<<<>>>`
    or the runtime function's name. For cudaLaunchKernel `args` are the pointed-to values where the array of
    pointers is visible, else empty. `chevrons` spans `<<<…>>>` for edits. `callee` gives the kernel where only a
    value says which one it is (then `key` is None). `mangled` is the name of a kernel that is only declared here.
    """

    kernel: str
    key: str | None
    grid: Expr
    block: Expr
    shared: Expr | None
    stream: Expr | None
    args: tuple[Expr, ...]
    via: str
    type: Type
    span: Span
    chevrons: Span | None = None
    callee: Expr | None = None
    mangled: str = ""


@dataclass(frozen=True, slots=True)
class New:
    """`new T[count]` or `new T(args)`."""

    element: Type
    count: Expr | None
    args: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Delete:
    """`delete p` or `delete[] p`."""

    operand: Expr
    array: bool
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Throw:
    """`throw expr`."""

    operand: Expr | None
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Unknown:
    """An expression that is not understood: analyses make no claim about it. Parts are kept."""

    reason: str
    parts: tuple[Expr, ...]
    type: Type
    span: Span


Expr = (
    Const
    | Var
    | Builtin
    | Unary
    | Binary
    | Conditional
    | Cast
    | Index
    | Deref
    | Member
    | AddressOf
    | Assign
    | IncDec
    | Call
    | InitList
    | Lambda
    | FunctionName
    | Launch
    | New
    | Delete
    | Throw
    | Unknown
)
