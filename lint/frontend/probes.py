"""Instances of templates that nothing in a file instantiates: a second parse asks for some, arguments guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from cudalint.lint.frontend.damage import Damage
from cudalint.lint.frontend.declarations import (
    FUNCTIONS,
    TEMPLATE_PARAMETER,
    TYPE_PARAMETER,
    VALUE_PARAMETER,
    VARIABLE,
    Declarations,
)
from cudalint.lint.frontend.explicit import explicit_arguments
from cudalint.lint.frontend.functions import Lowering, Template
from cudalint.lint.frontend.index import CXCursor, Parsed, ParseError, children, library, spelling
from cudalint.lint.frontend.notes import Trouble, troubles
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.frontend.types import TypeTable
from cudalint.lint.model.expressions import Builtin, Storage, Unknown
from cudalint.lint.model.program import Function, FunctionKind, NoteKind
from cudalint.lint.model.statements import Decl, UnknownStmt
from cudalint.lint.model.walk import walk

_PREFIX = "cudalint_probe_"
_ANY = "cudalint_any"
_GUESSES = (("float", "256"), ("float", "32"), ("int", "32"), (_ANY, "32"))
"""Tried in this order, each in a parse of its own, for an error does not tell which instance it is about:
what stands for a type and for an integer. A warp's size fits tiles, 256 fits rows."""
_SHARED_LIMIT = 48 * 1024
"""Static shared memory of a block, bytes (CUDA C++ Programming Guide, table of compute capabilities)."""
_BOOL, _ENUM, _POINTER = 3, 106, 101
_INTEGERS = range(4, 21)
_MANY = 200
"""A file that leads to so many functions takes seconds to parse: it is guessed at once only."""
_PREAMBLE = f"""
struct {_ANY} {{
  template <class... A> __host__ __device__ float operator()(A &&...) const;
  __host__ __device__ operator float() const;
}};
"""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One instance: how ill its guess fits, and the parse that it was lowered in."""

    faults: int
    key: str
    lowering: Lowering


def prepared(spans: Spans, errors: Sequence[Trouble], name: str, names: dict[str, int] | None = None) -> Lowering:
    """A lowering for one parse. `names` carries the numbering of symbols on from an earlier parse."""
    damage = Damage(error.span for error in errors if error.kind is not NoteKind.MISSING_HEADER)
    types = TypeTable()
    return Lowering(types, spans, Declarations(types, spans, damage, names), name)


def instantiate(first: Lowering, parse: Callable[[bytes], Parsed], content: bytes) -> None:
    """Add the best instance found of each template that lacks one, with what it leads to.

    Host templates come first: they say how the kernels that they launch are instantiated.
    """
    missing = sorted(first.missing(), key=lambda template: template.kernel)
    best: dict[int, _Candidate] = {}
    reached: set[int] = set()
    tried: set[tuple[int, str]] = set()
    asked_for = explicit_arguments(content, [t.qualified.rpartition("::")[2] for t in missing])
    if asked_for:
        with suppress(ParseError):
            _round(first, parse(_appended(content, missing, asked_for)), asked_for, best, reached, synthetic=False)
    for of, integer in _GUESSES if len(first.functions) < _MANY else _GUESSES[:1]:
        asked = {
            number: _arguments(first.spans, missing[number].cursor, of, integer) for number in range(len(missing))
        }
        wanted = {n: a for n, a in asked.items() if a is not None and n not in reached and (n, a) not in tried}
        if wanted:
            tried |= set(wanted.items())
            try:
                parsed = parse(_appended(content, missing, wanted))
            except ParseError:
                break
            _round(first, parsed, wanted, best, reached)
    _merge(first, best)
    first.instantiated |= {missing[number].place for number in {*best, *reached}}


def _merge(first: Lowering, best: Mapping[int, _Candidate]) -> None:
    """Take over what the best candidates' parses brought in, without the instances that lost."""
    for lowering in {id(candidate.lowering): candidate.lowering for candidate in best.values()}.values():
        lost = lowering.probed - {candidate.key for candidate in best.values() if candidate.lowering is lowering}
        added = {k: f for k, f in lowering.functions.items() if k not in lost and k not in first.functions}
        first.functions.update(added)
        first.launches += [site for site in lowering.launches if site.function in added]


def _appended(content: bytes, templates: Sequence[Template], asked: Mapping[int, str]) -> bytes:
    """The file with the requests after its end, so that all its own offsets stay as they are."""
    lines = "".join(
        f"static auto {_PREFIX}{number} = &::{templates[number].qualified}<{arguments}>;\n"
        for number, arguments in asked.items()
    )
    return content + b"\n" + _PREAMBLE.encode() + lines.encode()


def _round(
    first: Lowering,
    parsed: Parsed,
    asked: Mapping[int, str],
    best: dict[int, _Candidate],
    reached: set[int],
    *,
    synthetic: bool = True,
) -> None:
    """Lower one guess of each template asked for, and keep those that fit better than what was kept before.

    Instances that are not `synthetic` are the file's own: they count whatever they look like.
    """
    try:
        spans = Spans(parsed.handle, first.main)
        lowering = prepared(spans, list(troubles(parsed.handle, spans)), first.main, first.declarations.names)
        lowering.synthetic = synthetic
        lowering.skip(set(first.functions))
        instances = _instances(parsed.cursor)
        places = {number: library().clang_getCursorLocation(cursor).raw for number, cursor in instances.items()}
        for number in asked:
            if places.get(number) in lowering.instantiated:
                reached.add(number)
            if number not in instances or number in reached:
                continue
            candidate = _candidate(lowering, instances[number])
            if candidate is not None and (number not in best or candidate.faults < best[number].faults):
                best[number] = candidate
                if not (candidate.faults and synthetic):
                    reached.add(number)
    finally:
        parsed.close()


def _candidate(lowering: Lowering, cursor: CXCursor) -> _Candidate | None:
    """Lower one instance with what it leads to; None when clang could not instantiate its body."""
    key = lowering.demand(cursor) or ""
    lowering.probed.add(key)
    lowering.run()
    own = lowering.functions.get(key)
    return _Candidate(_faults(own), key, lowering) if own is not None else None


def _instances(root: CXCursor) -> dict[int, CXCursor]:
    lib = library()
    found: dict[int, CXCursor] = {}
    for child in children(root):
        if child.kind != VARIABLE:
            continue
        name = spelling(child)
        if name.startswith(_PREFIX):
            target = _function_in(lib.clang_Cursor_getVarDeclInitializer(child))
            if target is not None:
                found[int(name.removeprefix(_PREFIX))] = target
    return found


def _arguments(spans: Spans, template: CXCursor, of: str, integer: str) -> str | None:
    """Template arguments up to the first parameter with a default; None when one cannot be guessed."""
    lib = library()
    arguments = []
    for parameter in children(template):
        if parameter.kind in (TYPE_PARAMETER, VALUE_PARAMETER) and _has_default(spans, parameter):
            break
        if parameter.kind == TYPE_PARAMETER:
            arguments.append(of)
        elif parameter.kind == VALUE_PARAMETER:
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
