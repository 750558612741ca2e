"""Statements of the model: structured control flow."""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.lint.model.expressions import Expr, Symbol
from cudalint.lint.model.source import Span


@dataclass(frozen=True, slots=True)
class Block:
    """`{ … }`; a null statement is an empty block."""

    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Decl:
    """The declaration of one variable, `init` None when it has no initialiser."""

    symbol: Symbol
    init: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class ExprStmt:
    """An expression evaluated for its effect."""

    expr: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if (condition)`; `init` holds C++17 init statements and condition variables.

    For `if constexpr` (`constexpr` true) the branch not taken may be an empty block. `head` spans the
    condition, for findings.
    """

    condition: Expr
    then: Stmt
    otherwise: Stmt | None
    span: Span
    head: Span
    init: tuple[Stmt, ...] = ()
    constexpr: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`for (init; condition; step) body`. `unroll` is True when `#pragma unroll` stands before it."""

    init: tuple[Stmt, ...]
    condition: Expr | None
    step: Expr | None
    body: Stmt
    span: Span
    head: Span
    unroll: bool = False


@dataclass(frozen=True, slots=True)
class RangeFor:
    """`for (symbol : range) body`."""

    symbol: Symbol
    range: Expr
    body: Stmt
    span: Span
    head: Span


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`, or `do body while (condition)` when `do` is set."""

    condition: Expr
    body: Stmt
    span: Span
    head: Span
    do: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One label group of a switch with the statements up to the next label. `values` empty: default.

    Control falls through to the next case unless the body breaks, as in C.
    """

    values: tuple[Expr, ...]
    default: bool
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch (condition) { cases }`."""

    condition: Expr
    cases: tuple[Case, ...]
    span: Span
    head: Span


@dataclass(frozen=True, slots=True)
class Return:
    """`return value`."""

    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    """`break`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Try:
    """`try { body } catch … { handlers }`."""

    body: Stmt
    handlers: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Asm:
    """Inline assembly; `text` is the template where it could be read."""

    text: str
    outputs: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class UnknownStmt:
    """A statement that is not understood (goto, a missing type): analyses make no claim about it."""

    reason: str
    body: tuple[Stmt, ...]
    span: Span


Stmt = (
    Block
    | Decl
    | ExprStmt
    | If
    | For
    | RangeFor
    | While
    | Switch
    | Return
    | Break
    | Continue
    | Try
    | Asm
    | UnknownStmt
)
