"""Lower calls: functions, methods, operators, constructors, lambdas and kernel launches."""

from __future__ import annotations

import re

from cudalint.lint.frontend.declarations import (
    CONSTRUCTOR,
    CONVERSION,
    FUNCTIONS,
    METHOD,
    PARAMETER,
    VARIABLE,
    Callee,
    is_reference,
)
from cudalint.lint.frontend.expressions import CALL, DECL_REF, MEMBER_REF, UNEXPOSED, ExpressionLowering
from cudalint.lint.frontend.index import CXCursor, children, spelling
from cudalint.lint.frontend.types import same
from cudalint.lint.frontend.values import address_of, dereferenced, is_expression
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Capture,
    Cast,
    Deref,
    Expr,
    FunctionName,
    InitList,
    Lambda,
    Launch,
    Storage,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import FunctionKind
from cudalint.lint.model.source import NOWHERE, Span
from cudalint.lint.model.types import VOID, FloatType, IntType, PointerType, RecordType, Type

_CONFIGURE = "__cudaPushCallConfiguration"
_RUNTIME_LAUNCHES = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"})
_EXTENDED_LAUNCHES = frozenset({"cudaLaunchKernelEx", "cudaLaunchKernelExC"})
_BINARY = frozenset(["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="])
_ASSIGN = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="])
_VARIABLE_REF = 50
_CAPTURE = re.compile(r"(&?)\s*([A-Za-z_]\w*)?")


class CallLowering(ExpressionLowering):
    """Calls of one translation unit; launches are collected as they are met."""

    def launched(self, launch: Launch) -> None:
        """Record a launch."""
        raise NotImplementedError

    def mangled(self, callee: Callee, cursor: CXCursor) -> str:
        """The name that a compiler gives to a kernel's device code."""
        raise NotImplementedError

    def call(self, cursor: CXCursor) -> Expr:
        """A call of any kind."""
        target = self.lib.clang_getCursorReferenced(cursor)
        if target.kind == CONSTRUCTOR:
            return self._construct(cursor, target)
        parts = children(cursor)
        if len(parts) > 1 and parts[1].kind == CALL:
            configuring = self.lib.clang_getCursorReferenced(parts[1])
            if configuring.kind in FUNCTIONS and self.declarations.callee(configuring).name == _CONFIGURE:
                return self._chevron(cursor, target, parts)
        if target.kind not in FUNCTIONS:
            return self._indirect(cursor, [part for part in parts if is_expression(part)])
        callee = self.declarations.callee(target)
        if callee.name.startswith("operator") and callee.name[8:9] not in ("_", ""):
            return self._operator(cursor, target, callee, parts)
        args = [part for part in parts[1:] if is_expression(part)]
        receiver = self._receiver(parts[0]) if target.kind == METHOD and not callee.static and parts else None
        call = self._finish(cursor, target, callee, args, receiver)
        if callee.name in _RUNTIME_LAUNCHES or callee.name in _EXTENDED_LAUNCHES:
            return self._runtime_launch(call)
        return call

    def _finish(
        self, cursor: CXCursor, target: CXCursor, callee: Callee, args: list[CXCursor], receiver: Expr | None
    ) -> Expr:
        span = self.span(cursor)
        lowered = self.arguments(callee, args)
        plain = callee.system and not callee.writable[-1]
        result = self.types.of(cursor) if plain or not is_reference(callee.result) else callee.result
        call = Call(
            callee.name,
            callee.qualified,
            self.refer(target),
            lowered,
            result,
            span,
            receiver=receiver,
            arrow=receiver is not None and isinstance(receiver.type, PointerType),
            template_args=callee.own_args,
        )
        return call if plain else dereferenced(call)

    def arguments(self, callee: Callee, args: list[CXCursor]) -> tuple[Expr, ...]:
        """The arguments; those bound to references are addresses.

        Library functions take constant and rvalue references by value here: what they do is known by name.
        """
        lowered = []
        for at, arg in enumerate(args):
            value = self.expression(arg)
            if isinstance(value, Unknown) and value.span is NOWHERE:
                value = self._default_argument(callee, at) or value
            of = callee.params[at] if at < len(callee.params) else None
            if of is not None and is_reference(of) and (not callee.system or callee.writable[at]):
                value = address_of(value, of, value.span)
            lowered.append(value)
        return tuple(lowered)

    def _default_argument(self, callee: Callee, at: int) -> Expr | None:
        """A default argument that is no constant, from the parameter's declaration: the call does not show it."""
        for function in (callee.cursor, callee.definition):
            if function is not None:
                parameter = self.lib.clang_Cursor_getArgument(function, at)
                written = [child for child in children(parameter) if is_expression(child)]
                if parameter.kind == PARAMETER and written:
                    return self.converted(self.expression(written[-1]), self.types.of(parameter), NOWHERE)
        return None

    def _receiver(self, member: CXCursor) -> Expr | None:
        while member.kind == UNEXPOSED or member.kind == 111:
            inner = [child for child in children(member) if is_expression(child)]
            if len(inner) != 1:
                return None
            member = inner[0]
        if member.kind != MEMBER_REF:
            return None
        base = next((child for child in children(member) if is_expression(child)), None)
        if base is not None:
            return self.expression(base)
        this = self.frame.this
        return Var(this, this.type, self.span(member)) if this else None

    def _indirect(self, cursor: CXCursor, parts: list[CXCursor]) -> Expr:
        """A call through a function pointer, or of something that did not resolve."""
        of = self.types.of(cursor)
        span = self.span(cursor)
        if not parts:
            return Unknown("call of something unknown", (), of, span)
        callee = self.expression(parts[0])
        args = tuple(self.expression(part) for part in parts[1:])
        name = spelling(cursor)
        if isinstance(callee, FunctionName):
            return Call(callee.name, callee.qualified, callee.key, args, of, span)
        if isinstance(callee, Unknown):
            return Unknown(f"call of {name or 'something unknown'}", (callee, *args), of, span)
        return Call(name, name, None, args, of, span, callee=callee)

    # Operators and constructors

    def _operator(self, cursor: CXCursor, target: CXCursor, callee: Callee, parts: list[CXCursor]) -> Expr:
        member = bool(parts) and self._names_method(parts[0])
        if target.kind == CONVERSION or member:
            receiver = self._receiver(parts[0]) if parts else None
            of = self.types.of(cursor)
            if receiver is not None and target.kind == CONVERSION and _number(receiver.type) and _number(of):
                return Cast(receiver, of, self.span(cursor))
            return self._finish(cursor, target, callee, [p for p in parts[1:] if is_expression(p)], receiver)
        count = self.lib.clang_Cursor_getNumArguments(cursor)
        args = [self.lib.clang_Cursor_getArgument(cursor, at) for at in range(count)]
        symbol = callee.name[8:].strip()
        if symbol == "=" and callee.defaulted and len(args) == 2:
            left, right = self.expression(args[0]), self.expression(args[1])
            self.assigned(left, right)
            return Assign("=", left, right, left.type, self.span(cursor))
        if callee.system:
            scalar = self._scalar_operator(cursor, symbol, args)
            if scalar is not None:
                return scalar
        if target.kind != METHOD or not args:
            return self._finish(cursor, target, callee, args, None)
        receiver = self.expression(args[0])
        if callee.static:
            return self._finish(cursor, target, callee, args[1:], None)
        if isinstance(receiver, Deref) and not is_reference(receiver.pointer.type):
            receiver = receiver.pointer
        elif isinstance(receiver.type, PointerType):
            receiver = address_of(receiver, PointerType(receiver.type), receiver.span)
        return self._finish(cursor, target, callee, args[1:], receiver)

    def _names_method(self, part: CXCursor) -> bool:
        """Whether a call is spelled `x.operator=(y)`: then its first part is the method, not an operand."""
        return part.kind == MEMBER_REF and self.lib.clang_getCursorReferenced(part).kind in FUNCTIONS

    def _scalar_operator(self, cursor: CXCursor, symbol: str, args: list[CXCursor]) -> Expr | None:
        """Operators of half and bfloat16, which the model has as numbers."""
        if not all(_number(self.types.of(arg)) for arg in args):
            return None
        of = self.types.of(cursor)
        span = self.span(cursor)
        if len(args) == 2 and (symbol in _BINARY or symbol in _ASSIGN):
            left, right = self.expression(args[0]), self.expression(args[1])
            if symbol in _BINARY:
                return Binary(symbol, left, right, of, span)
            return Assign(symbol, left, right, left.type, span)
        if len(args) == 1 and symbol in ("-", "+", "!"):
            return Unary(symbol, self.expression(args[0]), of, span)
        return None

    def _construct(self, cursor: CXCursor, target: CXCursor) -> Expr:
        callee = self.declarations.callee(target)
        of = self.types.of(cursor)
        span = self.span(cursor)
        parts = [child for child in children(cursor) if is_expression(child)]
        count = self.lib.clang_Cursor_getNumArguments(cursor)
        if 0 <= count < len(parts):  # template arguments that are expressions come first
            parts = parts[len(parts) - count :]
        if isinstance(of, IntType | FloatType):
            if len(parts) == 1:
                return self.converted(self.expression(parts[0]), of, span)
            return InitList((), of, span) if not parts else self._rest(parts, of, span)
        if len(parts) == 1 and (callee.defaulted or callee.key is None):
            operand = self.expression(parts[0])
            if same(operand.type, of) or isinstance(operand, InitList):
                return operand
            if callee.defaulted:
                return self.converted(operand, of, span)
        args = self.arguments(callee, parts)
        return Call(callee.name, callee.qualified, self.refer(target), args, of, span, constructor=True)

    def _rest(self, parts: list[CXCursor], of: Type, span: Span) -> Expr:
        return Unknown("constructor", tuple(self.expression(part) for part in parts), of, span)

    # Lambdas

    def lambda_expression(self, cursor: CXCursor) -> Expr:
        """A lambda: its body is lowered as the call operator of its closure."""
        of = self.lib.clang_getCursorType(cursor)
        closure = self.lib.clang_getTypeDeclaration(of)
        operator = next((c for c in children(closure) if spelling(c) == "operator()" and c.kind in FUNCTIONS), None)
        key = self.refer(operator) if operator is not None else None
        if operator is not None and key and self.declarations.callee(operator).kind is FunctionKind.HOST:
            self.lambda_kinds[key] = self._lambda_kind()
        span = self.span(cursor)
        lowered = self.types.lower(of)
        name = self.types.spelled(of)
        return Lambda(key or f"{name}::operator()", self._captures(cursor, span), lowered, span)

    def _lambda_kind(self) -> FunctionKind:
        kind = self.frame.kind
        return FunctionKind.DEVICE if kind is FunctionKind.KERNEL else kind

    def _captures(self, cursor: CXCursor, span: Span) -> tuple[Capture, ...]:
        """What the body uses of its surroundings: libclang lists explicit captures only, and `[&]` lists nothing."""
        default, named = self._introducer(span)
        captures: dict[str, Capture] = {}
        pending = children(cursor)
        while pending:
            child = pending.pop(0)
            if child.kind in (DECL_REF, _VARIABLE_REF):
                target = self.lib.clang_getCursorReferenced(child)
                if target.kind in (VARIABLE, PARAMETER) and self._outside(target, span):
                    symbol = self.declarations.symbol(target)
                    captures[symbol.key] = Capture(symbol, named.get(symbol.name, default))
            else:
                pending = children(child) + pending
        return tuple(captures.values())

    def _outside(self, target: CXCursor, span: Span) -> bool:
        """Whether a local variable stands before a lambda, so that the lambda has to capture it."""
        symbol = self.declarations.symbol(target)
        local = symbol.storage in (Storage.LOCAL, Storage.PARAM)
        inside = symbol.span.file == span.file and span.offset <= symbol.span.offset < span.end_offset
        return local and not inside and self.declarations.value(target) is None

    def _introducer(self, span: Span) -> tuple[bool, dict[str, bool]]:
        """Whether `[…]` captures by reference: by default, and for each name it lists."""
        file = self.spans.files.get(span.file)
        data = file.data[span.offset : span.end_offset] if file else b""
        listed = data[1 : data.find(b"]")].decode("utf-8", "replace") if data[:1] == b"[" else ""
        default = False
        named: dict[str, bool] = {}
        for item in listed.split(","):
            match = _CAPTURE.match(item.strip())
            if match and match.group(2):
                named[match.group(2)] = bool(match.group(1))
            elif match and match.group(1):
                default = True
        return default, named

    # Launches

    def _chevron(self, cursor: CXCursor, target: CXCursor, parts: list[CXCursor]) -> Expr:
        configuration = [part for part in children(parts[1])[1:] if is_expression(part)]
        given = [self.expression(part) for part in configuration]
        span = self.span(cursor)
        grid, block, shared, stream = (given + [Unknown("launch configuration", (), VOID, NOWHERE)] * 4)[:4]
        arguments = [part for part in parts[2:] if is_expression(part)]
        key: str | None = None
        held: Expr | None = None
        mangled = ""
        if target.kind in FUNCTIONS:
            callee = self.declarations.callee(target)
            name, key = callee.name, self.refer(target)
            mangled = self.mangled(callee, target) if key is None else ""
            args = self.arguments(callee, arguments)
        else:
            held = self.expression(parts[0])
            function = self._kernel_of(held)
            name, key = (function.name, function.key) if function else (spelling(cursor), None)
            args = tuple(self.expression(part) for part in arguments)
        launch = Launch(
            name,
            key,
            grid,
            block,
            None if shared.span is NOWHERE else shared,
            None if stream.span is NOWHERE else stream,
            args,
            "<<<>>>",
            VOID,
            span,
            chevrons=self.span(parts[1]),
            callee=held if key is None else None,
            mangled=mangled,
        )
        self.launched(launch)
        return launch

    def _kernel_of(self, value: Expr) -> FunctionName | None:
        """The kernel that a function pointer names, followed through the local variable that holds it."""
        while isinstance(value, Cast | AddressOf):
            value = value.operand
        if isinstance(value, Var):
            value = self.frame.inits.get(value.symbol.key, value)
            while isinstance(value, Cast | AddressOf):
                value = value.operand
        return value if isinstance(value, FunctionName) else None

    def _runtime_launch(self, call: Expr) -> Expr:
        if not isinstance(call, Call) or len(call.args) < 2:
            return call
        missing: Expr = Unknown("launch configuration", (), VOID, NOWHERE)
        grid: Expr
        block: Expr
        shared: Expr | None
        stream: Expr | None
        held = call.args[call.name not in _RUNTIME_LAUNCHES]
        function = self._kernel_of(held)
        if call.name in _RUNTIME_LAUNCHES:
            grid, block = (*call.args[1:3], missing, missing)[:2]
            args = self._pointed_to(call.args[3]) if len(call.args) > 3 else ()
            shared, stream = (*call.args[4:6], None, None)[:2]
        else:
            grid, block, shared, stream = self._configuration(call.args[0], missing)
            given = [arg.operand if isinstance(arg, AddressOf) else arg for arg in call.args[2:]]
            args = self._pointed_to(call.args[2]) if call.name.endswith("ExC") else tuple(given)
        launch = Launch(
            function.name if function else "",
            function.key if function else None,
            grid,
            block,
            None if shared is None or shared.span is NOWHERE else shared,
            None if stream is None or stream.span is NOWHERE else stream,
            tuple(args),
            call.name,
            call.type,
            call.span,
            callee=None if function and function.key else held,
        )
        self.launched(launch)
        return launch

    def _pointed_to(self, array: Expr) -> tuple[Expr, ...]:
        """The kernel arguments behind `void* args[] = {&a, &b}`; empty where the array cannot be seen."""
        while isinstance(array, Cast | AddressOf):
            array = array.operand
        if isinstance(array, Var):
            array = self.frame.inits.get(array.symbol.key, array)
        if not isinstance(array, InitList):
            return ()
        values: list[Expr] = []
        for item in array.items:
            while isinstance(item, Cast):
                item = item.operand
            if isinstance(item, AddressOf):
                values.append(item.operand)
            elif isinstance(item.type, PointerType):
                values.append(Deref(item, item.type.pointee, item.span))
            else:
                return ()
        return tuple(values)

    def _configuration(self, config: Expr, missing: Expr) -> tuple[Expr, Expr, Expr | None, Expr | None]:
        while isinstance(config, Cast | AddressOf):
            config = config.operand
        if not isinstance(config, Var):
            return missing, missing, None, None
        symbol = config.symbol
        members = self.frame.members
        listed = self.frame.inits.get(symbol.key)
        names = [field.name for field in symbol.type.fields] if isinstance(symbol.type, RecordType) else []
        given = dict(zip(names, listed.items, strict=False)) if isinstance(listed, InitList) else {}

        def field(name: str) -> Expr | None:
            value = members.get((symbol.key, name), given.get(name))
            return None if isinstance(value, InitList) and not value.items else value

        return (
            field("gridDim") or missing,
            field("blockDim") or missing,
            field("dynamicSmemBytes"),
            field("stream"),
        )


def _number(of: Type) -> bool:
    return isinstance(of, FloatType | IntType)
