"""Types of the model. Sizes and alignments are bytes, as on a 64-bit CUDA host and device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VoidType:
    """No value."""

    size: int = 0


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer, bool (8 bits, unsigned, name 'bool'), character or enumeration type."""

    bits: int
    signed: bool
    name: str

    @property
    def size(self) -> int:
        """Bytes."""
        return self.bits // 8


@dataclass(frozen=True, slots=True)
class FloatType:
    """A floating-point type: half (16), __nv_bfloat16 (16), float (32), double (64)."""

    bits: int
    name: str

    @property
    def size(self) -> int:
        """Bytes."""
        return self.bits // 8


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer, or a C++ reference (`reference` true: the symbol *is* an address, uses dereference it)."""

    pointee: Type
    const: bool = False
    restrict: bool = False
    volatile: bool = False
    reference: bool = False
    size: int = 8


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array; `count` is None when the extent is not known (`extern __shared__ float s[]`)."""

    element: Type
    count: int | None

    @property
    def size(self) -> int:
        """Bytes; 0 when the extent is not known."""
        return self.element.size * (self.count or 0)


@dataclass(frozen=True, slots=True)
class Field:
    """A data member of a record, `offset` bytes from its start. Base-class members are flattened in."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True, slots=True)
class RecordType:
    """A struct, class or union; vector types (float4) and dim3 are records too.

    `key` identifies the declaration; `fields` is empty when the record is incomplete. A record that
    contains a pointer to itself refers to itself by an `OpaqueType` with the same name.
    """

    name: str
    key: str
    size: int
    align: int
    fields: tuple[Field, ...] = ()
    union: bool = False

    def field(self, name: str) -> Field | None:
        """The field of that name, if there is one."""
        return next((f for f in self.fields if f.name == name), None)


@dataclass(frozen=True, slots=True)
class FunctionType:
    """The type of a function or of what a function pointer points to."""

    result: Type
    params: tuple[Type, ...]
    size: int = 1


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type that is not understood (missing header, dependent, library handle). `size` 0 if unknown."""

    name: str
    size: int = 0


Type = VoidType | IntType | FloatType | PointerType | ArrayType | RecordType | FunctionType | OpaqueType

VOID = VoidType()
BOOL = IntType(8, False, "bool")
INT = IntType(32, True, "int")
UINT = IntType(32, False, "unsigned int")
LONG = IntType(64, True, "long")
SIZE_T = IntType(64, False, "unsigned long")
FLOAT = FloatType(32, "float")
DOUBLE = FloatType(64, "double")


def spelled(of: Type) -> str:
    """The type as a C++ programmer would write it, for messages."""
    match of:
        case VoidType():
            return "void"
        case PointerType(pointee=pointee, const=const, reference=reference):
            return f"{'const ' if const else ''}{spelled(pointee)}{'&' if reference else '*'}"
        case ArrayType(element=element, count=count):
            dims = f"[{'' if count is None else count}]"
            while isinstance(element, ArrayType):
                dims += f"[{'' if element.count is None else element.count}]"
                element = element.element
            return spelled(element) + dims
        case FunctionType(result=result, params=params):
            return f"{spelled(result)}({', '.join(map(spelled, params))})"
        case _:
            return of.name
