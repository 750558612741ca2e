"""A return before barriers turned into guards: what comes after runs under the opposite condition, barriers do not.

`if (i >= n) return;` leaves a kernel without the threads that a later barrier waits for. The statements between
the barriers are put under `if (i < n) { … }`, barriers stay outside, and so do declarations that any thread can
evaluate. A loop with barriers stays outside too, where all threads of the block run it alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.barriers_edit import indent_of, lines_of, may_meet
from cudalint.lint.analysis.barriers_idle import barrier_call
from cudalint.lint.analysis.barriers_pure import changed, names, negated, pure, shared_by_block
from cudalint.lint.diagnostics import Edit
from cudalint.lint.model.expressions import Assign, Expr, IncDec, Storage, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import (
    Asm,
    Block,
    Break,
    Continue,
    Decl,
    ExprStmt,
    For,
    If,
    RangeFor,
    Return,
    Stmt,
    Switch,
    UnknownStmt,
    While,
)
from cudalint.lint.model.types import FloatType, IntType
from cudalint.lint.model.walk import walk

_DIRECTIVE = re.compile(r"\s*#(?!\s*pragma\b)")
"""What the preprocessor reads, other than a pragma."""


class _EntangledError(Exception):
    """The statements hang together in a way that guards would break."""


def guard_edits(program: TranslationUnit, kernel: Function, decision: If) -> tuple[Edit, ...]:
    """The edits that turn the returns of a kernel's own statement list into guards; empty where they cannot be.

    `decision` is the return to be turned; others like it, before the last barrier, are turned as well.
    """
    if kernel.body is None or not any(statement is decision for statement in kernel.body.body):
        return ()
    writer = _Writer(program, kernel)
    try:
        writer.list_of(kernel.body.body, top=True)
    except _EntangledError:
        return ()
    return tuple(writer.edits) if decision.span in writer.removed else ()


@dataclass(slots=True)
class _Writer:
    """Goes through a statement list; `guards` are the conditions that working threads fulfil."""

    program: TranslationUnit
    kernel: Function
    guards: list[str] = field(default_factory=list)
    watched: set[str] = field(default_factory=set)
    removed: list[Span] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)

    def list_of(self, statements: Sequence[Stmt], top: bool) -> None:
        """Guard the statements of a list in runs between what all threads execute."""
        run: list[Stmt] = []
        rest = list(statements)
        while rest:
            statement = rest.pop(0)
            if top and not rest and isinstance(statement, Return):
                break
            if _is_return(statement) and top:
                self._close(run, [statement, *rest])
                run = []
                self._turn(statement, rest)
            elif barrier_call(statement) is not None:
                self._close(run, rest)
                run = []
            elif may_meet(self.program, statement):
                self._close(run, [statement, *rest])
                run = []
                if self.guards:
                    self._loop(statement)
            else:
                run.append(statement)
        self._close(run, [])

    def _turn(self, statement: Stmt, rest: Sequence[Stmt]) -> None:
        """Take a return out, and note its opposite as a guard."""
        assert isinstance(statement, If)
        line = lines_of(self.program, statement.span)
        used = names(statement.condition)
        spelled = {n.symbol.name for n in walk(statement.condition) if isinstance(n, Var)}
        again = {n.symbol.name for later in rest for n in walk(later) if isinstance(n, Decl)}
        if line is None or not pure(statement.condition) or spelled & again:
            raise _EntangledError
        if any(used & changed(later) for later in rest):
            raise _EntangledError
        self.guards.append(negated(self.program, statement.condition))
        self.removed.append(statement.span)
        self.edits.append(Edit(line, ""))

    def _loop(self, statement: Stmt) -> None:
        """A loop that all threads of a block run alike: its body is a list of its own."""
        body = self.kernel.body
        if not isinstance(statement, For) or not isinstance(statement.body, Block) or body is None:
            raise _EntangledError
        values = {n.symbol.key: n.init for n in walk(body) if isinstance(n, Decl) and n.init is not None}
        own: set[str] = set()
        heads: list[Expr] = []
        for start in statement.init:
            match start:
                case Decl(symbol=symbol, init=value) if value is not None:
                    own.add(symbol.key)
                    values[symbol.key] = value
                    heads.append(value)
                case ExprStmt(expr=Assign(op="=", target=Var(symbol=symbol), value=value)):
                    own.add(symbol.key)
                    values[symbol.key] = value
                    heads.append(value)
                case _:
                    raise _EntangledError
        match statement.step:
            case Assign(value=step):
                heads.append(step)
            case IncDec() | None:
                pass
            case _:
                raise _EntangledError
        stepped = changed(statement.step) if statement.step is not None else set()
        if statement.condition is None or stepped - own or own & changed(statement.body):
            raise _EntangledError
        changing = changed(body) - own
        if not all(shared_by_block(part, values, changing) for part in (*heads, statement.condition)):
            raise _EntangledError
        self.list_of(statement.body.body, top=False)

    def _close(self, run: Sequence[Stmt], rest: Sequence[Stmt]) -> None:
        """Guard a run of statements, but for the declarations that it starts with."""
        if not self.guards:
            return
        groups = list(_groups(run))
        while groups and all(_for_all(statement) for statement in groups[0]):
            groups.pop(0)
        while groups and all(_for_all(statement) for statement in groups[-1]):
            groups.pop()
        guarded = [statement for group in groups for statement in group]
        if not guarded:
            return
        later = set().union(*(names(statement) for statement in rest))
        carried = [s for s in guarded if isinstance(s, Decl) and s.symbol.key in later]
        if any(s in carried for group in groups if len(group) > 1 for s in group):
            raise _EntangledError
        if any(isinstance(part, Return | Asm | UnknownStmt) for s in guarded for part in walk(s)):
            raise _EntangledError
        if any(_jumps(s) for s in guarded):
            raise _EntangledError
        self._wrap(guarded, carried)

    def _wrap(self, guarded: Sequence[Stmt], carried: Sequence[Decl]) -> None:
        """Write a guard around statements; variables that are `carried` past it are declared before it."""
        first, last = lines_of(self.program, guarded[0].span), lines_of(self.program, guarded[-1].span)
        indent = indent_of(self.program, guarded[0].span)
        if first is None or last is None or indent is None:
            raise _EntangledError
        span = Span(first.file, first.line, 1, last.end_line, 1, first.offset, last.end_offset)
        span = self._with_pragmas(span)
        text, before = self._assigned(span, carried)
        if any(_DIRECTIVE.match(line) or line.endswith("\\") for line in text.splitlines()):
            raise _EntangledError
        step = "\t" if "\t" in indent else "  " if len(indent) == 2 else "    "
        body = "".join(step + line if line.strip() else line for line in text.splitlines(keepends=True))
        head = "".join(f"{indent}{line}\n" for line in before)
        self.edits.append(Edit(span, f"{head}{indent}if ({' && '.join(self.guards)}) {{\n{body}{indent}}}\n"))

    def _with_pragmas(self, span: Span) -> Span:
        """Whole lines with the `#pragma` lines right above them, which are about the first statement."""
        data = self.program.files[span.file]
        while span.line > 1:
            start = data.rfind(b"\n", 0, span.offset - 1) + 1
            if not data[start : span.offset].lstrip().startswith(b"#pragma"):
                break
            span = replace(span, line=span.line - 1, offset=start)
        return span

    def _assigned(self, span: Span, carried: Sequence[Decl]) -> tuple[str, list[str]]:
        """The text of a span with some declarations made assignments, and the declarations by themselves."""
        before: list[str] = []
        text = self.program.files[span.file][span.offset : span.end_offset]
        for decl in reversed(carried):
            of, init = decl.symbol.type, decl.init
            head = self.program.text(replace(decl.span, end_offset=init.span.offset)) if init is not None else ""
            plain = isinstance(of, IntType | FloatType) and not decl.symbol.const and "auto" not in head
            if not plain or not head.rstrip().endswith("="):
                raise _EntangledError
            start, end = decl.span.offset - span.offset, decl.span.offset - span.offset + len(head.encode())
            text = text[:start] + f"{decl.symbol.name} = ".encode() + text[end:]
            before.insert(0, f"{head.rstrip()} 0;")
        return text.decode("utf-8", "replace"), before


def _is_return(statement: Stmt) -> bool:
    """Whether a statement is `if (…) return;`."""
    if not isinstance(statement, If) or statement.otherwise is not None or statement.init:
        return False
    inner = statement.then
    if isinstance(inner, Block) and len(inner.body) == 1:
        inner = inner.body[0]
    return isinstance(inner, Return) and inner.value is None


def _for_all(statement: Stmt) -> bool:
    """Whether a statement is a declaration that every thread can evaluate."""
    if not isinstance(statement, Decl):
        return isinstance(statement, Block) and not statement.body
    shared = statement.symbol.storage in (Storage.SHARED, Storage.DYNAMIC_SHARED)
    return shared or statement.init is None or pure(statement.init)


def _groups(run: Sequence[Stmt]) -> Iterator[list[Stmt]]:
    """The statements of a run, those together that share lines (`int a = 1, b = 2;`)."""
    group: list[Stmt] = []
    for statement in run:
        if group and statement.span.line > group[-1].span.end_line:
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def _jumps(statement: Stmt) -> bool:
    """Whether a statement holds a `break` or `continue` of a loop around it."""
    if isinstance(statement, For | While | RangeFor):
        return False
    ways = Continue if isinstance(statement, Switch) else Break | Continue
    return any(isinstance(part, ways) for part in walk(statement))
