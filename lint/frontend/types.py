"""From libclang's types to the model's, each handle lowered once."""

from __future__ import annotations

from typing import Any

from cudalint.lint.frontend.index import CXCursor, CXType, children, fields, library, spelling, text_of
from cudalint.lint.model.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SIZE_T,
    UINT,
    VOID,
    ArrayType,
    Field,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
)

_BUILTIN: dict[int, Type] = {
    2: VOID,
    3: BOOL,
    4: IntType(8, False, "char"),
    5: IntType(8, False, "unsigned char"),
    6: IntType(16, False, "char16_t"),
    7: IntType(32, False, "char32_t"),
    8: IntType(16, False, "unsigned short"),
    9: UINT,
    10: SIZE_T,
    11: IntType(64, False, "unsigned long long"),
    12: IntType(128, False, "unsigned __int128"),
    13: IntType(8, True, "char"),
    14: IntType(8, True, "signed char"),
    15: IntType(32, True, "wchar_t"),
    16: IntType(16, True, "short"),
    17: INT,
    18: LONG,
    19: IntType(64, True, "long long"),
    20: IntType(128, True, "__int128"),
    21: FLOAT,
    22: DOUBLE,
    23: FloatType(128, "long double"),
    24: PointerType(VOID),
    30: FloatType(128, "__float128"),
    31: FloatType(16, "half"),
    32: FloatType(16, "half"),
    39: FloatType(16, "__nv_bfloat16"),
}
_SCALAR_RECORDS: dict[str, Type] = {
    "__half": FloatType(16, "half"),
    "__nv_bfloat16": FloatType(16, "__nv_bfloat16"),
}
_POINTER, _LREF, _RREF, _RECORD, _ENUM = 101, 103, 104, 105, 106
_FUNCTIONS = (110, 111)
_ARRAYS = (112, 114, 115)
_SIZED = (100, 113, 117, 176)
"""Complex numbers, vector extensions, pointers to members: not understood, but of a known size."""
_BASE_SPECIFIER = 44
_UNION_DECL = 3
_NESTING = 3
"""Records behind pointers inside records are spelled out this deep; further in they are opaque."""


class TypeTable:
    """The types of one translation unit."""

    def __init__(self) -> None:
        self._lib = library()
        self._memo: dict[int, Type] = {}
        self._open: list[int] = []
        self._cut = 0
        self._field_names: dict[int, tuple[str, int]] = {}
        self._anonymous: dict[int, bool] = {}
        self._base_offsets: dict[tuple[str, str], int] = {}

    def of(self, cursor: CXCursor) -> Type:
        """The type of a cursor."""
        return self.lower(self._lib.clang_getCursorType(cursor))

    def lower(self, of: CXType) -> Type:
        """The model's type. Never fails: what is not understood is opaque."""
        handle = of.d0 or 0
        known = self._memo.get(handle)
        if known is not None and handle:
            return known
        before = self._cut
        lowered = self._build(of)
        if self._cut == before:
            self._memo[handle] = lowered
        elif not self._open:
            self._cut = 0
            self._memo[handle] = lowered
        return lowered

    def spelled(self, of: CXType) -> str:
        """The canonical spelling without top-level qualifiers."""
        text = text_of(self._lib.clang_getTypeSpelling(self._lib.clang_getCanonicalType(of)))
        for qualifier in ("const ", "volatile "):
            text = text.removeprefix(qualifier)
        return text

    def field(self, cursor: CXCursor) -> tuple[str, int]:
        """Name and byte offset of a field declaration."""
        found = self._field_names.get(cursor.d0)
        if found is None:
            bits = self._lib.clang_Cursor_getOffsetOfField(cursor)
            name = spelling(cursor)
            anonymous = "(" in name  # libclang describes the record instead
            found = self._field_names[cursor.d0] = ("" if anonymous else name, max(bits, 0) // 8)
        return found

    def in_anonymous(self, cursor: CXCursor) -> bool:
        """Whether a field belongs to an anonymous struct or union: its offset then counts from that one."""
        known = self._anonymous.get(cursor.d0)
        if known is None:
            parent = self._lib.clang_getCursorSemanticParent(cursor)
            known = self._anonymous[cursor.d0] = bool(self._lib.clang_Cursor_isAnonymousRecordDecl(parent))
        return known

    def base_offset(self, derived: RecordType, base: RecordType) -> int:
        """Where a base class lies in a derived record; 0 when that is not known."""
        return self._base_offsets.get((derived.key, base.key), 0)

    def _build(self, of: CXType) -> Type:
        lib = self._lib
        canonical = lib.clang_getCanonicalType(of)
        kind = canonical.kind
        builtin = _BUILTIN.get(kind)
        if builtin is not None:
            return builtin
        if kind in (_POINTER, _LREF, _RREF):
            return self._pointer(canonical, reference=kind != _POINTER)
        if kind == _RECORD:
            return self._record(canonical)
        if kind in _ARRAYS:
            count = lib.clang_getArraySize(canonical)
            return ArrayType(self.lower(lib.clang_getArrayElementType(canonical)), count if count >= 0 else None)
        if kind == _ENUM:
            declared = lib.clang_getEnumDeclIntegerType(lib.clang_getTypeDeclaration(canonical))
            under = self.lower(declared)
            return IntType(under.bits, under.signed, self.spelled(of)) if isinstance(under, IntType) else INT
        if kind in _FUNCTIONS:
            count = max(lib.clang_getNumArgTypes(canonical), 0)
            params = tuple(self.lower(lib.clang_getArgType(canonical, i)) for i in range(count))
            return FunctionType(self.lower(lib.clang_getResultType(canonical)), params)
        # libclang stops the process when asked for the size of a placeholder, such as an overload set
        size = max(lib.clang_Type_getSizeOf(canonical), 0) if kind in _SIZED else 0
        return OpaqueType(self.spelled(of), size)

    def _pointer(self, of: CXType, *, reference: bool) -> PointerType:
        lib = self._lib
        pointee = lib.clang_getPointeeType(of)
        return PointerType(
            self._behind_pointer(pointee),
            const=bool(lib.clang_isConstQualifiedType(self.innermost(pointee))),
            restrict=bool(lib.clang_isRestrictQualifiedType(of)),
            volatile=bool(lib.clang_isVolatileQualifiedType(self.innermost(pointee))),
            reference=reference,
        )

    def innermost(self, of: CXType) -> CXType:
        """The element of nested arrays: qualifiers of an array are those of its elements."""
        while self._lib.clang_getCanonicalType(of).kind in _ARRAYS:
            of = self._lib.clang_getArrayElementType(of)
        return of

    def _behind_pointer(self, pointee: CXType) -> Type:
        if len(self._open) >= _NESTING and self._lib.clang_getCanonicalType(pointee).kind == _RECORD:
            self._cut += 1
            return OpaqueType(self.spelled(pointee), max(self._lib.clang_Type_getSizeOf(pointee), 0))
        return self.lower(pointee)

    def _record(self, of: CXType) -> Type:
        lib = self._lib
        declaration = lib.clang_getTypeDeclaration(of)
        name = self.spelled(of)
        scalar = _SCALAR_RECORDS.get(name)
        if scalar is not None:
            return scalar
        size = lib.clang_Type_getSizeOf(of)
        if declaration.d0 in self._open:
            self._cut += 1
            return OpaqueType(name, max(size, 0))
        if size < 0:
            return RecordType(name, name, 0, 1)
        self._open.append(declaration.d0)
        try:
            members = self._members(of, declaration, name)
        finally:
            self._open.pop()
        align = max(lib.clang_Type_getAlignOf(of), 1)
        return RecordType(name, name, size, align, members, declaration.kind == _UNION_DECL)

    def _members(self, of: CXType, declaration: CXCursor, name: str) -> tuple[Field, ...]:
        lib = self._lib
        members: list[Field] = []
        own = fields(of)
        at = 0
        definition = lib.clang_getCursorDefinition(declaration)
        for child in children(definition) if definition.kind == declaration.kind else ():
            if child.kind == _BASE_SPECIFIER:
                at = self._add_base(members, lib.clang_getCursorType(child), name, at)
        for cursor in own:
            field_name, offset = self.field(cursor)
            field_type = self.of(cursor)
            if not field_name and isinstance(field_type, RecordType):
                members += [Field(f.name, f.type, f.offset + offset) for f in field_type.fields]
            else:
                members.append(Field(field_name, field_type, offset))
        return tuple(members)

    def _add_base(self, members: list[Field], of: CXType, derived: str, at: int) -> int:
        """Flatten a base class in; returns where the next base may start."""
        base = self.lower(of)
        if not isinstance(base, RecordType):
            return at
        at = -(-at // base.align) * base.align if base.fields else 0
        self._base_offsets[(derived, base.key)] = at
        members += [Field(f.name, f.type, f.offset + at) for f in base.fields]
        return at + (base.size if base.fields else 0)


def is_opaque(of: Type) -> bool:
    """Whether nothing is known of a type."""
    return isinstance(of, OpaqueType) and not of.size


def same(left: Any, right: Any) -> bool:
    """Whether two types are represented alike: qualifiers do not matter, nor how a pointer is spelled."""
    if left is right or left == right:
        return True
    match left, right:
        case PointerType(), PointerType():
            return same(left.pointee, right.pointee)
        case ArrayType(), ArrayType():
            return left.count == right.count and same(left.element, right.element)
        case RecordType(), RecordType():
            return bool(left.key == right.key)
        case (RecordType(), OpaqueType()) | (OpaqueType(), RecordType()):
            return bool(left.name == right.name)
        case IntType(), IntType():
            return left.bits == right.bits and left.signed == right.signed and (left is BOOL) == (right is BOOL)
        case _:
            return False
