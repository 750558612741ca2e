"""Edits that take an allocation and its release out of a loop, where every iteration may share one buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.lint.analysis.hosteffects import ApiCall, LaunchCall, Loop
from cudalint.lint.analysis.hostfix_text import add_behind, between, changes, line_of, unwound
from cudalint.lint.analysis.hostflow import HostFlow, is_default_stream, items_of
from cudalint.lint.analysis.hostflow_loops import LoopAllocation, is_fixed_in
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    Storage,
    Symbol,
    Throw,
    Unary,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
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
from cudalint.lint.model.walk import children, uncast, walk

Looping = For | RangeFor | While


def hoist_edits(flow: HostFlow, found: LoopAllocation) -> tuple[Edit, ...]:
    """Move all allocations of a finding before the loop and their releases behind it; none if one must stay.

    Only cudaMalloc and cudaFree that are statements of the loop's own body move, of a pointer and a size that
    the loop does not change, where no jump skips the release. A loop that reads a clock is left alone: it may
    measure just this.
    """
    function = found.visit.run.function
    program = flow.program
    loop = _statement_of(function, found.loop)
    calls = (found.call, *found.more)
    if loop is None or found.release is None or not found.invariant or any(c.name != "cudaMalloc" for c in calls):
        return ()
    timed = any(isinstance(item, ApiCall) and item.is_timer for item in items_of(found.loop.body))
    if timed or _leaves(loop) or not _one_order(found.loop) or _has_pragma(program, loop.span):
        return ()
    moves = [_move(program, function, loop, call) for call in calls]
    whole = [move for move in moves if move is not None]
    if len(whole) != len(moves) or len({m.pointer.key for m in whole}) != len(whole):
        return ()
    return _edits(program, loop, whole)


@dataclass(frozen=True, slots=True)
class _Move:
    """One buffer: its pointer, the statements that make and release it, and its declaration in the loop."""

    pointer: Symbol
    make: Span
    release: Span
    declared: tuple[Span, ...]
    """The spans of all that its declaration declares, in order."""


# -- the loop ----------------------------------------------------------------------------------------


def _statement_of(function: Function, loop: Loop) -> Looping | None:
    """The loop's statement, where it has a braced body, and stands in a block."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, Block | Case):
            for stmt in node.body:
                if isinstance(stmt, Looping) and stmt.span == loop.span and stmt.span.macro is None:
                    tail = isinstance(stmt, While) and stmt.do
                    return stmt if isinstance(stmt.body, Block) and not tail else None
    return None


def _leaves(loop: Looping) -> bool:
    """Whether control may leave an iteration by other ways than its end. Error paths of macros do not count."""
    return any(
        isinstance(node, Return | Throw | Try | UnknownStmt) and node.span.macro is None for node in walk(loop.body)
    ) or any(_breaks(loop.body))


def _breaks(stmt: Stmt | Case, *, switch: bool = False) -> Iterator[Break | Continue]:
    """The jumps that leave an iteration of the loop whose body this is. A break in a switch leaves only that."""
    if isinstance(stmt, Continue) or (isinstance(stmt, Break) and not switch):
        if stmt.span.macro is None:
            yield stmt
    elif isinstance(stmt, Block | If | Case | Switch):
        for part in children(stmt):
            if isinstance(part, Block | If | Case | Switch | Break | Continue):
                yield from _breaks(part, switch=switch or isinstance(stmt, Switch))


def _one_order(loop: Loop) -> bool:
    """Whether all work of the loop is queued in the same order in each iteration: no stream of its own."""
    for item in items_of(loop.body):
        if isinstance(item, LaunchCall):
            stream = item.stream
        elif isinstance(item, ApiCall) and item.name.endswith("Async") and item.args:
            stream = item.args[-1]
        else:
            continue
        if not is_default_stream(stream) and not is_fixed_in(stream, loop):
            return False
    return True


def _has_pragma(program: TranslationUnit, span: Span) -> bool:
    """Whether a pragma stands before the loop: iterations may then run side by side."""
    before = program.files.get(span.file, b"")[: span.offset].rstrip().splitlines()
    return bool(before) and before[-1].lstrip().startswith((b"#", b"_Pragma"))


# -- one buffer --------------------------------------------------------------------------------------


def _move(program: TranslationUnit, function: Function, loop: Looping, call: ApiCall) -> _Move | None:
    pointer = _stored_in(call.call)
    if pointer is None or len(call.call.args) != 2 or not _fixed_size(call.call.args[1], loop):
        return None
    assert isinstance(loop.body, Block)
    make = _alone(program, loop.body, call.call)
    release = next((s for s in loop.body.body if _releases(program, s, pointer)), None)
    if make is None or release is None or release.span.offset < make.span.offset:
        return None
    if _escapes(loop, pointer, make, release):
        return None
    decls = [n for n in walk(loop.body) if isinstance(n, Decl) and n.symbol.key == pointer.key]
    if not decls:
        return _Move(pointer, make.span, release.span, ()) if pointer.span.offset < loop.span.offset else None
    own = decls[0] if decls[0] in loop.body.body else None
    if own is None or not (own.init is None or isinstance(uncast(own.init), Const)) or _clashes(function, pointer):
        return None
    line = _declared_with(program, loop.body, own)
    return _Move(pointer, make.span, release.span, line) if line else None


def _declared_with(program: TranslationUnit, body: Block, own: Decl) -> tuple[Span, ...]:
    """The spans of all that one declaration declares (`float *a, *b;`): the first has the type, the others a name."""
    data = program.files.get(own.span.file, b"")
    line: list[Decl] = []
    for stmt in body.body:
        if not isinstance(stmt, Decl):
            continue
        if not program.text(stmt.span).startswith(stmt.symbol.name):
            if own in line:
                break
            line = [stmt]
        elif line and b";" not in data[line[-1].span.end_offset : stmt.span.offset]:
            line.append(stmt)
        else:
            return ()
    return tuple(d.span for d in line) if own in line else ()


def _escapes(loop: Looping, pointer: Symbol, make: Stmt, release: Stmt) -> bool:
    """Whether a loop does more with a pointer than to use it between allocation and release."""
    assert isinstance(loop.body, Block)
    inside = [s for s in loop.body.body if make.span.offset < s.span.offset < release.span.offset]
    if any(changes(s, pointer.key) or _frees(s, pointer) for s in inside):
        return True
    uses = sum(isinstance(n, Var) and n.symbol.key == pointer.key for n in walk(loop))
    proper = sum(
        isinstance(n, Var) and n.symbol.key == pointer.key for s in (make, *inside, release) for n in walk(s)
    )
    return uses != proper


def _stored_in(call: Call) -> Symbol | None:
    """The local pointer that an allocation fills: `&p`, whatever it is cast to."""
    target = uncast(call.args[0]) if call.args else None
    if not isinstance(target, AddressOf) or not isinstance(target.operand, Var):
        return None
    symbol = target.operand.symbol
    return symbol if symbol.storage in {Storage.LOCAL, Storage.PARAM} else None


def _fixed_size(size: Expr, loop: Looping) -> bool:
    """Whether a size is made of constants and of local variables that the loop neither changes nor declares."""
    declared = {n.symbol.key for n in walk(loop) if isinstance(n, Decl)}
    for node in walk(size):
        if isinstance(node, Var):
            local = node.symbol.storage in {Storage.LOCAL, Storage.PARAM}
            if not (local or node.symbol.const) or node.symbol.key in declared or changes(loop, node.symbol.key):
                return False
        elif not isinstance(node, Const | Binary | Unary | Cast):
            return False
    return True


def _alone(program: TranslationUnit, body: Block, call: Call) -> Stmt | None:
    """The statement of a block that is nothing but a call, or nothing but a macro around it."""
    for stmt in body.body:
        if any(node is call or node == call for node in walk(stmt)):
            return stmt if _is_only(program, stmt, call) else None
    return None


def _is_only(program: TranslationUnit, stmt: Stmt, call: Call) -> bool:
    if stmt.span.macro is None:
        return isinstance(stmt, ExprStmt) and uncast(stmt.expr) == call
    use = program.text(stmt.span).replace(" ", "")
    return use == f"{stmt.span.macro}({program.text(call.span)})".replace(" ", "")


def _releases(program: TranslationUnit, stmt: Stmt, pointer: Symbol) -> bool:
    """Whether a statement is nothing but the release of a pointer."""
    call = _frees(stmt, pointer)
    return call is not None and _is_only(program, stmt, call)


def _frees(stmt: Stmt, pointer: Symbol) -> Call | None:
    for node in walk(stmt):
        if isinstance(node, Call) and node.name == "cudaFree" and len(node.args) == 1:
            freed = uncast(node.args[0])
            if isinstance(freed, Var) and freed.symbol.key == pointer.key:
                return node
    return None


def _clashes(function: Function, pointer: Symbol) -> bool:
    """Whether the function has another variable of that name, or uses one from outside."""
    nodes = list(walk(function.body)) if function.body is not None else []
    symbols = [*function.params, *(n.symbol for n in nodes if isinstance(n, Decl | Var | RangeFor))]
    return any(s.name == pointer.name and s.key != pointer.key for s in symbols)


# -- the edits ---------------------------------------------------------------------------------------


def _edits(program: TranslationUnit, loop: Looping, moves: list[_Move]) -> tuple[Edit, ...]:
    at = line_of(program, loop.span, semicolon=False)
    if at is None or not at.first:
        return ()
    declared = _declarations(program, moves)
    if declared is None:
        return ()
    moved = sorted({*declared, *(m.make for m in moves)}, key=lambda s: s.offset)
    released = sorted((m.release for m in moves), key=lambda s: s.offset)
    removals = [_removal(program, span) for span in (*moved, *released)]
    texts = [f"{at.indent}{program.text(span)};\n" for span in moved]
    behind = f";\n{at.indent}".join(program.text(span) for span in released)
    after = add_behind(program, unwound(program, loop.span), f"{behind};", semicolon=False)
    gone = [edit for edit in removals if edit is not None]
    if after is None or len(gone) != len(removals):
        return ()
    before = Edit(between(program, loop.span.file, at.start, at.start), "".join(texts))
    return (before, *gone, after)


def _declarations(program: TranslationUnit, moves: list[_Move]) -> list[Span] | None:
    """The declarations to move; None when one also declares something that stays."""
    count: dict[int, list[_Move]] = {}
    for move in moves:
        if move.declared:
            count.setdefault(move.declared[0].offset, []).append(move)
    if any(len(same) != len(same[0].declared) for same in count.values()):
        return None
    lines = [same[0].declared for same in count.values()]
    return [between(program, line[0].file, line[0].offset, line[-1].end_offset) for line in lines]


def _removal(program: TranslationUnit, span: Span) -> Edit | None:
    """Remove a statement, with its line or lines when it has them to itself."""
    line = line_of(program, span)
    if line is None:
        return None
    data = program.files[span.file]
    begin, end = span.offset, line.end
    if line.first and not line.rest:
        begin, end = line.start, min(len(data), data.find(b"\n", line.end) + 1 or len(data))
    return Edit(between(program, span.file, begin, end), "")
