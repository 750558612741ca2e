"""Lower the functions of a translation unit: those that stand in it, and those they lead to."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cudalint.lint.frontend.declarations import (
    ANNOTATION,
    CONSTRUCTOR,
    FUNCTION,
    FUNCTION_TEMPLATE,
    FUNCTIONS,
    LINKAGE,
    NAMESPACE,
    PARAMETER,
    RECORDS,
    UNEXPOSED_DECL,
    VARIABLE,
    Callee,
    Declarations,
    function_kind,
    is_reference,
)
from cudalint.lint.frontend.expressions import INIT_LIST, Frame
from cudalint.lint.frontend.index import CXCursor, children, evaluate, fields, spelling, text_of
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.frontend.statements import COMPOUND, StatementLowering
from cudalint.lint.frontend.types import TypeTable
from cudalint.lint.frontend.values import address_of, is_expression
from cudalint.lint.model.expressions import Expr, Launch, Storage, Symbol
from cudalint.lint.model.program import INSTANCES, Function, FunctionKind, Global, LaunchSite, spread
from cudalint.lint.model.statements import Block, Stmt
from cudalint.lint.model.types import VOID, OpaqueType, PointerType, RecordType

_TRY = 224
_STUB = "__device_stub__"
_TYPE_NAME, _MEMBER_NAME = 43, 47
_TYPEDEF, _ALIAS = 20, 36
_BOUNDS = "__launch_bounds__"
_AMPLE = 400_000
"""Bytes of source, counted anew for each instance, from which on only few instances of a template are lowered."""


@dataclass(frozen=True, slots=True)
class Template:
    """A kernel template of the main file, or a host function template there that launches."""

    cursor: CXCursor
    qualified: str
    place: int
    kernel: bool


class Lowering(StatementLowering):
    """One translation unit's functions, found from its own ones by following references."""

    def __init__(self, types: TypeTable, spans: Spans, declarations: Declarations, main: str) -> None:
        super().__init__(types, spans, declarations)
        self.functions: dict[str, Function] = {}
        self.launches: list[LaunchSite] = []
        self.globals: dict[str, Global] = {}
        self.templates: list[Template] = []
        self.instantiated: set[int] = set()
        self.defines_main = False
        self.synthetic = False
        self.probed: set[str] = set()
        """Instances that were asked for as guesses."""
        self.main = main
        self._queue: deque[Callee] = deque()
        self._instances: dict[str, list[Callee]] = {}
        self._unasked: list[Callee] = []
        self._beside: list[Callee] = []
        """Host functions of headers that this file may use."""
        self._classes: dict[str, tuple[RecordType, CXCursor]] = {}
        """The classes of the host's methods: nothing in this file may construct them."""
        self._volume = 0
        self._queued: set[str] = set()
        self._done: set[str] = set()

    # What to lower

    def refer(self, cursor: CXCursor) -> str | None:
        """Note that a function is used, so that it is lowered; its key when the project defines it."""
        callee = self.declarations.callee(cursor)
        if callee.key is not None:
            self._enqueue(callee)
        return callee.key

    def launched(self, launch: Launch) -> None:
        """Record a launch in the function that is being lowered."""
        self.launches.append(LaunchSite(launch, self.frame.key))

    def skip(self, keys: set[str]) -> None:
        """Take functions as lowered already."""
        self._done |= keys

    def _enqueue(self, callee: Callee) -> None:
        key = callee.key
        if key is None or key in self._queued:
            return
        self._queued.add(key)
        if callee.definition is not None and callee.template_args:
            self.instantiated.add(self.lib.clang_getCursorLocation(callee.definition).raw)
        if key in self._done:
            return
        if callee.kind is FunctionKind.KERNEL and callee.template_args:
            self._instances.setdefault(callee.pattern, []).append(callee)
        else:
            self._queue.append(callee)

    def demand(self, cursor: CXCursor) -> str | None:
        """Lower a function whatever other instances of it there are; its key when the project defines it."""
        callee = self.declarations.callee(cursor)
        if callee.key is not None and callee.key not in self._done:
            self._queued.add(callee.key)
            self._queue.append(callee)
        return callee.key

    def scan(self, cursor: CXCursor) -> None:
        """Find the functions, variables and kernel templates that stand in project files."""
        for child in children(cursor):
            file = self.spans.file_of(self.lib.clang_getCursorLocation(child))
            if file is None or file.system:
                continue
            self._scan_one(child, own=file.path == self.main)

    def _scan_one(self, cursor: CXCursor, *, own: bool) -> None:
        kind = cursor.kind
        if kind in FUNCTIONS:
            self._scan_function(cursor, own=own)
        elif kind == VARIABLE:
            self._scan_variable(cursor)
        elif kind in (_TYPEDEF, _ALIAS):
            if self.declarations.damage.within(self.span(cursor)):
                self.declarations.damage.names.add(spelling(cursor))
        elif kind == FUNCTION_TEMPLATE and own:  # a header's own templates are asked for when it is read itself
            self._scan_template(cursor)
        elif kind in (NAMESPACE, LINKAGE, UNEXPOSED_DECL) or kind in RECORDS:
            for child in children(cursor):
                self._scan_one(child, own=own)

    def _scan_function(self, cursor: CXCursor, *, own: bool) -> None:
        callee = self.declarations.callee(cursor)
        if callee.key is None:
            return
        if callee.name == "main" and own:
            self.defines_main = True
        if callee.kind is FunctionKind.KERNEL or (own and not callee.template_args):
            self._enqueue(callee)
        elif callee.kind is not FunctionKind.HOST:
            self._unasked += [callee] if own else []
        elif own:
            self._enqueue(callee)
        else:
            self._beside.append(callee)

    def _scan_template(self, cursor: CXCursor) -> None:
        if not _has_body(cursor):
            return
        kernel = function_kind(cursor) is FunctionKind.KERNEL
        if kernel or b"<<<" in self._text(cursor):
            scope, name = self.declarations.scope(cursor), spelling(cursor)
            place = self.lib.clang_getCursorLocation(cursor).raw
            self.templates.append(Template(cursor, f"{scope}::{name}" if scope else name, place, kernel))

    def _text(self, cursor: CXCursor) -> bytes:
        """The text of a declaration."""
        span = self.span(cursor)
        file = self.spans.files.get(span.file)
        return file.data[span.offset : span.end_offset] if file is not None else b""

    def missing(self) -> list[Template]:
        """The templates that nothing instantiates so far."""
        return [template for template in self.templates if template.place not in self.instantiated]

    def _scan_variable(self, cursor: CXCursor) -> None:
        symbol = self.declarations.symbol(cursor)
        init = self._initialiser(cursor, symbol.type)
        known = self.globals.get(symbol.key)
        if known is None or (known.init is None and init is not None):
            self.globals[symbol.key] = Global(symbol, init)

    def run(self) -> None:
        """Lower everything that was found, and what it refers to.

        Kernel templates come last: where they have many instances, a few of each are lowered, those that `Unit`
        would choose, and more of them only as long as that is little work.
        """
        self._enqueue_launchers()
        self._drain()
        while self._instances:
            waiting, self._instances = self._instances, {}
            self._lower_some(waiting)
        unasked: dict[str, list[Callee]] = {}
        for callee in self._unasked:
            unasked.setdefault(callee.pattern, []).append(callee)
        self._unasked = []
        self._lower_some(unasked)
        classes, self._classes = self._classes, {}
        for record, cursor in classes.values():
            self._construct_by_default(record, cursor)

    def _enqueue_launchers(self) -> None:
        """Take host functions of headers that launch, or that name a kernel of this unit for others to launch."""
        names = {callee.name for same in self._instances.values() for callee in same}
        names |= {callee.name for callee in self._queue if callee.kind is FunctionKind.KERNEL}
        telling = re.compile(rb"<<<|\b(?:%s)\b" % b"|".join(re.escape(name.encode()) for name in sorted(names)))
        for callee in self._beside if names else ():
            if callee.definition is not None and telling.search(self._text(callee.definition)):
                self._enqueue(callee)
        self._beside = []

    def _lower_some(self, waiting: Mapping[str, list[Callee]]) -> None:
        """All instances of each template, or a few where all would be much."""
        for same in waiting.values():
            before = self._volume
            chosen = spread(sorted(same, key=lambda callee: callee.key or ""), INSTANCES)
            self._queue.extend(chosen)
            self._drain()
            others = len(same) - len(chosen)
            if others and self._volume + (self._volume - before) // len(chosen) * others <= _AMPLE:
                self._queue.extend(same)
                self._drain()

    def _drain(self) -> None:
        while self._queue:
            callee = self._queue.popleft()
            if callee.key is not None and callee.definition is not None and callee.key not in self._done:
                self._done.add(callee.key)
                function = self.functions[callee.key] = self.function(callee, callee.definition)
                if function.receiver is not None and function.kind is FunctionKind.HOST and not callee.template_args:
                    parent = self.lib.clang_getCursorSemanticParent(callee.definition)
                    self._classes.setdefault(function.receiver.key, (function.receiver, parent))
                if callee.template_args:
                    self._volume += function.span.end_offset - function.span.offset

    # One function

    def function(self, callee: Callee, definition: CXCursor) -> Function:
        """Lower one function with its body."""
        record = self._receiver_record(definition)
        this: Symbol | None = None
        if not callee.static and (record is not None or definition.kind != FUNCTION):
            of = PointerType(record or OpaqueType(self.declarations.scope(definition)))
            this = self.declarations.made_up(-definition.d0, "this", of, Storage.PARAM, definition)
        outer = self.frame
        self.frame = Frame(callee.key or callee.qualified, callee.result, this, self._kind(callee))
        try:
            return self._function(callee, definition, record, this)
        finally:
            self.frame = outer

    def _function(
        self, callee: Callee, definition: CXCursor, record: RecordType | None, this: Symbol | None
    ) -> Function:
        parts = children(definition)
        params = tuple(self.declarations.symbol(part) for part in parts if part.kind == PARAMETER)
        initializers = (
            self._initializers(definition, parts, record) if definition.kind == CONSTRUCTOR and record else ()
        )
        body = next((part for part in reversed(parts) if part.kind in (COMPOUND, _TRY)), None)
        lowered = self._body(body) if body is not None else None
        if lowered is not None and self.declarations.damage:
            lowered = self._mended(lowered)
        location = self.lib.clang_getCursorLocation(definition)
        return Function(
            key=callee.key or callee.qualified,
            pattern=callee.pattern,
            name=callee.name,
            qualified=callee.qualified,
            kind=self._kind(callee),
            params=params,
            result=callee.result,
            body=lowered,
            span=self.span(definition),
            name_span=self.spans.name(location, len(callee.name.encode())),
            template_args=callee.template_args,
            launch_bounds=self._launch_bounds(parts),
            receiver=record,
            this=this,
            synthetic=self.synthetic,
            initializers=initializers,
            mangled=self.mangled(callee, definition),
        )

    def mangled(self, callee: Callee, cursor: CXCursor) -> str:
        """The name of a kernel's device code: clang gives that of the host's stub, which has a prefix."""
        if self._kind(callee) is not FunctionKind.KERNEL:
            return ""
        name = callee.name
        stub = text_of(self.lib.clang_Cursor_getMangling(cursor))
        longer = f"{len(name) + len(_STUB)}{_STUB}{name}"
        return stub.replace(longer, f"{len(name)}{name}", 1).removeprefix(_STUB)

    def _mended(self, body: Block) -> Block:
        mended = self.declarations.damage.mend(body)
        return mended if isinstance(mended, Block) else Block((mended,), body.span)

    def _kind(self, callee: Callee) -> FunctionKind:
        return self.lambda_kinds.get(callee.key or "", callee.kind)

    def _body(self, cursor: CXCursor) -> Block:
        if cursor.kind == COMPOUND:
            return self.block(cursor)
        stmt: Stmt = self.statement(cursor)
        return Block((stmt,), self.span(cursor))

    def _receiver_record(self, definition: CXCursor) -> RecordType | None:
        if definition.kind == FUNCTION:
            return None
        parent = self.lib.clang_getCursorSemanticParent(definition)
        if parent.kind not in RECORDS:
            return None
        of = self.types.of(parent)
        return of if isinstance(of, RecordType) else None

    def _initializers(
        self, definition: CXCursor, parts: list[CXCursor], record: RecordType
    ) -> tuple[tuple[str, Expr], ...]:
        """What a constructor sets before its body: `: field(value)`, and the defaults of the fields it leaves out.

        A base class constructor stands under the base's name.
        """
        found: dict[str, Expr] = {}
        name = ""
        for part in parts:
            if part.kind == _MEMBER_NAME:
                name = spelling(part)
            elif part.kind == _TYPE_NAME:
                name = self.types.spelled(self.lib.clang_getCursorType(part))
            elif name and is_expression(part):
                found[name] = self._field_value(record, name, part)
                name = ""
        return self._with_defaults(found, record, self.lib.clang_getCursorSemanticParent(definition))

    def _with_defaults(
        self, found: dict[str, Expr], record: RecordType, parent: CXCursor
    ) -> tuple[tuple[str, Expr], ...]:
        for cursor in fields(self.lib.clang_getCursorType(parent)):
            default = self._default_of(cursor)
            field_name = spelling(cursor)
            if default is not None and field_name not in found:
                found[field_name] = self._field_value(record, field_name, default)
        return tuple(found.items())

    def _construct_by_default(self, record: RecordType, parent: CXCursor) -> None:
        """The constructor that a class without one has, where its fields have defaults and nothing here calls it."""
        name = spelling(parent)
        key = f"{record.key}::{name}()"
        if key in self.functions or any(child.kind == CONSTRUCTOR for child in children(parent)):
            return
        this = self.declarations.made_up(-parent.d0, "this", PointerType(record), Storage.PARAM, parent)
        outer, self.frame = self.frame, Frame(key, VOID, this, FunctionKind.HOST)
        try:
            defaults = self._with_defaults({}, record, parent)
        finally:
            self.frame = outer
        span = self.span(parent)
        if defaults:
            self.functions[key] = Function(
                key, key, name, key.removesuffix("()"), FunctionKind.HOST, (), VOID, Block((), span), span, span,
                receiver=record, this=this, initializers=defaults,
            )  # fmt: skip

    def _field_value(self, record: RecordType, name: str, cursor: CXCursor) -> Expr:
        value = self.expression(cursor)
        field = record.field(name)
        if field is None:
            return value
        return (
            address_of(value, field.type, value.span) if is_reference(field.type) else self.coerced(value, field.type)
        )

    def _default_of(self, field: CXCursor) -> CXCursor | None:
        """The initialiser in a field's declaration: an expression after the name that is no extent or bit width."""
        last = children(field)[-1:]
        if not last or not is_expression(last[0]):
            return None
        span = self.span(field)
        file = self.spans.files.get(span.file)
        start = self.span(last[0]).offset
        before = file.data[span.offset : start] if file else b""
        braces = last[0].kind == INIT_LIST or (file is not None and file.data[start : start + 1] == b"{")
        listed = braces and not before.rstrip().endswith(b"[")
        return last[0] if listed or before.rstrip().endswith(b"=") else None

    def _launch_bounds(self, parts: list[CXCursor]) -> tuple[int | None, int | None] | None:
        for part in parts:
            if part.kind == ANNOTATION and spelling(part) == _BOUNDS:
                values = [evaluate(child) for child in children(part) if is_expression(child)]
                bounds = [value if isinstance(value, int) else None for value in (*values, None, None)]
                return bounds[0], bounds[1]
        return None

    # Templates that nothing instantiates

    def pattern(self, template: Template) -> Function:
        """A kernel template lowered as it is written: what depends on its parameters is unknown."""
        place = self.span(template.cursor)
        key = f"{template.qualified}@{place.file}:{place.line}:{place.column}"
        name = spelling(template.cursor)
        of = self.lib.clang_getCursorType(template.cursor)
        result = self.types.lower(self.lib.clang_getResultType(of))
        callee = Callee(
            cursor=template.cursor,
            definition=template.cursor,
            name=name,
            qualified=template.qualified,
            key=key,
            pattern=key,
            system=False,
            kind=FunctionKind.KERNEL,
            static=True,
            defaulted=False,
            result=result,
            params=(),
            writable=(False,),
            template_args=(),
            own_args=(),
        )
        outer, self.frame = self.frame, Frame(key, result, None, FunctionKind.KERNEL)
        try:
            function = self._function(callee, template.cursor, None, None)
        finally:
            self.frame = outer
        return replace(function, synthetic=True)


def _has_body(cursor: CXCursor) -> bool:
    return any(child.kind == COMPOUND for child in children(cursor))
