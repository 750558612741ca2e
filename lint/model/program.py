"""Functions, launches and translation units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from cudalint.lint.model.expressions import Expr, Launch, Symbol
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block
from cudalint.lint.model.types import RecordType, Type

T = TypeVar("T")


INSTANCES = 6
"""Instances of one kernel template that are judged. Dispatchers over types and sizes make hundreds, all alike."""


class FunctionKind(Enum):
    """Where a function runs."""

    KERNEL = "__global__"
    DEVICE = "__device__"
    HOST_DEVICE = "__host__ __device__"
    HOST = "__host__"


@dataclass(frozen=True, slots=True)
class TemplateArg:
    """One template argument of an instance: a type or an integer, with the parameter's name."""

    name: str
    value: Type | int | str


@dataclass(frozen=True, slots=True)
class Function:
    """A function with its body, or one instance of a function template.

    `key` is unique per instance; `pattern` is the same for all instances of one template (and equals `key`
    otherwise), so that findings of several instances can be merged. `launch_bounds` is
    (max threads, min blocks) as far as constant. `synthetic` instances were not launched in this file:
    their template arguments are guesses. `receiver` is the record for methods; in a method body `this`
    is a parameter-like symbol named `this`.
    """

    key: str
    pattern: str
    name: str
    qualified: str
    kind: FunctionKind
    params: tuple[Symbol, ...]
    result: Type
    body: Block | None
    span: Span
    name_span: Span
    template_args: tuple[TemplateArg, ...] = ()
    launch_bounds: tuple[int | None, int | None] | None = None
    receiver: RecordType | None = None
    this: Symbol | None = None
    synthetic: bool = False
    initializers: tuple[tuple[str, Expr], ...] = ()
    """Constructor member initialisers: field name and value."""
    mangled: str = ""
    """The Itanium name of this instance, as compilers emit it; empty when it has none."""


@dataclass(frozen=True, slots=True)
class Global:
    """A variable at namespace scope or a static: with its initialiser where it has one."""

    symbol: Symbol
    init: Expr | None


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """A launch and the function that contains it."""

    launch: Launch
    function: str


class NoteKind(Enum):
    """Why something could not be seen."""

    MISSING_HEADER = "missing header"
    SYNTAX = "syntax"
    UNKNOWN_NAME = "unknown name"
    NOT_LOWERED = "not understood"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the front end could not see, for CUD000. `in_kernel` when it hides kernel code."""

    kind: NoteKind
    message: str
    span: Span
    in_kernel: bool = False


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """One parsed source file with what it includes from the project.

    `functions` holds every function of the project's own files that has a body, by key (kernels, device, host;
    template instances as used, of kernel templates with very many only some). `files` maps each project file seen
    to its bytes. `flags` are the compiler flags that applied (from compile_commands, the command line, or else
    from build files).
    """

    path: str
    functions: Mapping[str, Function]
    globals: tuple[Global, ...]
    launches: tuple[LaunchSite, ...]
    notes: tuple[Note, ...]
    files: Mapping[str, bytes] = field(repr=False)
    flags: tuple[str, ...] = ()
    defines_main: bool = False

    def kernels(self) -> tuple[Function, ...]:
        """All kernels with a body, in source order; several instances of a template stand together."""
        kernels = [f for f in self.functions.values() if f.kind is FunctionKind.KERNEL and f.body]
        return tuple(sorted(kernels, key=lambda f: (f.span.start, f.key)))

    def text(self, span: Span) -> str:
        """The source text of a span; empty when its file was not read."""
        data = self.files.get(span.file, b"")
        return data[span.offset : span.end_offset].decode("utf-8", "replace")


def spread(items: Sequence[T], count: int) -> list[T]:
    """At most `count` of the items, from all over them: the first and the last among them."""
    count = min(len(items), count)
    return [items[at * (len(items) - 1) // max(1, count - 1)] for at in range(count)]
