"""Lower statements to structured control flow."""

from __future__ import annotations

import re
from collections.abc import Callable

from cudalint.lint.frontend.calls import CallLowering
from cudalint.lint.frontend.declarations import UNEXPOSED_DECL, VARIABLE, Declarations, is_reference
from cudalint.lint.frontend.expressions import INIT_LIST, UNEXPOSED
from cudalint.lint.frontend.index import CXCursor, children, spelling
from cudalint.lint.frontend.spans import Spans, semicolons
from cudalint.lint.frontend.types import TypeTable
from cudalint.lint.frontend.values import address_of, dereferenced, is_expression
from cudalint.lint.model.expressions import Call, Const, Expr, Index, InitList, Member, Storage, Var
from cudalint.lint.model.source import NOWHERE, Span
from cudalint.lint.model.statements import (
    Asm,
    Block,
    Break,
    Case,
    Continue,
    Decl,
    ExprStmt,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    Try,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import INT, ArrayType, RecordType, Type, VoidType

COMPOUND, CASE, DEFAULT, FOR, DECL_STMT = 202, 203, 204, 209, 231
_ATTRIBUTES = range(400, 500)
_IF_CONSTEXPR = re.compile(rb"if\s+constexpr\b")
_STRING = re.compile(rb'"((?:\\.|[^"\\])*)"', re.DOTALL)
_UNROLL_ONCE = re.compile(rb"\s*#?\s*pragma\s+(?:unroll|nounroll)\s*\(?\s*1\b|\s*#\s*pragma\s+nounroll")
_DEPTH = 200


class StatementLowering(CallLowering):
    """Statements of one translation unit."""

    def __init__(self, types: TypeTable, spans: Spans, declarations: Declarations) -> None:
        super().__init__(types, spans, declarations)
        self._depth = 0
        self._statements: dict[int, Callable[[CXCursor], Stmt]] = {
            200: self._attributed,
            201: self._label,
            COMPOUND: self.block,
            205: self._if,
            206: self._switch,
            207: self._while,
            208: self._do,
            FOR: self._for,
            210: self._goto,
            211: self._goto,
            212: lambda cursor: Continue(self.span(cursor)),
            213: lambda cursor: Break(self.span(cursor)),
            214: self._return,
            215: self._asm,
            224: self._try,
            225: self._range_for,
            230: lambda cursor: Block((), self.span(cursor)),
            DECL_STMT: self._declarations,
        }

    def statement(self, cursor: CXCursor) -> Stmt:
        """Lower one statement. Never fails: what is not understood is `UnknownStmt`."""
        if is_expression(cursor):
            expression = self.expression(cursor)
            return ExprStmt(expression, expression.span if expression.span is not NOWHERE else self.span(cursor))
        handler = self._statements.get(cursor.kind)
        if handler is None:
            return self._unknown(cursor, f"statement of kind {cursor.kind}")
        if self._depth > _DEPTH:
            return UnknownStmt("statement nested too deeply", (), self.span(cursor))
        self._depth += 1
        try:
            return handler(cursor)
        finally:
            self._depth -= 1

    def _unknown(self, cursor: CXCursor, reason: str) -> UnknownStmt:
        body = tuple(self.statement(child) for child in children(cursor) if _is_statement(child))
        return UnknownStmt(reason, body, self.span(cursor))

    def block(self, cursor: CXCursor) -> Block:
        """A compound statement."""
        body: list[Stmt] = []
        for child in children(cursor):
            if child.kind == DECL_STMT:
                body += self.declared(child)
            else:
                body.append(self.statement(child))
        return Block(tuple(body), self.span(cursor))

    # Declarations

    def _declarations(self, cursor: CXCursor) -> Stmt:
        declared = self.declared(cursor)
        return declared[0] if len(declared) == 1 else Block(tuple(declared), self.span(cursor))

    def declared(self, cursor: CXCursor) -> list[Stmt]:
        """The variables of a declaration statement; declared types and aliases leave nothing behind."""
        found: list[Stmt] = []
        for child in children(cursor):
            if child.kind == VARIABLE:
                found.append(self.variable_declaration(child))
            elif child.kind == UNEXPOSED_DECL:
                found += self._structured_binding(child)
        return found

    def variable_declaration(self, cursor: CXCursor) -> Decl:
        """One variable with its initialiser."""
        symbol = self.declarations.symbol(cursor)
        init = self._initialiser(cursor, symbol.type)
        if init is not None:
            self.frame.inits[symbol.key] = init
        return Decl(symbol, init, self.span(cursor))

    def _initialiser(self, cursor: CXCursor, of: Type) -> Expr | None:
        initialiser = self.lib.clang_Cursor_getVarDeclInitializer(cursor)
        if not is_expression(initialiser):
            return None
        value = self.expression(initialiser)
        if is_reference(of):
            return address_of(value, of, value.span)
        if isinstance(value, Call) and value.constructor and not value.args and value.key is None:
            return None if self._plain(of) else value
        if initialiser.kind == INIT_LIST:
            return self.coerced(value, of)
        return value

    def _plain(self, of: Type) -> bool:
        """Whether default construction does nothing: aggregates of numbers and pointers."""
        if isinstance(of, ArrayType):
            return self._plain(of.element)
        if isinstance(of, RecordType):
            return bool(of.fields) and "std::" not in of.name and all(self._plain(f.type) for f in of.fields)
        return True

    def _structured_binding(self, cursor: CXCursor) -> list[Stmt]:
        parts = children(cursor)
        value = next((self.expression(part) for part in parts if is_expression(part)), None)
        of = self.types.of(cursor)
        span = self.span(cursor)
        symbol = self.declarations.made_up(cursor.d0, spelling(cursor), of, Storage.LOCAL, cursor)
        if value is None:
            return [UnknownStmt("structured binding", (), span)]
        target = dereferenced(Var(symbol, of, span))
        for at, part in enumerate(part for part in parts if part.kind == UNEXPOSED_DECL):
            bound = self._bound(target, at, part)
            if bound is not None:
                self.declarations.bind(part, bound)
        return [Decl(symbol, address_of(value, of, span) if is_reference(of) else value, span)]

    def _bound(self, target: Expr, at: int, part: CXCursor) -> Expr | None:
        of = target.type
        span = self.span(part)
        if isinstance(of, RecordType) and at < len(of.fields) and "std::" not in of.name:
            field = of.fields[at]
            return dereferenced(Member(target, field.name, field.offset, False, field.type, span))
        if isinstance(of, ArrayType):
            return Index(target, Const(at, INT, span), of.element, span)
        return None

    # Branches

    def _if(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        span = self.span(cursor)
        init: list[Stmt] = []
        while parts and (parts[0].kind in (DECL_STMT, VARIABLE) or self._is_init(parts)):
            first = parts.pop(0)
            init += self._init(first)
        if len(parts) < 2:
            return self._unknown(cursor, "if without a condition")
        condition = self.expression(parts[0])
        then = self.statement(parts[1])
        otherwise = self.statement(parts[2]) if len(parts) > 2 else None
        file = self.spans.files.get(span.file)
        constexpr = bool(file and _IF_CONSTEXPR.match(file.data, span.offset))
        return If(condition, then, otherwise, span, condition.span, tuple(init), constexpr)

    def _is_init(self, parts: list[CXCursor]) -> bool:
        """Whether the first of four parts is an init statement: the fourth then is the else branch."""
        return len(parts) > 3

    def _init(self, cursor: CXCursor) -> list[Stmt]:
        if cursor.kind == DECL_STMT:
            return self.declared(cursor)
        if cursor.kind == VARIABLE:
            return [self.variable_declaration(cursor)]
        return [self.statement(cursor)]

    def _switch(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        if len(parts) < 2:
            return self._unknown(cursor, "switch without a condition")
        init = [stmt for part in parts[:-2] for stmt in self._init(part)]
        condition = self.expression(parts[-2])
        span = self.span(cursor)
        switch = Switch(condition, self._cases(parts[-1]), span, condition.span)
        return Block((*init, switch), span) if init else switch

    def _cases(self, body: CXCursor) -> tuple[Case, ...]:
        groups: list[tuple[list[Expr], bool, list[Stmt], Span]] = []
        for child in children(body) if body.kind == COMPOUND else [body]:
            labels: list[Expr] = []
            default = False
            inner: CXCursor | None = child
            while inner is not None and inner.kind in (CASE, DEFAULT):
                parts = children(inner)
                default = default or inner.kind == DEFAULT
                if inner.kind == CASE and parts:
                    labels += self._labels(parts[:-1])
                inner = parts[-1] if parts else None
            if labels or default:
                groups.append((labels, default, [], self.span(child)))
            elif not groups:
                groups.append(([], False, [], self.span(child)))
            if inner is not None:
                statements = self.declared(inner) if inner.kind == DECL_STMT else [self.statement(inner)]
                groups[-1][2].extend(statements)
        return tuple(Case(tuple(labels), default, tuple(body), span) for labels, default, body, span in groups)

    def _labels(self, values: list[CXCursor]) -> list[Expr]:
        """The values of one label: one, or the bounds of a GNU range spelled out."""
        lowered = [self.expression(value) for value in values]
        if len(lowered) == 2 and all(isinstance(v, Const) and isinstance(v.value, int) for v in lowered):
            low, high = (v.value for v in lowered if isinstance(v, Const))
            if isinstance(low, int) and isinstance(high, int) and 0 <= high - low <= 256:
                return [Const(v, lowered[0].type, lowered[0].span) for v in range(low, high + 1)]
        return lowered

    # Loops

    def _for(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        span = self.span(cursor)
        if not parts:
            return self._unknown(cursor, "for without a body")
        body = parts.pop()
        init, variable, condition, step = self._for_parts(parts, span)
        start = self._init(init) if init is not None else []
        if variable is not None:
            return self._unknown(cursor, "variable declared in a for condition")
        lowered = self.expression(condition) if condition is not None else None
        stepped = self.expression(step) if step is not None else None
        head = self._head(span, [part for part in (init, condition, step) if part is not None])
        return For(tuple(start), lowered, stepped, self.statement(body), span, head)

    def _for_parts(
        self, parts: list[CXCursor], span: Span
    ) -> tuple[CXCursor | None, CXCursor | None, CXCursor | None, CXCursor | None]:
        """Init, condition variable, condition and step: libclang leaves out those that are missing."""
        slots: list[CXCursor | None] = [None, None, None]
        variable = next((part for part in parts if part.kind == VARIABLE), None)
        parts = [part for part in parts if part.kind != VARIABLE]
        if len(parts) == 3:
            return parts[0], variable, parts[1], parts[2]
        file = self.spans.files.get(span.file)
        marks = semicolons(file.data, span.offset) if file and span.macro is None else ()
        for at, part in enumerate(parts):
            slot = sum(1 for mark in marks if self.span(part).offset > mark) if len(marks) == 2 else at
            if part.kind == DECL_STMT:
                slot = 0
            slots[min(slot, 2)] = part
        return slots[0], variable, slots[1], slots[2]

    def _head(self, span: Span, parts: list[CXCursor]) -> Span:
        """From the loop's keyword to the closing parenthesis, or to the last part where that is in a macro."""
        file = self.spans.files.get(span.file)
        if file is None or span.macro is not None:
            return self.span(parts[0]) if parts else span
        from cudalint.lint.frontend.spans import closing

        at = file.data.find(b"(", span.offset)
        end = closing(file.data, at) if at >= 0 else span.offset
        line, column = file.position(end)
        return Span(span.file, span.line, span.column, line, column, span.offset, end)

    def _range_for(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        variable = next((part for part in parts if part.kind == VARIABLE), None)
        rest = [part for part in parts if part.kind != VARIABLE]
        if variable is None or len(rest) < 2:
            return self._unknown(cursor, "range-based for")
        span = self.span(cursor)
        container = self.expression(rest[-2])
        symbol = self.declarations.symbol(variable)
        return RangeFor(symbol, container, self.statement(rest[-1]), span, self._head(span, parts[:1]))

    def _while(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        if len(parts) != 2 or not is_expression(parts[0]):
            return self._unknown(cursor, "while with a declaration")
        condition = self.expression(parts[0])
        return While(condition, self.statement(parts[1]), self.span(cursor), condition.span)

    def _do(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        if len(parts) != 2:
            return self._unknown(cursor, "do without a condition")
        body = self.statement(parts[0])
        condition = self.expression(parts[1])
        return While(condition, body, self.span(cursor), condition.span, do=True)

    def _attributed(self, cursor: CXCursor) -> Stmt:
        """A statement with attributes; `#pragma unroll` is one."""
        parts = [child for child in children(cursor) if child.kind not in _ATTRIBUTES]
        inner = [part for part in parts if not is_expression(part)] or parts
        if not inner:
            return self._unknown(cursor, "statement that libclang does not show")
        lowered = self.statement(inner[-1])
        if isinstance(lowered, For):
            file = self.spans.files.get(lowered.span.file)
            start = self.span(cursor).offset
            if file and not _UNROLL_ONCE.match(file.data, max(file.data.rfind(b"\n", 0, start), 0)):
                return For(
                    lowered.init,
                    lowered.condition,
                    lowered.step,
                    lowered.body,
                    lowered.span,
                    lowered.head,
                    unroll=True,
                )
        return lowered

    # Jumps and the rest

    def _goto(self, cursor: CXCursor) -> Stmt:
        return UnknownStmt("goto", (), self.span(cursor))

    def _label(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        body = (self.statement(parts[-1]),) if parts else ()
        return UnknownStmt("label", body, self.span(cursor))

    def _return(self, cursor: CXCursor) -> Stmt:
        parts = [child for child in children(cursor) if is_expression(child)]
        span = self.span(cursor)
        if not parts:
            return Return(None, span)
        value = self.expression(parts[-1])
        result = self.frame.result
        if is_reference(result):
            value = address_of(value, result, value.span)
        elif parts[-1].kind == INIT_LIST or (parts[-1].kind == UNEXPOSED and isinstance(value, InitList)):
            value = self.coerced(value, result)
        if isinstance(result, VoidType) and not isinstance(value.type, VoidType):
            return Block((ExprStmt(value, value.span), Return(None, span)), span)
        return Return(value, span)

    def _asm(self, cursor: CXCursor) -> Stmt:
        span = self.span(cursor)
        operands = tuple(self.expression(child) for child in children(cursor) if is_expression(child))
        file = self.spans.files.get(span.file)
        text = file.data[span.offset : span.end_offset] if file else b""
        template, outputs = _asm_template(text)
        if span.macro is not None:
            outputs = 0
        return Asm(template, operands[:outputs], operands[outputs:], span)

    def _try(self, cursor: CXCursor) -> Stmt:
        parts = children(cursor)
        span = self.span(cursor)
        if not parts:
            return self._unknown(cursor, "try")
        handlers = [self._handler(part) for part in parts[1:]]
        return Try(self.statement(parts[0]), tuple(handlers), span)

    def _handler(self, cursor: CXCursor) -> Stmt:
        body: list[Stmt] = []
        for part in children(cursor):
            if part.kind == VARIABLE:
                body.append(Decl(self.declarations.symbol(part), None, self.span(part)))
            elif part.kind == COMPOUND:
                body.append(self.block(part))
        return Block(tuple(body), self.span(cursor))


def _is_statement(cursor: CXCursor) -> bool:
    return is_expression(cursor) or 200 <= cursor.kind < 280


def _asm_template(text: bytes) -> tuple[str, int]:
    """The template of an asm statement and how many outputs it has.

    Sections are parted by colons outside strings; an output section counts its constraint strings.
    """
    start = text.find(b"(")
    sections = re.split(
        rb":", _STRING.sub(lambda match: b"\x00" + b"s" * (len(match.group()) - 1), text[start + 1 :])
    )
    strings = [match.group(1) for match in _STRING.finditer(text)]
    template = b"".join(strings[: sections[0].count(b"\x00")])
    outputs = sections[1].count(b"\x00") if len(sections) > 1 else 0
    return template.decode("utf-8", "replace").replace("\\n", "\n").replace("\\t", "\t"), outputs
