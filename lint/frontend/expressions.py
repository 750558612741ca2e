"""Lower expressions. Calls, launches and lambdas are in calls.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from cudalint.lint.frontend.declarations import (
    ENUMERATOR,
    FIELD,
    FUNCTIONS,
    PARAMETER,
    UNEXPOSED_DECL,
    VARIABLE,
    Declarations,
    is_reference,
    pointee_of,
    record_of,
)
from cudalint.lint.frontend.index import CXCursor, children, evaluate, library, outnumber, spelling
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.frontend.types import TypeTable, is_opaque, same
from cudalint.lint.frontend.values import (
    address_of,
    dereferenced,
    is_expression,
    number_value,
    reinterprets,
    same_shape,
    scalars,
    string_value,
)
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Delete,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Index,
    InitList,
    Lambda,
    Member,
    New,
    Storage,
    Symbol,
    Throw,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import FunctionKind
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import (
    INT,
    VOID,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
    VoidType,
)

UNEXPOSED, DECL_REF, MEMBER_REF, CALL = 100, 101, 102, 103
INIT_LIST = 119
_REFERENCES = frozenset(range(40, 51))
_DEPTH = 300
"""Expressions nested deeper than this are not lowered: machine-made tables, not kernels."""
_TABLE = 4096
"""Initialiser lists of arrays with more expressions are not lowered: data, which costs 25 us an element."""

_BINARY = {
    3: "*", 4: "/", 5: "%", 6: "+", 7: "-", 8: "<<", 9: ">>", 11: "<", 12: ">", 13: "<=", 14: ">=", 15: "==",
    16: "!=", 17: "&", 18: "^", 19: "|", 20: "&&", 21: "||", 33: ",",
}  # fmt: skip
_ASSIGN = {
    22: "=", 23: "*=", 24: "/=", 25: "%=", 26: "+=", 27: "-=", 28: "<<=", 29: ">>=", 30: "&=", 31: "^=", 32: "|=",
}  # fmt: skip
_SIZEOF = 136
"""CXCursorKind: sizeof and its kin."""
_UNARY = {7: "+", 8: "-", 9: "~", 10: "!"}
_STEP = {1: ("++", False), 2: ("--", False), 3: ("++", True), 4: ("--", True)}
_TRIPLES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_NUMBER = re.compile(rb"\.?\d(?:[eEpP][+-]|[\w.'])*")
_CAST_KINDS = {117: "c", 124: "static", 125: "dynamic", 126: "reinterpret", 127: "const", 128: "functional"}


class Frame:
    """What lowering keeps while it is inside one function."""

    def __init__(self, key: str, result: Type, this: Symbol | None, kind: FunctionKind) -> None:
        self.key = key
        self.kind = kind
        self.result = result
        self.this = this
        self.inits: dict[str, Expr] = {}
        self.members: dict[tuple[str, str], Expr] = {}


class ExpressionLowering:
    """Expressions of one translation unit."""

    def __init__(self, types: TypeTable, spans: Spans, declarations: Declarations) -> None:
        self.lib = library()
        self.types = types
        self.spans = spans
        self.declarations = declarations
        self.frame = Frame("", VOID, None, FunctionKind.HOST)
        self.lambda_kinds: dict[str, FunctionKind] = {}
        """Where lambdas without attributes of their own run: where they stand."""
        self._nesting = 0
        self._handlers: dict[int, Callable[[CXCursor], Expr]] = {
            UNEXPOSED: self._unexposed,
            DECL_REF: self._name,
            MEMBER_REF: self._member,
            CALL: self.call,
            106: self._literal,
            107: self._literal,
            108: self._not_understood,
            109: self._literal,
            110: self._literal,
            111: self._parenthesised,
            112: self._unary,
            113: self._subscript,
            114: self._binary,
            115: self._binary,
            116: self._conditional,
            118: self._compound_literal,
            INIT_LIST: self._init_list,
            123: self._null,
            129: self._constant,
            130: self._literal,
            131: self._null,
            132: self._this,
            133: self._throw,
            134: self._new,
            135: self._delete,
            _SIZEOF: self._constant,
            143: self._constant,
            144: self.lambda_expression,
            **dict.fromkeys(_CAST_KINDS, self._cast),
        }

    def call(self, cursor: CXCursor) -> Expr:
        """A call of any kind."""
        raise NotImplementedError

    def lambda_expression(self, cursor: CXCursor) -> Expr:
        """A lambda."""
        raise NotImplementedError

    def refer(self, cursor: CXCursor) -> str | None:
        """Note that a function is used, so that it is lowered; its key when the project defines it."""
        raise NotImplementedError

    def span(self, cursor: CXCursor) -> Span:
        """Where a cursor stands."""
        return self.spans.of(self.lib.clang_getCursorExtent(cursor))

    def expression(self, cursor: CXCursor) -> Expr:
        """Lower one expression. Never fails: what is not understood is `Unknown`."""
        handler = self._handlers.get(cursor.kind)
        if handler is None:
            return self._not_understood(cursor)
        self._nesting += 1
        try:
            if self._nesting > _DEPTH:
                return self.unknown(cursor, "expression nested too deeply", ())
            return handler(cursor)
        finally:
            self._nesting -= 1

    def parts(self, cursor: CXCursor) -> list[CXCursor]:
        """The children that are expressions."""
        return [child for child in children(cursor) if is_expression(child)]

    def unknown(self, cursor: CXCursor, reason: str, parts: tuple[Expr, ...]) -> Unknown:
        """An expression that is not understood."""
        return Unknown(reason, parts, self.types.of(cursor), self.span(cursor))

    def _not_understood(self, cursor: CXCursor) -> Expr:
        parts = tuple(self.expression(child) for child in self.parts(cursor))
        return self.unknown(cursor, _REASONS.get(cursor.kind, f"expression of kind {cursor.kind}"), parts)

    # Names and literals

    def _literal(self, cursor: CXCursor) -> Expr:
        span = self.span(cursor)
        of = self.types.of(cursor)
        text = self._written(span) if cursor.kind in (106, 107) else None
        value: int | float | str | None = number_value(text, of) if text else None
        if value is None:
            value = string_value(spelling(cursor)) if cursor.kind == 109 else evaluate(cursor)
        if value is None:
            return Unknown("literal", (), of, span)
        if cursor.kind == 130:
            value = bool(value)
        return Const(value, of, span, name=self._macro_name(span), text=text)

    def _written(self, span: Span) -> str | None:
        """A number as it is spelled in the source; None where a macro produced it."""
        file = self.spans.files.get(span.file)
        match = _NUMBER.match(file.data, span.offset, span.end_offset) if file else None
        return match.group().decode() if match else None

    def _macro_name(self, span: Span) -> str | None:
        """The macro's name when a constant is all that an object-like macro stands for."""
        if span.macro and len(span.macro) == span.end_offset - span.offset:
            return span.macro
        return None

    def _constant(self, cursor: CXCursor) -> Expr:
        value = evaluate(cursor)
        of = self.types.of(cursor)
        if value is None:
            return self._not_understood(cursor)
        if isinstance(of, OpaqueType | RecordType):
            of = INT
        span = self.span(cursor)
        return Const(
            value, of, span, measured=self._measured(cursor, value, span) if cursor.kind == _SIZEOF else None
        )

    def _measured(self, cursor: CXCursor, size: object, span: Span) -> Type | None:
        """What a sizeof measures: libclang shows an operand or a type's name, but no made-up types."""
        for part in children(cursor):
            of = self.types.of(part)
            if of.size == size:
                return of
        file = self.spans.files.get(span.file)
        pointer = file is not None and file.data[span.offset : span.end_offset].rstrip(b") \t").endswith(b"*")
        return PointerType(VOID) if pointer and size == PointerType(VOID).size else None

    def _null(self, cursor: CXCursor) -> Expr:
        return Const(0, PointerType(VOID), self.span(cursor))

    def _this(self, cursor: CXCursor) -> Expr:
        of = self.types.of(cursor)
        if self.frame.this is None:
            return self.unknown(cursor, "this", ())
        return Var(self.frame.this, of, self.span(cursor))

    def _name(self, cursor: CXCursor) -> Expr:
        target = self.lib.clang_getCursorReferenced(cursor)
        if target.kind in (VARIABLE, PARAMETER):
            return self.variable(target, cursor)
        return self._other_name(cursor, target)

    def variable(self, target: CXCursor, cursor: CXCursor) -> Expr:
        """A use of a variable or parameter: its value when it is a constant."""
        if self.declarations.unsound(target):
            return self.unknown(cursor, "variable of an unknown type", ())
        symbol = self.declarations.symbol(target)
        span = self.span(cursor)
        if symbol.const and target.kind != PARAMETER:
            value = self.declarations.value(target)
            if value is not None:
                return Const(value, symbol.type, span, name=symbol.name)
        if symbol.storage is Storage.HOST and (symbol.name in _TRIPLES or symbol.name == "warpSize"):
            file = self.spans.file_of(self.lib.clang_getCursorLocation(target))
            if file and file.system:
                return Builtin(symbol.name, "", symbol.type, span)
        return dereferenced(Var(symbol, symbol.type, span))

    def _other_name(self, cursor: CXCursor, target: CXCursor) -> Expr:
        span = self.span(cursor)
        if target.kind == ENUMERATOR:
            value = self.declarations.value(target)
            if value is not None:
                return Const(value, self.types.of(cursor), span, name=spelling(target))
        if target.kind in FUNCTIONS:
            callee = self.declarations.callee(target)
            return FunctionName(callee.name, callee.qualified, self.refer(target), self.types.of(cursor), span)
        inner = self.parts(cursor)
        if len(inner) == 1:  # a template parameter's value
            argument = self.expression(inner[0])
            if isinstance(argument, Const):
                return replace(argument, span=span, name=self._source_name(span), text=None)
            return argument
        known = evaluate(cursor)
        if isinstance(known, int | float):
            return Const(known, self.types.of(cursor), span, name=spelling(cursor) or None)
        binding = self.declarations.binding(target)
        if binding is not None:
            return binding if isinstance(binding, Deref) else replace(binding, span=span)
        if target.kind == UNEXPOSED_DECL and self.lib.clang_Cursor_hasVarDeclGlobalStorage(target) >= 0:
            return self.variable(target, cursor)  # an instance of a variable template
        return self.unknown(cursor, f"name {spelling(cursor)}".strip(), ())

    def _source_name(self, span: Span) -> str | None:
        file = self.spans.files.get(span.file)
        return file.identifier(span.offset) if file else None

    def _member(self, cursor: CXCursor) -> Expr:
        target = self.lib.clang_getCursorReferenced(cursor)
        if target.kind != FIELD:
            return self._other_member(cursor, target)
        name, offset = self.types.field(target)
        declared = self.types.of(target)
        span = self.span(cursor)
        base_cursor = next((c for c in children(cursor) if is_expression(c)), None)
        if base_cursor is None:
            if self.frame.this is None:
                return self.unknown(cursor, "member without an object", ())
            base: Expr = Var(self.frame.this, self.frame.this.type, span)
        else:
            base = self.expression(base_cursor)
        if self.declarations.unsound(target):
            return self.unknown(cursor, "member of an unknown type", (base,))
        if isinstance(base, Builtin):
            return replace(base, axis=name, type=self.types.of(cursor), span=span)
        record = record_of(base.type)
        if record is not None and self.types.in_anonymous(target) and (flat := record.field(name)) is not None:
            offset = flat.offset  # libclang leaves out the members without a name on the way
        return dereferenced(self._field(base, name, offset, declared, span))

    def _field(self, base: Expr, name: str, offset: int, declared: Type, span: Span) -> Expr:
        """`base.name`, with conversions to base classes folded into the offset."""
        while isinstance(base, Cast) and not base.explicit and same_shape(base.type, base.operand.type):
            outer, inner = pointee_of(base.operand.type), pointee_of(base.type)
            if isinstance(outer, RecordType) and isinstance(inner, RecordType):
                offset += self.types.base_offset(outer, inner)
            base = base.operand
        if isinstance(base, Deref) and not is_reference(base.pointer.type):
            return Member(base.pointer, name, offset, True, declared, span)
        arrow = isinstance(base.type, PointerType)
        return Member(base, name, offset, arrow, declared, span)

    def _other_member(self, cursor: CXCursor, target: CXCursor) -> Expr:
        if target.kind == VARIABLE:
            return self.variable(target, cursor)
        if target.kind == ENUMERATOR or target.kind in FUNCTIONS:
            return self._other_name(cursor, target)
        parts = tuple(self.expression(child) for child in self.parts(cursor))
        return self.unknown(cursor, f"member {spelling(cursor)}", parts)

    # Operators

    def _parenthesised(self, cursor: CXCursor) -> Expr:
        return self.expression(children(cursor)[-1])

    def _unary(self, cursor: CXCursor) -> Expr:
        kind = self.lib.clang_getCursorUnaryOperatorKind(cursor)
        parts = self.parts(cursor)
        if not parts:
            return self.unknown(cursor, "operator without operand", ())
        operand = self.expression(parts[0])
        of = self.types.of(cursor)
        span = self.span(cursor)
        if kind in _UNARY:
            return Unary(_UNARY[kind], operand, of, span)
        if kind in _STEP:
            op, prefix = _STEP[kind]
            return IncDec(op, prefix, operand, of, span)
        if kind == 5:
            return operand if isinstance(operand, FunctionName) else address_of(operand, of, span)
        if kind == 6:
            if isinstance(operand, AddressOf) and not operand.decay:
                return operand.operand
            return operand if isinstance(operand, FunctionName) else Deref(operand, of, span)
        if kind == 13:
            return operand
        return self.unknown(cursor, "operator", (operand,))

    def _binary(self, cursor: CXCursor) -> Expr:
        kind = self.lib.clang_getCursorBinaryOperatorKind(cursor)
        parts = self.parts(cursor)
        if len(parts) != 2:
            return self._not_understood(cursor)
        left, right = self.expression(parts[0]), self.expression(parts[1])
        of = self.types.of(cursor)
        span = self.span(cursor)
        if kind in _BINARY:
            return Binary(_BINARY[kind], left, right, of, span)
        if kind in _ASSIGN:
            if kind == 22:
                self.assigned(left, right)
            return Assign(_ASSIGN[kind], left, right, of, span)
        return self.unknown(cursor, "operator", (left, right))

    def assigned(self, target: Expr, value: Expr) -> None:
        """Remember what a local record's member was last set to: launch configurations are built that way."""
        if isinstance(target, Member) and isinstance(target.base, Var):
            self.frame.members[(target.base.symbol.key, target.field)] = value

    def _conditional(self, cursor: CXCursor) -> Expr:
        parts = self.parts(cursor)
        if len(parts) != 3:
            return self._not_understood(cursor)
        condition, then, otherwise = (self.expression(part) for part in parts)
        return Conditional(condition, then, otherwise, self.types.of(cursor), self.span(cursor))

    def _subscript(self, cursor: CXCursor) -> Expr:
        parts = self.parts(cursor)
        if len(parts) != 2:
            return self._not_understood(cursor)
        base, index = self.expression(parts[0]), self.expression(parts[1])
        if isinstance(index.type, PointerType | ArrayType):
            base, index = index, base
        if isinstance(base, AddressOf) and base.decay:
            base = base.operand
        return Index(base, index, self.types.of(cursor), self.span(cursor))

    # Conversions

    def _unexposed(self, cursor: CXCursor) -> Expr:
        parts = self.parts(cursor)
        of = self.types.of(cursor)
        if len(parts) == 1:
            operand = self.expression(parts[0])
            return operand if operand.type is of else self.converted(operand, of, self.span(cursor))
        if not parts:
            return self._implied(cursor, of)
        if len(parts) == 4:  # `a ?: b` shows as common value, condition, value, otherwise
            condition, then, otherwise = (self.expression(part) for part in parts[1:])
            return Conditional(condition, then, otherwise, of, self.span(cursor))
        lowered = tuple(self.expression(part) for part in parts)
        return Unknown("code that does not compile", lowered, of, self.span(cursor))

    def _implied(self, cursor: CXCursor, of: Type) -> Expr:
        """A default argument, a value initialisation `T()`: a value without parts."""
        span = self.span(cursor)
        value = evaluate(cursor)
        if isinstance(value, int | float):
            return Const(value, of, span)
        if isinstance(of, PointerType):
            return Const(0, of, span)
        if isinstance(of, RecordType | ArrayType):
            return InitList((), of, span)
        if isinstance(of, IntType | FloatType):
            return Unknown("default value", (), of, span)
        return Unknown("code that does not compile", (), of, span)

    def converted(self, operand: Expr, of: Type, span: Span) -> Expr:
        """An implicit conversion of `operand` to type `of`; the operand itself when nothing changes."""
        source = operand.type
        # libclang tells the type of an array parameter as written: reading one is no conversion.
        parameter = isinstance(source, PointerType) and isinstance(of, ArrayType)
        if source is of or isinstance(operand, FunctionName) or parameter:
            return operand
        if isinstance(source, ArrayType) and isinstance(of, PointerType):
            if isinstance(operand, Const):
                return replace(operand, type=of)
            return AddressOf(operand, of, span, decay=True)
        if isinstance(of, PointerType) and isinstance(operand, Const) and operand.value == 0:
            return replace(operand, type=of)
        if same(source, of):
            return operand
        if isinstance(of, OpaqueType):
            return operand if not is_opaque(of) else Unknown("code that does not compile", (operand,), of, span)
        if isinstance(of, RecordType):
            if isinstance(operand, Call | InitList | Lambda | Unknown | Const):
                return operand
            return Cast(operand, of, span)
        if isinstance(operand, Unknown):
            return replace(operand, type=of)
        return Cast(operand, of, span)

    def _cast(self, cursor: CXCursor) -> Expr:
        parts = self.parts(cursor)
        of = self.types.of(cursor)
        span = self.span(cursor)
        if not parts:
            return self._implied(cursor, of)
        operand = self.expression(parts[-1])
        style = _CAST_KINDS[cursor.kind]
        if style == "const":
            return replace(operand, type=of) if isinstance(operand, Cast) else operand
        if isinstance(operand, Cast) and not operand.explicit and same(operand.type, of):
            operand = operand.operand
        if isinstance(operand, FunctionName | InitList | Lambda):
            return operand
        if isinstance(of, RecordType) and (isinstance(operand, Call | Unknown) or same(operand.type, of)):
            return operand
        source = operand.type
        if not isinstance(of, PointerType) and self._to_reference(style, span, operand, of):
            pointer = address_of(operand, PointerType(source), operand.span)
            return Deref(Cast(pointer, PointerType(of), span, explicit=True, reinterpret=True), of, span)
        if isinstance(of, PointerType) and isinstance(operand, Const) and operand.value == 0:
            return replace(operand, type=of, span=span)
        if is_opaque(of):
            return Unknown("cast to a type that is not known", (operand,), of, span)
        return Cast(operand, of, span, explicit=True, reinterpret=reinterprets(source, of))

    def _to_reference(self, style: str, span: Span, operand: Expr, of: Type) -> bool:
        """Whether a cast re-reads an lvalue as another type: `reinterpret_cast<T&>(x)`, `(T&)x`."""
        if (
            not isinstance(operand, Var | Index | Deref | Member)
            or same(operand.type, of)
            or isinstance(of, VoidType)
        ):
            return False
        if style == "reinterpret":
            return not isinstance(operand.type, PointerType)
        if style != "c" or operand.span.offset <= span.offset or span.macro:
            return False
        file = self.spans.files.get(span.file)
        return file is not None and b"&" in file.data[span.offset : operand.span.offset]

    # Aggregates, objects

    def _compound_literal(self, cursor: CXCursor) -> Expr:
        return self.expression(self.parts(cursor)[-1])

    def _init_list(self, cursor: CXCursor) -> Expr:
        of = self.types.of(cursor)
        span = self.span(cursor)
        if isinstance(of, ArrayType) and scalars(of) > _TABLE and outnumber(cursor, _TABLE):
            return Unknown("long table", (), of, span)
        parts = self.parts(cursor)
        if isinstance(of, RecordType):
            return self._record_list(parts, of, span)
        if isinstance(of, ArrayType):
            return self._array_list([self.expression(part) for part in parts], of, span)
        if len(parts) == 1:
            return self.coerced(self.expression(parts[0]), of)
        if not parts and isinstance(of, IntType | FloatType | PointerType):
            return Const(0, of, span)
        return InitList(tuple(self.expression(part) for part in parts), of, span)

    def _record_list(self, parts: list[CXCursor], of: RecordType, span: Span) -> Expr:
        items: dict[int, Expr] = {}
        at = 0
        for part in parts:
            designated = self._designated(part)
            if designated is not None:
                name, part = designated
                at = next((i for i, f in enumerate(of.fields) if f.name == name), at)
            item = self.expression(part)
            if len(parts) == 1 and same(item.type, of):
                return item
            items[at] = self.coerced(item, of.fields[at].type) if at < len(of.fields) else item
            at += 1
        filled = tuple(
            items[i] if i in items else InitList((), of.fields[i].type if i < len(of.fields) else VOID, span)
            for i in range(max(items, default=-1) + 1)
        )
        return InitList(filled, of, span)

    def _designated(self, cursor: CXCursor) -> tuple[str, CXCursor] | None:
        """Field name and value of `.name = value`."""
        if cursor.kind != UNEXPOSED:
            return None
        inner = children(cursor)
        if len(inner) == 2 and inner[0].kind == 47:
            return spelling(inner[0]), inner[1]
        return None

    def _array_list(self, items: list[Expr], of: ArrayType, span: Span) -> Expr:
        element = of.element
        if len(items) == 1 and isinstance(items[0], Const) and isinstance(items[0].value, str):
            return items[0]
        if isinstance(element, ArrayType) and items and not any(isinstance(i, InitList) for i in items):
            step = max(scalars(element), 1)
            groups = [items[i : i + step] for i in range(0, len(items), step)]
            return InitList(tuple(self._array_list(group, element, span) for group in groups), of, span)
        return InitList(tuple(self.coerced(item, element) for item in items), of, span)

    def coerced(self, item: Expr, of: Type) -> Expr:
        """An item of a braced list as its target type: libclang shows lists as written, without conversions."""
        if is_reference(of):
            return address_of(item, of, item.span)
        if isinstance(of, IntType | FloatType) and isinstance(item.type, IntType | FloatType):
            return self.converted(item, of, item.span)
        if isinstance(of, PointerType) and isinstance(item.type, ArrayType):
            return self.converted(item, of, item.span)
        if isinstance(item, InitList) and not item.items and isinstance(of, IntType | FloatType | PointerType):
            return Const(0, of, item.span)
        return item

    def _throw(self, cursor: CXCursor) -> Expr:
        parts = self.parts(cursor)
        return Throw(self.expression(parts[0]) if parts else None, VOID, self.span(cursor))

    def _new(self, cursor: CXCursor) -> Expr:
        of = self.types.of(cursor)
        element = pointee_of(of)
        count: Expr | None = None
        args: tuple[Expr, ...] = ()
        span = self.span(cursor)
        file = self.spans.files.get(span.file)
        for part in self.parts(cursor):
            item = self.expression(part)
            before = file.data[span.offset : item.span.offset].rstrip() if file else b""
            if isinstance(item, Call) and item.constructor:
                args = item.args
            elif before.endswith(b"[") and count is None:
                count = item
            else:
                args = (*args, item)
        return New(element, count, args, of, span)

    def _delete(self, cursor: CXCursor) -> Expr:
        span = self.span(cursor)
        parts = self.parts(cursor)
        if not parts:
            return self._not_understood(cursor)
        operand = self.expression(parts[0])
        file = self.spans.files.get(span.file)
        array = file is not None and b"[" in file.data[span.offset : operand.span.offset]
        return Delete(operand, array, VOID, span)


_REASONS = {
    105: "block expression",
    108: "imaginary number",
    120: "label address",
    121: "statement expression",
    122: "generic selection",
    142: "parameter pack",
    280: "bit cast",
}
