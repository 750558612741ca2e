"""What lowering knows about declarations: callees, variables, constants. Each is looked at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.frontend.damage import Damage
from cudalint.lint.frontend.index import CXCursor, CXType, children, evaluate, library, spelling, text_of
from cudalint.lint.frontend.spans import SourceFile, Spans
from cudalint.lint.frontend.types import TypeTable
from cudalint.lint.model.expressions import Expr, Storage, Symbol
from cudalint.lint.model.program import FunctionKind, TemplateArg
from cudalint.lint.model.types import ArrayType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type

UNEXPOSED_DECL = 1
STRUCT, UNION, CLASS, ENUM, FIELD, ENUMERATOR, FUNCTION, VARIABLE, PARAMETER = 2, 3, 4, 5, 6, 7, 8, 9, 10
METHOD, NAMESPACE, LINKAGE, CONSTRUCTOR, DESTRUCTOR, CONVERSION = 21, 22, 23, 24, 25, 26
TYPE_PARAMETER, VALUE_PARAMETER, TEMPLATE_PARAMETER = 27, 28, 29
FUNCTION_TEMPLATE, CLASS_TEMPLATE, PARTIAL_SPECIALIZATION = 30, 31, 32
FUNCTIONS = frozenset({FUNCTION, METHOD, CONSTRUCTOR, DESTRUCTOR, CONVERSION})
RECORDS = frozenset({STRUCT, UNION, CLASS})
ANNOTATION = 406
_CONSTANT, _DEVICE, _GLOBAL, _HOST, _SHARED = 412, 413, 414, 415, 416
_WORD = re.compile(r"\w+")
_EXTERN, _STATIC = 2, 3
_SCOPES = frozenset({STRUCT, UNION, CLASS, NAMESPACE, CLASS_TEMPLATE, PARTIAL_SPECIALIZATION})


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that code refers to: `key` is None when no project file defines it."""

    cursor: CXCursor
    definition: CXCursor | None
    name: str
    qualified: str
    key: str | None
    pattern: str
    system: bool
    kind: FunctionKind
    static: bool
    defaulted: bool
    result: Type
    params: tuple[Type, ...]
    writable: tuple[bool, ...]
    """Which parameters, and last the result, are lvalue references to something that is not const."""
    template_args: tuple[TemplateArg, ...]
    own_args: tuple[Type | int, ...]


class Declarations:
    """Callees and variables of one translation unit, by declaration."""

    def __init__(
        self, types: TypeTable, spans: Spans, damage: Damage | None = None, names: dict[str, int] | None = None
    ) -> None:
        """Symbols are numbered by `names`: pass those of an earlier parse to go on from there."""
        self._lib = library()
        self._types = types
        self._spans = spans
        self.damage = damage or Damage()
        self._unsound: dict[int, bool] = {}
        self._callees: dict[int, Callee] = {}
        self._keys: dict[str, int] = {}
        self._named: dict[int, tuple[str, str]] = {}
        self._scopes: dict[int, str] = {}
        self._symbols: dict[int, Symbol] = {}
        self.names: dict[str, int] = {} if names is None else names
        self._values: dict[int, int | float | None] = {}
        self._bindings: dict[int, Expr] = {}

    def callee(self, cursor: CXCursor) -> Callee:
        """What is known of a function declaration."""
        found = self._callees.get(cursor.d0)
        if found is None:
            found = self._callees[cursor.d0] = self._inspect(cursor)
        return found

    def scope(self, cursor: CXCursor) -> str:
        """The namespaces and classes around a declaration, `a::b`; empty at file level."""
        parent = self._lib.clang_getCursorSemanticParent(cursor)
        if parent.kind not in _SCOPES:
            return ""
        known = self._scopes.get(parent.d0)
        if known is None:
            outer, name = self.scope(parent), spelling(parent)
            known = "::".join(part for part in (outer, name) if part and not part.startswith("("))
            self._scopes[parent.d0] = known
        return known

    def template_args(self, cursor: CXCursor) -> Iterator[TemplateArg]:
        """The arguments of a function or class template instance, without those of enclosing classes."""
        lib = self._lib
        count = lib.clang_Cursor_getNumTemplateArguments(cursor)
        if count <= 0:
            return
        names = [
            spelling(child)
            for child in children(lib.clang_getSpecializedCursorTemplate(cursor))
            if child.kind in (TYPE_PARAMETER, VALUE_PARAMETER, TEMPLATE_PARAMETER)
        ]
        for at in range(count):
            kind = lib.clang_Cursor_getTemplateArgumentKind(cursor, at)
            name = names[at] if at < len(names) else ""
            if kind == 1:
                yield TemplateArg(name, self._types.lower(lib.clang_Cursor_getTemplateArgumentType(cursor, at)))
            elif kind == 4:
                yield TemplateArg(name, int(lib.clang_Cursor_getTemplateArgumentValue(cursor, at)))
            else:
                yield TemplateArg(name, "…")

    def _inspect(self, cursor: CXCursor) -> Callee:
        lib = self._lib
        definition = lib.clang_getCursorDefinition(cursor)
        if definition.kind not in FUNCTIONS:
            definition = None
        best = definition or cursor
        file = self._spans.file_of(lib.clang_getCursorLocation(best))
        system = file is None or file.system
        name = spelling(cursor)
        scope = self.scope(cursor)
        parent = lib.clang_getCursorSemanticParent(best)
        outer = tuple(self.template_args(parent)) if parent.kind in RECORDS else ()
        own = tuple(self.template_args(best))
        qualified = f"{scope}::{name}" if scope else name
        of = lib.clang_getCursorType(best)
        declared = [lib.clang_getArgType(of, i) for i in range(max(lib.clang_getNumArgTypes(of), 0))]
        returned = lib.clang_getResultType(of)
        key = pattern = None
        if definition is not None and not system:
            if definition.d0 not in self._named:  # else an earlier declaration has asked
                self._named[definition.d0] = self._key(definition, qualified, own, of, instance=bool(own or outer))
            key, pattern = self._named[definition.d0]
        return Callee(
            cursor=cursor,
            definition=definition,
            name=name,
            qualified=qualified,
            key=key,
            pattern=pattern or qualified,
            system=system,
            kind=function_kind(best),
            static=cursor.kind == FUNCTION or bool(lib.clang_CXXMethod_isStatic(cursor)),
            defaulted=cursor.kind != FUNCTION and bool(lib.clang_CXXMethod_isDefaulted(cursor)),
            result=self._types.lower(returned),
            params=tuple(self._types.lower(param) for param in declared),
            writable=tuple(self._writable(param) for param in (*declared, returned)),
            template_args=outer + own,
            own_args=tuple(arg.value for arg in own if not isinstance(arg.value, str)),
        )

    def _writable(self, of: CXType) -> bool:
        lib = self._lib
        canonical = lib.clang_getCanonicalType(of)
        if canonical.kind != 103:
            return False
        return not lib.clang_isConstQualifiedType(self._types.innermost(lib.clang_getPointeeType(canonical)))

    def _key(
        self, definition: CXCursor, qualified: str, own: tuple[TemplateArg, ...], of: CXType, *, instance: bool
    ) -> tuple[str, str]:
        """A readable key, unique per instance, and the key that all instances share."""
        lib = self._lib
        parent = lib.clang_getCursorSemanticParent(definition)
        place = self._spans.of(lib.clang_getCursorExtent(definition))
        base = qualified
        if parent.kind in RECORDS:
            record = self._types.spelled(lib.clang_getCursorType(parent))
            base = f"{record}::{spelling(definition)}"
        if own:
            base += "<" + ", ".join(_argument(arg) for arg in own) + ">"
        count = max(lib.clang_getNumArgTypes(of), 0)
        base += "(" + ", ".join(self._types.spelled(lib.clang_getArgType(of, i)) for i in range(count)) + ")"
        number = self._keys[base] = self._keys.get(base, 0) + 1
        key = base if number == 1 else f"{base}#{number}"
        nested = parent.kind in RECORDS and ("<" in base or "(lambda" in base)
        pattern = f"{qualified}@{place.file}:{place.line}:{place.column}" if instance or nested else key
        return key, pattern

    def symbol(self, cursor: CXCursor) -> Symbol:
        """The symbol of a variable or parameter."""
        found = self._symbols.get(cursor.d0)
        if found is None:
            found = self._symbols[cursor.d0] = self._symbol(cursor)
        return found

    def made_up(self, identity: int, name: str, of: Type, storage: Storage, cursor: CXCursor) -> Symbol:
        """A symbol for something that has no variable of its own, such as `this` or a structured binding."""
        found = self._symbols.get(identity)
        if found is None:
            span = self._spans.of(self._lib.clang_getCursorExtent(cursor))
            found = self._symbols[identity] = Symbol(self._unique(name), name, of, storage, span)
        return found

    def _symbol(self, cursor: CXCursor) -> Symbol:
        lib = self._lib
        name = spelling(cursor)
        of = lib.clang_getCursorType(cursor)
        lowered = OpaqueType("unknown") if self.unsound(cursor) else self._types.lower(of)
        if cursor.kind == PARAMETER and isinstance(lowered, ArrayType):
            # An array parameter is a pointer, though libclang tells its type as written.
            lowered = PointerType(
                lowered.element, const=bool(lib.clang_isConstQualifiedType(self._types.innermost(of)))
            )
        parent = lib.clang_getCursorSemanticParent(cursor)
        at_namespace = cursor.kind != PARAMETER and parent.kind not in FUNCTIONS and parent.kind != FUNCTION_TEMPLATE
        storage = Storage.PARAM if cursor.kind == PARAMETER else self._storage(cursor, at_namespace)
        location = lib.clang_getCursorLocation(cursor)
        scope = self.scope(cursor) if at_namespace else ""
        instance = f"<{self._types.spelled(of)}>" if cursor.kind == UNEXPOSED_DECL else ""
        return Symbol(
            key=f"{scope}::{name}{instance}" if at_namespace else self._unique(name),
            name=name,
            type=lowered,
            storage=storage,
            span=self._spans.name(location, len(name.encode())),
            const=bool(lib.clang_isConstQualifiedType(of)),
            volatile=bool(lib.clang_isVolatileQualifiedType(self._types.innermost(of))),
        )

    def _unique(self, name: str) -> str:
        number = self.names[name] = self.names.get(name, 0) + 1
        return f"{name}#{number}"

    def _storage(self, cursor: CXCursor, at_namespace: bool) -> Storage:
        lib = self._lib
        found = children(cursor)
        attributes = {child.kind for child in found}
        if any(child.kind == ANNOTATION and spelling(child) == "__managed__" for child in found):
            return Storage.MANAGED
        if _SHARED in attributes:
            unsized = lib.clang_getCanonicalType(lib.clang_getCursorType(cursor)).kind == 114
            external = lib.clang_Cursor_getStorageClass(cursor) == _EXTERN
            return Storage.DYNAMIC_SHARED if external or unsized else Storage.SHARED
        if _CONSTANT in attributes:
            return Storage.CONSTANT
        if _DEVICE in attributes:
            return Storage.DEVICE
        if at_namespace:
            return Storage.HOST
        return Storage.STATIC if lib.clang_Cursor_getStorageClass(cursor) == _STATIC else Storage.LOCAL

    def unsound(self, cursor: CXCursor) -> bool:
        """Whether the type of a variable or field is a guess of the parser's: its declaration has an error.

        A field is unsound with any field of its record, for their offsets are.
        """
        if not self.damage:
            return False
        known = self._unsound.get(cursor.d0)
        if known is None:
            known = self._unsound[cursor.d0] = self._guessed(cursor)
        return known

    def _guessed(self, cursor: CXCursor) -> bool:
        lib = self._lib
        extent = self._spans.of(lib.clang_getCursorExtent(cursor))
        if cursor.kind == FIELD:
            if self._record_damaged(lib.clang_getCursorSemanticParent(cursor)):
                return True
        else:
            at = self._spans.name(lib.clang_getCursorLocation(cursor), 0)
            if self.damage.between(extent.file, extent.offset, at.offset):
                return True
        words = set(_WORD.findall(text_of(lib.clang_getTypeSpelling(lib.clang_getCursorType(cursor)))))
        return bool(words & self.damage.names)

    def _record_damaged(self, record: CXCursor) -> bool:
        """Whether a record has an error outside its methods: clang may have left a field out."""
        lib = self._lib
        errors = set(self.damage.within(self._spans.of(lib.clang_getCursorExtent(record))))
        for child in children(record) if errors else ():
            if child.kind in FUNCTIONS or child.kind == FUNCTION_TEMPLATE:
                errors -= set(self.damage.within(self._spans.of(lib.clang_getCursorExtent(child))))
        return bool(errors)

    def bind(self, cursor: CXCursor, value: Expr) -> None:
        """Let a structured binding stand for `value`."""
        self._bindings[cursor.d0] = value

    def binding(self, cursor: CXCursor) -> Expr | None:
        """What a structured binding stands for."""
        return self._bindings.get(cursor.d0)

    def value(self, cursor: CXCursor) -> int | float | None:
        """The value of a constant variable or enumerator; None where it has none at compile time."""
        if cursor.d0 not in self._values:
            self._values[cursor.d0] = self._value(cursor)
        return self._values[cursor.d0]

    def _value(self, cursor: CXCursor) -> int | float | None:
        lib = self._lib
        if cursor.kind == ENUMERATOR:
            return int(lib.clang_getEnumConstantDeclValue(cursor))
        symbol = self.symbol(cursor)
        if not symbol.const or symbol.volatile or not isinstance(symbol.type, IntType | FloatType):
            return None
        value = evaluate(cursor)
        return value if isinstance(value, int | float) else None


def function_kind(cursor: CXCursor) -> FunctionKind:
    """Where a function runs, from its attributes."""
    attributes = {child.kind for child in children(cursor)}
    if _GLOBAL in attributes:
        return FunctionKind.KERNEL
    if _DEVICE in attributes:
        return FunctionKind.HOST_DEVICE if _HOST in attributes else FunctionKind.DEVICE
    return FunctionKind.HOST


def source_file(spans: Spans, cursor: CXCursor) -> SourceFile | None:
    """The file that a declaration's name stands in."""
    return spans.file_of(library().clang_getCursorLocation(cursor))


def _argument(arg: TemplateArg) -> str:
    from cudalint.lint.model.types import spelled

    return str(arg.value) if isinstance(arg.value, int | str) else spelled(arg.value)


def pointee_of(of: Type) -> Type:
    """What a pointer or reference points to; the type itself otherwise."""
    return of.pointee if isinstance(of, PointerType) else of


def is_reference(of: Type) -> bool:
    """Whether a type is a C++ reference."""
    return isinstance(of, PointerType) and of.reference


def record_of(of: Type) -> RecordType | None:
    """The record that a type or its pointee is."""
    of = pointee_of(of)
    return of if isinstance(of, RecordType) else None
