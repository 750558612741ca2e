"""Instances of templates that nothing in a file instantiates: a second parse asks for some, arguments guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cudalint.lint.frontend.declarations import (
    FUNCTIONS,
    TEMPLATE_PARAMETER,
    TYPE_PARAMETER,
    VALUE_PARAMETER,
    VARIABLE,
)
from cudalint.lint.frontend.functions import Lowering, Template
from cudalint.lint.frontend.index import CXCursor, children, library, spelling
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.expressions import Builtin, Storage, Unknown
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.statements import Decl, UnknownStmt
from cudalint.lint.model.walk import walk

_PREFIX = "cudalint_probe_"
_ANY = "cudalint_any"
_GUESSES = (("float", "256"), ("float", "32"), ("int", "32"), (_ANY, "32"))
"""Tried in this order: what stands for a type and for an integer. A warp's size fits tiles, 256 fits rows."""
_SHARED_LIMIT = 48 * 1024
"""Static shared memory of a block, bytes (CUDA C++ Programming Guide, table of compute capabilities)."""
_BOOL, _ENUM, _POINTER = 3, 106, 101
_INTEGERS = range(4, 21)
_PREAMBLE = f"""
struct {_ANY} {{
  template <class... A> __host__ __device__ float operator()(A &&...) const;
  __host__ __device__ operator float() const;
}};
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """One guess for one template."""

    template: int
    guess: int
    text: str

    @property
    def name(self) -> str:
        """The variable whose initialiser asks for the instance."""
        return f"{_PREFIX}{self.template}_{self.guess}"


def probes(spans: Spans, templates: Sequence[Template]) -> list[Probe]:
    """The instances to ask for; none for templates whose parameters cannot be guessed."""
    found = []
    for number, template in enumerate(templates):
        seen: set[str] = set()
        for guess, (of, integer) in enumerate(_GUESSES):
            arguments = _arguments(spans, template.cursor, of, integer)
            if arguments is None or arguments in seen:
                continue
            seen.add(arguments)
            found.append(Probe(number, guess, f"&::{template.qualified}<{arguments}>"))
    return found


def appended(content: bytes, asked: Sequence[Probe]) -> bytes:
    """The file with the requests after its end, so that all its own offsets stay as they are."""
    lines = "".join(f"static auto {p.name} = {p.text};\n" for p in asked)
    return content + b"\n" + _PREAMBLE.encode() + lines.encode()


def _arguments(spans: Spans, template: CXCursor, of: str, integer: str) -> str | None:
    """Template arguments up to the first parameter with a default; None when one cannot be guessed."""
    lib = library()
    arguments = []
    for parameter in children(template):
        if parameter.kind == TYPE_PARAMETER:
            if _has_default(spans, parameter):
                break
            arguments.append(of)
        elif parameter.kind == VALUE_PARAMETER:
            if _has_default(spans, parameter):
                break
            canonical = lib.clang_getCanonicalType(lib.clang_getCursorType(parameter))
            value = _value(canonical.kind, integer)
            if value is None:
                return None
            arguments.append(value)
        elif parameter.kind == TEMPLATE_PARAMETER:
            return None
    return ", ".join(arguments)


def _has_default(spans: Spans, parameter: CXCursor) -> bool:
    """Whether a template parameter has a default; libclang shows only some, so its text decides."""
    span = spans.of(library().clang_getCursorExtent(parameter))
    file = spans.files.get(span.file)
    return file is not None and b"=" in file.data[span.offset : span.end_offset]


def _value(kind: int, integer: str) -> str | None:
    if kind == _BOOL:
        return "true"
    if kind in _INTEGERS or kind in (1, 26):
        return integer
    return "nullptr" if kind == _POINTER else None


def choose(lowering: Lowering, root: CXCursor, asked: Sequence[Probe], templates: Sequence[Template]) -> set[int]:
    """Lower the best instance of each template with what it leads to; the numbers of the templates reached.

    A kernel that an instance chosen before it launches is reached already and needs no guess of its own.
    """
    instances = _instances(root)
    places = {
        probe.template: library().clang_getCursorLocation(instances[probe.name]).raw
        for probe in asked
        if probe.name in instances
    }
    for number in dict.fromkeys(probe.template for probe in asked):
        if places.get(number) in lowering.instantiated:
            continue
        guesses = [instances[p.name] for p in asked if p.template == number and p.name in instances]
        best = _best(lowering, guesses)
        if best is not None:
            lowering.refer(best)
            lowering.run()
    return {number for number in range(len(templates)) if places.get(number) in lowering.instantiated}


def _best(lowering: Lowering, guesses: Sequence[CXCursor]) -> CXCursor | None:
    """The instance that is understood best; the first of equals."""
    best, least = None, 1 << 30
    for cursor in guesses:
        callee = lowering.declarations.callee(cursor)
        if callee.key is None or callee.definition is None:
            continue
        mark = lowering.mark()
        faults = _faults(lowering.function(callee, callee.definition))
        lowering.back_to(mark)
        if faults < least:
            best, least = cursor, faults
        if not faults:
            break
    return best


def _instances(root: CXCursor) -> dict[str, CXCursor]:
    lib = library()
    found: dict[str, CXCursor] = {}
    for child in children(root):
        if child.kind != VARIABLE:
            continue
        name = spelling(child)
        if name.startswith(_PREFIX):
            target = _function_in(lib.clang_Cursor_getVarDeclInitializer(child))
            if target is not None:
                found[name] = target
    return found


def _function_in(cursor: CXCursor) -> CXCursor | None:
    lib = library()
    while cursor.kind in (100, 111, 112):
        inner = children(cursor)
        if not inner:
            return None
        cursor = inner[-1]
    target = lib.clang_getCursorReferenced(cursor) if cursor.kind == 101 else None
    return target if target is not None and target.kind in FUNCTIONS else None


def _faults(function: Function) -> int:
    """How ill a guess fits: what is not understood, shared memory that no block has, a row for a tile."""
    if function.body is None:
        return 1 << 20
    unknown = shared = rows = 0
    for node in walk(function.body):
        if isinstance(node, Unknown | UnknownStmt):
            unknown += 1
        elif isinstance(node, Decl) and node.symbol.storage is Storage.SHARED:
            shared += node.symbol.type.size
        elif isinstance(node, Builtin) and node.name == "threadIdx" and node.axis in ("y", "z"):
            rows = 1
    wide = function.kind is FunctionKind.KERNEL and rows and any(a.value == 256 for a in function.template_args)
    return 16 * unknown + 4 * (shared > _SHARED_LIMIT) + 2 * bool(wide)
