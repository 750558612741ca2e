"""Edits that allocate a buffer of asynchronous copies pinned: cudaMallocHost in place of malloc, calloc or new[]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hostfix_text import add_behind, defined_later
from cudalint.lint.analysis.hostfix_waits import waits_first
from cudalint.lint.analysis.hostflow import STANDARD, HostFlow
from cudalint.lint.analysis.hostflow_copies import PageableCopy, copies, leads_to
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Const,
    Delete,
    Deref,
    Expr,
    Index,
    Lambda,
    Launch,
    New,
    Storage,
    Symbol,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import (
    Block,
    Decl,
    ExprStmt,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Try,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import FloatType, IntType, PointerType
from cudalint.lint.model.walk import Node, uncast, walk

_SIMPLE = re.compile(r"[\w.]+|sizeof\s*\([^()]*\)")
_SOURCES = (".cu", ".cuh")
_COMPARES = frozenset({"==", "!=", "&&", "||", "<", ">", "<=", ">="})
_BY_VALUE = STANDARD - {"swap", "realloc", "sort", "accumulate", "iota"} | {"free", "memset", "memcpy", "fill_n"}


def pinning_edits(flow: HostFlow, found: PageableCopy, macro: str | None) -> tuple[Edit, ...]:
    """Allocate and free all host memory of a finding's copies with the runtime; none if one buffer has to stay.

    A buffer is a local pointer that one allocation of its function fills, and that the same block frees, on every
    path, where the host waits for the copies before it touches the buffer again: pageable copies did so by
    themselves. `macro` checks statuses; it is used where it stands around the function's own calls.
    """
    function = found.copy.visit.run.function
    edits: dict[tuple[int, int], Edit] = {}
    for one in (found, *found.others):
        buffer = _buffer(flow, function, one)
        if buffer is None or function.body is None or one.copy.visit.run.function is not function:
            return ()
        own = macro if macro and _checks(function, macro) else None
        made = _edits(flow.program, buffer, own)
        if not made:
            return ()
        edits.update(((e.span.offset, e.span.end_offset), e) for e in made)
    return tuple(edits[key] for key in sorted(edits))


@dataclass(frozen=True, slots=True)
class _Buffer:
    """A local pointer, the statement that fills it, with what, and the expressions that free it."""

    pointer: Symbol
    make: Decl | ExprStmt
    source: Call | New
    frees: tuple[Call | Delete, ...]


# -- what qualifies ----------------------------------------------------------------------------------


def _buffer(flow: HostFlow, function: Function, found: PageableCopy) -> _Buffer | None:
    args = found.copy.call.call.args
    source = args[2 if found.copy.call.name == "cudaMemcpy2DAsync" else 1] if found.reads else args[0]
    variable = base_variable(source)
    pointer = variable.symbol if variable is not None else None
    if pointer is None or pointer.storage is not Storage.LOCAL or pointer.const or function.body is None:
        return None
    whole = list(walk(function.body))
    home = next((b for b in whole if isinstance(b, Block) and _fills(b, pointer)), None)
    if home is None or not found.copy.call.span.file.endswith(_SOURCES) or _in_loop(function.body, home):
        return None
    make, source_of = _fills(home, pointer) or (None, None)
    assert make is not None
    assert source_of is not None
    frees = tuple(n for n in whole if isinstance(n, Call | Delete) and _frees(n, pointer))
    after = [s for s in home.body if s.span.offset > make.span.offset]
    plain = (
        _is_freed(after, pointer, frees)
        and _is_proper(flow.program, whole, pointer, make)
        and not any(isinstance(n, Try | UnknownStmt) for n in whole)
        and _is_alone(flow, function, found)
        and waits_first(after, pointer)
    )
    return _Buffer(pointer, make, source_of, frees) if plain else None


def base_variable(expr: Expr) -> Var | None:
    """The variable that a pointer is made of: `p`, `p + n`, `&p[n]`."""
    expr = uncast(expr)
    if isinstance(expr, AddressOf) and isinstance(expr.operand, Index):
        return base_variable(expr.operand.base)
    if isinstance(expr, Binary) and expr.op in {"+", "-"}:
        left = base_variable(expr.left)
        return left or (base_variable(expr.right) if expr.op == "+" else None)
    return expr if isinstance(expr, Var) and isinstance(expr.symbol.type, PointerType) else None


def _fills(block: Block, pointer: Symbol) -> tuple[Decl | ExprStmt, Call | New] | None:
    """The statement of a block that gives a pointer its memory, and the allocation."""
    for stmt in block.body:
        value = None
        if isinstance(stmt, Decl) and stmt.symbol.key == pointer.key:
            value = stmt.init
        elif isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Assign) and _is(stmt.expr.target, pointer):
            value = stmt.expr.value if stmt.expr.op == "=" else None
        source = uncast(value) if value is not None else None
        if source is not None and isinstance(stmt, Decl | ExprStmt) and _allocates(source, pointer):
            assert isinstance(source, Call | New)
            return stmt, source
    return None


def _allocates(source: Expr, pointer: Symbol) -> bool:
    """Whether an expression allocates plain memory for a pointer: no constructors run in it."""
    if isinstance(source, Call):
        return source.name in {"malloc", "calloc"} and len(source.args) == 1 + (source.name == "calloc")
    if not isinstance(source, New) or source.count is None or not isinstance(pointer.type, PointerType):
        return False
    return isinstance(source.element, IntType | FloatType) and source.element.size == pointer.type.pointee.size


def _is(expr: Expr, pointer: Symbol) -> bool:
    expr = uncast(expr)
    return isinstance(expr, Var) and expr.symbol.key == pointer.key


def _frees(node: Call | Delete, pointer: Symbol) -> bool:
    if isinstance(node, Delete):
        return _is(node.operand, pointer)
    return node.name == "free" and len(node.args) == 1 and _is(node.args[0], pointer)


def _in_loop(body: Stmt, home: Block) -> bool:
    """Whether a block is run again and again: pinning costs more than it gains there."""
    return any(isinstance(n, For | RangeFor | While) and any(m is home for m in walk(n)) for n in walk(body))


def _is_freed(after: Iterable[Stmt], pointer: Symbol, frees: tuple[Call | Delete, ...]) -> bool:
    """Whether every way out of the statements after an allocation frees it, and nothing else of the function does."""
    rest = list(after)
    own = [n for s in rest for n in walk(s)]
    last = max((i for i, s in enumerate(rest) if _is_free(s, pointer)), default=None)
    if last is None or any(not any(n is f for n in own) for f in frees):
        return False
    alone = sum(_is_free(n, pointer) for n in own if isinstance(n, ExprStmt))
    return alone == len(frees) and all(_returns_freed(s, pointer) for s in rest[:last])


def _is_free(stmt: Stmt, pointer: Symbol) -> bool:
    """Whether a statement is nothing but the release of a pointer, in the source as it is."""
    expr = stmt.expr if isinstance(stmt, ExprStmt) else None
    return isinstance(expr, Call | Delete) and _frees(expr, pointer) and expr.span.macro is None


def _returns_freed(stmt: Stmt, pointer: Symbol) -> bool:
    """Whether the pointer is freed before each return below a statement, in the return's own block."""
    blocks = [n for n in walk(stmt) if isinstance(n, Block)]
    freed = sum(
        isinstance(s, Return) and any(_is_free(e, pointer) for e in b.body[:i])
        for b in blocks
        for i, s in enumerate(b.body)
    )
    return freed == sum(isinstance(n, Return) for n in walk(stmt))


def _is_proper(program: TranslationUnit, whole: list[Node], pointer: Symbol, make: Decl | ExprStmt) -> bool:
    """Whether a function only indexes, compares, passes on and frees a pointer: no other one comes to hold it."""
    places = [place for node in whole for place in _places(program, node, pointer, make)]
    allowed = {id(var) for place in places if (var := base_variable(place)) is not None}
    passed = {id(uncast(p)) for node in whole if isinstance(node, Call | Launch) for p in _passed(program, node)}
    uses = (n for n in whole if isinstance(n, Var) and n.symbol.key == pointer.key)
    return all(id(use) in allowed for use in uses) and not any(
        _lets_out(node, pointer, make) and id(node) not in passed for node in whole
    )


def _places(program: TranslationUnit, node: Node, pointer: Symbol, make: Decl | ExprStmt) -> list[Expr]:
    """The parts of a node in which a pointer may stand without another one coming to hold it."""
    match node:
        case Index(base=place) | Deref(pointer=place) | Delete(operand=place):
            return [place]
        case Binary(op=op, left=left, right=right) if op in _COMPARES:
            return [left, right]
        case Unary(op="!", operand=place) | If(condition=place) | While(condition=place):
            return [place]
        case Assign(op="=", target=target, value=value) if _is(target, pointer):
            own = isinstance(make, ExprStmt) and node is make.expr
            return [target] if own or _is_null(value) else []
        case Call() | Launch():
            return _passed(program, node)
        case _:
            return []


def _lets_out(node: Node, pointer: Symbol, make: Decl | ExprStmt) -> bool:
    """Whether a node makes another pointer of the memory, or gives the pointer other memory."""
    match node:
        case AddressOf():
            base = base_variable(node)
            return base is not None and base.symbol.key == pointer.key
        case Decl(symbol=symbol, init=init):
            return symbol.key == pointer.key and node is not make and init is not None and not _is_null(init)
        case Lambda(captures=captures):
            return any(c.symbol.key == pointer.key for c in captures)
        case _:
            return False


def _is_null(value: Expr) -> bool:
    bare = uncast(value)
    return isinstance(bare, Const) and not bare.value


def _passed(program: TranslationUnit, call: Call | Launch) -> list[Expr]:
    """The arguments that a function takes by value, as far as that is known."""
    if isinstance(call, Launch):
        return list(call.args)
    callee = program.functions.get(call.key) if call.key else None
    if callee is not None:
        pairs = zip(callee.params, call.args, strict=False)
        return [arg for param, arg in pairs if not (isinstance(param.type, PointerType) and param.type.reference)]
    return list(call.args) if call.name.startswith("cuda") or call.name in _BY_VALUE else []


def _is_alone(flow: HostFlow, function: Function, found: PageableCopy) -> bool:
    """Whether all asynchronous copies of the memory stand in this function, and in no graph or loop of a caller."""
    for copy in copies(flow):
        if not copy.asynchronous:
            continue
        sides = [*leads_to(flow, copy.source), *leads_to(flow, copy.target)]
        if any(o is found.memory or (o.site is not None and o.site == found.memory.site) for o in sides) and (
            copy.visit.run.function is not function or copy.visit.order in flow.captured
        ):
            return False
    own = function.span
    return all(
        loop.span.file == own.file and own.offset <= loop.span.offset < own.end_offset
        for loop in found.copy.visit.loops
    )


def _checks(function: Function, macro: str) -> bool:
    """Whether a function's own calls are checked with a macro."""
    nodes = walk(function.body) if function.body is not None else ()
    return any(isinstance(n, Call) and n.span.macro == macro and n.name.startswith("cuda") for n in nodes)


# -- the edits ---------------------------------------------------------------------------------------


def _edits(program: TranslationUnit, buffer: _Buffer, macro: str | None) -> list[Edit]:
    make, pointer = buffer.make, buffer.pointer
    nbytes = _bytes(program, buffer)
    if nbytes is None or make.span.macro is not None or buffer.source.span.macro is not None:
        return []
    if macro is not None and defined_later(program, macro, make.span):
        macro = None

    def checked(call: str) -> str:
        return f"{macro}({call})" if macro else call

    text = checked(f"cudaMallocHost(&{pointer.name}, {nbytes})")
    clear = f"memset({pointer.name}, 0, {nbytes});" if _is_zeroed(program, buffer.source) else ""
    made = list(_replaced(program, make, text, clear))
    release = checked(f"cudaFreeHost({pointer.name})")
    return [*made, *(Edit(free.span, release) for free in buffer.frees)] if made else []


def _replaced(program: TranslationUnit, make: Decl | ExprStmt, text: str, clear: str) -> Iterator[Edit]:
    """The allocation's statement in its new form; nothing where it cannot be taken apart."""
    if isinstance(make, ExprStmt):
        behind = add_behind(program, make.span, clear) if clear else None
        if not clear or behind is not None:
            yield Edit(make.expr.span, text)
        if behind is not None:
            yield behind
        return
    assert make.init is not None
    data = program.files.get(make.span.file, b"")
    head = data[make.span.offset : make.init.span.offset].decode("utf-8", "replace").rstrip()
    behind = add_behind(program, make.span, f"{text};{' ' + clear if clear else ''}")
    if behind is None or not head.endswith("=") or re.search(r"\bauto\b", head) or make.init.span.macro is not None:
        return
    yield Edit(make.init.span, "nullptr")
    yield behind


def _bytes(program: TranslationUnit, buffer: _Buffer) -> str | None:
    source = buffer.source
    factors = source.args if isinstance(source, Call) else (source.count,)
    parts = [program.text(factor.span).strip() for factor in factors if factor is not None]
    if not parts or not all(parts) or any("\n" in part for part in parts):
        return None
    if isinstance(source, New):
        parts.append(f"sizeof(*{buffer.pointer.name})")
    if len(parts) == 1:
        return parts[0]
    return " * ".join(p if _SIMPLE.fullmatch(p) or p.startswith("sizeof(*") else f"({p})" for p in parts)


def _is_zeroed(program: TranslationUnit, source: Call | New) -> bool:
    return source.name == "calloc" if isinstance(source, Call) else not program.text(source.span).endswith("]")
