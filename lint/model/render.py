"""Print a model readably: C-like, with what the front end made explicit (types, conversions, storage)."""

from __future__ import annotations

from collections.abc import Iterator

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
    Launch,
    Member,
    New,
    Storage,
    Symbol,
    Throw,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
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
from cudalint.lint.model.types import ArrayType, Type, spelled

_PRECEDENCE = {
    ",": 0, "||": 3, "&&": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, ">": 9, "<=": 9, ">=": 9,
    "<<": 10, ">>": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}  # fmt: skip
_ASSIGNMENT, _CONDITIONAL, _UNARY, _POSTFIX = 1, 2, 13, 14
_STORAGE = {
    Storage.SHARED: "__shared__ ",
    Storage.DYNAMIC_SHARED: "extern __shared__ ",
    Storage.CONSTANT: "__constant__ ",
    Storage.DEVICE: "__device__ ",
    Storage.MANAGED: "__managed__ ",
    Storage.STATIC: "static ",
}


def render_unit(unit: TranslationUnit, kernel: str | None = None) -> str:
    """All functions of a unit, or the kernels (and functions) of one name; empty when there is none."""
    chosen = [
        function
        for function in unit.functions.values()
        if kernel is None or kernel in (function.name, function.qualified, function.key)
    ]
    return "\n\n".join(render_function(function) for function in sorted(chosen, key=lambda f: f.span.start))


def render_function(function: Function) -> str:
    """One function with its body."""
    bounds = function.launch_bounds
    head = [function.kind.value]
    if bounds is not None:
        head.append(f"__launch_bounds__({', '.join(str(bound) for bound in bounds if bound is not None)})")
    params = ", ".join(_declared(param) for param in function.params)
    arguments = ", ".join(
        f"{arg.name} = {arg.value if isinstance(arg.value, int | str) else spelled(arg.value)}"
        for arg in function.template_args
    )
    name = f"{function.qualified}<{arguments}>" if arguments else function.qualified
    head.append(f"{spelled(function.result)} {name}({params})")
    where = f"// {function.span.file}:{function.span.line}" + ("  (guessed arguments)" if function.synthetic else "")
    initializers = "".join(f"\n  : {field}({expression(value)})" for field, value in function.initializers)
    body = "\n".join(_lines(function.body, 0)) if function.body is not None else ";"
    return f"{where}\n{' '.join(head)}{initializers}\n{body}"


def _declared(symbol: Symbol) -> str:
    qualifiers = _STORAGE.get(symbol.storage, "") + ("volatile " if symbol.volatile else "")
    base: Type = symbol.type
    extents = ""
    while isinstance(base, ArrayType):
        extents += f"[{'' if base.count is None else base.count}]"
        base = base.element
    return f"{qualifiers}{spelled(base)} {symbol.name}{extents}"


def _lines(stmt: Stmt, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match stmt:
        case Block(body=body):
            yield pad + "{"
            for inner in body:
                yield from _lines(inner, depth + 1)
            yield pad + "}"
        case If():
            yield from _if(stmt, depth)
        case For() | RangeFor() | While():
            yield from _loop(stmt, depth)
        case Switch(condition=condition, cases=cases):
            yield f"{pad}switch ({expression(condition)})"
            for case in cases:
                yield from _case(case, depth)
        case Try() | UnknownStmt():
            yield from _rare(stmt, depth)
        case _:
            yield pad + _simple(stmt) + ";"


def _rare(stmt: Try | UnknownStmt, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(stmt, UnknownStmt):
        yield f"{pad}// not understood: {stmt.reason}"
        for part in stmt.body:
            yield from _lines(part, depth + 1)
        return
    yield pad + "try"
    yield from _lines(stmt.body, depth)
    for handler in stmt.handlers:
        yield pad + "catch"
        yield from _lines(handler, depth)


def _simple(stmt: Stmt) -> str:
    match stmt:
        case Decl(symbol=symbol, init=init):
            return _declared(symbol) + (f" = {expression(init)}" if init is not None else "")
        case ExprStmt(expr=expr):
            return expression(expr)
        case Return(value=value):
            return f"return {expression(value)}" if value is not None else "return"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Asm(text=text, outputs=outputs, inputs=inputs):
            return f"asm({text!r} : {_list(outputs)} : {_list(inputs)})"
        case _:
            return type(stmt).__name__


def _if(stmt: If, depth: int) -> Iterator[str]:
    pad = "  " * depth
    init = "".join(_simple(s) + "; " for s in stmt.init)
    yield f"{pad}if {'constexpr ' if stmt.constexpr else ''}({init}{expression(stmt.condition)})"
    yield from _body(stmt.then, depth)
    if stmt.otherwise is not None:
        yield pad + "else"
        yield from _body(stmt.otherwise, depth)


def _loop(stmt: For | RangeFor | While, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match stmt:
        case For(init=init, condition=condition, step=step):
            start = ", ".join(_simple(s) for s in init)
            until = expression(condition) if condition is not None else ""
            after = expression(step) if step is not None else ""
            head = f"for ({start}; {until}; {after})" + ("  // unroll" if stmt.unroll else "")
        case RangeFor(symbol=symbol, range=container):
            head = f"for ({_declared(symbol)} : {expression(container)})"
        case While(condition=until_, do=True):
            yield pad + "do"
            yield from _body(stmt.body, depth)
            yield f"{pad}while ({expression(until_)});"
            return
        case While(condition=until_):
            head = f"while ({expression(until_)})"
    yield pad + head
    yield from _body(stmt.body, depth)


def _body(stmt: Stmt, depth: int) -> Iterator[str]:
    return _lines(stmt, depth if isinstance(stmt, Block) else depth + 1)


def _case(case: Case, depth: int) -> Iterator[str]:
    pad = "  " * depth
    for value in case.values:
        yield f"{pad}case {expression(value)}:"
    if case.default:
        yield pad + "default:"
    for inner in case.body:
        yield from _lines(inner, depth + 1)


def expression(expr: Expr) -> str:
    """One expression."""
    return _expression(expr, 0)


def _expression(expr: Expr, outer: int) -> str:
    text, own = _spell(expr)
    return f"({text})" if own < outer else text


def _spell(expr: Expr) -> tuple[str, int]:
    match expr:
        case Binary(op=op, left=left, right=right):
            level = _PRECEDENCE[op]
            return f"{_expression(left, level)} {op} {_expression(right, level + 1)}", level
        case Assign(op=op, target=target, value=value_):
            return f"{_expression(target, _UNARY)} {op} {_expression(value_, _ASSIGNMENT)}", _ASSIGNMENT
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            parts = (_expression(condition, 3), _expression(then, 0), _expression(otherwise, _CONDITIONAL))
            return f"{parts[0]} ? {parts[1]} : {parts[2]}", _CONDITIONAL
        case Unary() | Cast() | Deref() | AddressOf() | IncDec(prefix=True) | New() | Delete() | Throw():
            return _prefix(expr), _UNARY
        case Index(base=base, index=index):
            return f"{_expression(base, _POSTFIX)}[{expression(index)}]", _POSTFIX
        case Member(base=base, field=field, arrow=arrow):
            return f"{_expression(base, _POSTFIX)}{'->' if arrow else '.'}{field}", _POSTFIX
        case IncDec(op=op, target=target):
            return f"{_expression(target, _POSTFIX)}{op}", _POSTFIX
        case _:
            return _other(expr), _POSTFIX


def _prefix(expr: Expr) -> str:
    match expr:
        case Unary(op=op, operand=operand) | IncDec(op=op, target=operand):
            return op + _expression(operand, _UNARY)
        case Cast(operand=operand, explicit=explicit, reinterpret=reinterpret):
            target = spelled(expr.type)
            if reinterpret:
                return f"reinterpret_cast<{target}>({expression(operand)})"
            return f"({target}{'' if explicit else ' /*implied*/'}){_expression(operand, _UNARY)}"
        case Deref(pointer=pointer):
            return "*" + _expression(pointer, _UNARY)
        case AddressOf(operand=operand, decay=decay):
            return _expression(operand, _UNARY) if decay else "&" + _expression(operand, _UNARY)
        case New(element=element, count=count, args=args):
            extent = f"[{expression(count)}]" if count is not None else ""
            return f"new {spelled(element)}{extent}({_list(args)})"
        case Delete(operand=operand, array=array):
            return f"delete{'[]' if array else ''} {_expression(operand, _UNARY)}"
        case Throw(operand=operand_):
            return "throw" + (f" {expression(operand_)}" if operand_ is not None else "")
        case _:
            return _other(expr)


def _other(expr: Expr) -> str:
    match expr:
        case Const() | Var() | Builtin():
            return _atom(expr)
        case Call():
            return _call(expr)
        case InitList(items=items, type=of):
            return f"{spelled(of)}{{{_list(items)}}}"
        case Lambda(captures=captures):
            listed = ", ".join(("&" if c.by_reference else "") + c.symbol.name for c in captures)
            return f"[{listed}](…)"
        case FunctionName(qualified=qualified):
            return qualified
        case Launch(kernel=kernel, grid=grid, block=block, shared=shared, stream=stream, args=args):
            given = [part for part in (grid, block, shared, stream) if part is not None]
            return f"{kernel or '?'}<<<{_list(given)}>>>({_list(args)})"
        case Unknown(reason=reason, parts=parts):
            return f"⟨{reason}{': ' if parts else ''}{_list(parts)}⟩"
        case _:
            return type(expr).__name__


def _call(call: Call) -> str:
    arguments = _list(call.args)
    if call.constructor:
        return f"{spelled(call.type)}({arguments})"
    if call.callee is not None:
        return f"{_expression(call.callee, _POSTFIX)}({arguments})"
    if call.receiver is not None:
        return f"{_expression(call.receiver, _POSTFIX)}{'->' if call.arrow else '.'}{call.name}({arguments})"
    return f"{call.qualified}({arguments})"


def _atom(expr: Const | Var | Builtin) -> str:
    if isinstance(expr, Const):
        return _constant(expr.value, expr.name, expr.text)
    if isinstance(expr, Var):
        return expr.symbol.name
    return f"{expr.name}.{expr.axis}" if expr.axis else expr.name


def _constant(value: int | float | bool | str, name: str | None, text: str | None) -> str:
    if name is not None:
        return f"{name}/*{value}*/"
    if text is not None:
        return text
    if isinstance(value, bool):
        return "true" if value else "false"
    return '"' + value.encode("unicode_escape").decode() + '"' if isinstance(value, str) else repr(value)


def _list(parts: tuple[Expr, ...] | list[Expr]) -> str:
    return ", ".join(_expression(part, _ASSIGNMENT) for part in parts)
