"""Small questions about cursors, types and lowered values that all of lowering asks."""

from __future__ import annotations

from cudalint.lint.frontend.index import CXCursor
from cudalint.lint.frontend.types import same
from cudalint.lint.model.expressions import AddressOf, Call, Deref, Expr, Member, Var
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import ArrayType, FloatType, PointerType, Type, VoidType


def is_expression(cursor: CXCursor) -> bool:
    """Whether a cursor is an expression (and not a statement, declaration or reference)."""
    kind: int = cursor.kind
    return 100 <= kind < 200 or kind == 280


def dereferenced(lvalue: Var | Member | Call | Expr) -> Expr:
    """The object behind a reference; anything else as it is."""
    of = lvalue.type
    if isinstance(of, PointerType) and of.reference:
        return Deref(lvalue, of.pointee, lvalue.span)
    return lvalue


def address_of(operand: Expr, of: Type, span: Span) -> Expr:
    """`&operand`, simplified: the address of a dereference is the pointer."""
    if isinstance(operand, Deref):
        return operand.pointer
    return AddressOf(operand, of, span)


def same_shape(left: Type, right: Type) -> bool:
    """Whether both are pointers or neither is."""
    return isinstance(left, PointerType) == isinstance(right, PointerType)


def reinterprets(source: Type, target: Type) -> bool:
    """Whether a cast between pointers changes what their target is read as, or makes a pointer of an integer."""
    if isinstance(source, PointerType) and isinstance(target, PointerType):
        void = isinstance(source.pointee, VoidType) or isinstance(target.pointee, VoidType)
        return not void and not same(source.pointee, target.pointee)
    return isinstance(source, PointerType) != isinstance(target, PointerType) and not isinstance(target, VoidType)


def scalars(of: Type) -> int:
    """How many elements that are no arrays an array has."""
    if isinstance(of, ArrayType):
        return (of.count or 1) * scalars(of.element)
    return 1


def string_value(quoted: str) -> str:
    """The characters of a string literal as libclang prints it: escaped, in quotes, perhaps with a prefix."""
    body = quoted[quoted.find('"') + 1 : -1]
    if body.isascii():
        body = body.encode("ascii").decode("unicode_escape", "replace")
    try:
        return body.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return body


def number_value(text: str, of: Type) -> int | float | None:
    """The value of a number as written; None when it is not a plain one."""
    plain = text.replace("'", "")
    try:
        if isinstance(of, FloatType):
            if plain[:2] in ("0x", "0X"):
                return float.fromhex(plain.rstrip("lL"))
            return float(plain.rstrip("fFlL"))
        digits = plain.rstrip("uUlL")
        if digits[:1] == "0" and digits.isdigit():
            return int(digits, 8)
        return int(digits, 0)
    except ValueError:
        return None
