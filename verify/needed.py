"""What a kernel needs of a unit's files: the declarations whose names it mentions, directly or not.

Names are looked for in the text, so that templates, macros and overloads keep all that they may need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cudalint.lint.frontend.hostparts import Declared, HostPart
from cudalint.lint.model.source import Span

_NAME = re.compile(rb"[A-Za-z_]\w*")
_SKIPPED = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_INSTANTIATION = re.compile(
    rb"(?:\bextern\s+)?\btemplate\s+(?!<)[^;{}]+;|^[ \t]*(?P<macro>\w+)[ \t]*\([^;{}()]*\)[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_INSTANTIATED = re.compile(rb"\btemplate\s+(?!<)(?:__launch_bounds__\s*\([^()]*\)|[^<(;])*?(\w+)\s*[<(]")


@dataclass(slots=True)
class _Piece:
    """Declarations that share text, such as a record and the variables that are declared with it."""

    file: str
    start: int
    end: int
    names: set[str]
    host: bool
    always: bool
    inside: list[HostPart] = field(default_factory=list)
    elsewhere: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Needed:
    """The files with what is needed, and the device functions that none of them defines."""

    files: Mapping[str, bytes]
    undefined: frozenset[str]


def without_rest(files: Mapping[str, bytes], declared: Sequence[Declared], roots: Iterable[str]) -> Needed:
    """The files with only the declarations that `roots` need; the rest becomes blanks, line breaks stay."""
    pieces = _pieces(declared)
    _widen(files, pieces)
    by_name: dict[str, list[_Piece]] = {}
    for piece in pieces:
        for name in piece.names:
            by_name.setdefault(name, []).append(piece)
    macros = {name.decode(): body for data in files.values() for name, body in _DEFINE.findall(data)}
    todo = [*roots, *_loose_names(files, pieces)]
    for piece in pieces:
        if piece.always:
            piece.kept = True
            todo += _identifiers(_own_text(files, piece))
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        todo += _identifiers(macros.get(name, b""))
        for piece in by_name.get(name, ()):
            if not piece.kept and not piece.host:
                piece.kept = True
                todo += _identifiers(_own_text(files, piece))
    kept = {name for piece in pieces if piece.kept for name in piece.names}
    for one in _instantiations(files, pieces, macros):
        text = files[one.file][one.start : one.end]
        bodies = [macros.get(name, b"") for name in _identifiers(text)]
        mentioned = {name.decode() for name in _INSTANTIATED.findall(b" ".join([text, *bodies]))}
        one.kept = bool(mentioned & kept)
        pieces.append(one)
    defined = {name for piece in pieces if piece.kept and not piece.elsewhere for name in piece.names}
    return Needed(_blanked(files, pieces), frozenset(kept - defined))


def _instantiations(
    files: Mapping[str, bytes], pieces: Sequence[_Piece], macros: Mapping[str, bytes]
) -> list[_Piece]:
    """The explicit instantiations of templates, also by macros, which stand outside of all declarations."""
    return [
        _Piece(file, found.start(), found.end(), set(), host=False, always=False)
        for file, data in files.items()
        for found in _INSTANTIATION.finditer(_outside(file, data, pieces))
        if found["macro"] is None or b"template" in macros.get(found["macro"].decode(), b"")
    ]


def _pieces(declared: Sequence[Declared]) -> list[_Piece]:
    """The declarations in order, those that overlap joined."""
    pieces: list[_Piece] = []
    for one in sorted(declared, key=lambda d: (d.span.file, d.span.offset, -d.span.end_offset)):
        last = pieces[-1] if pieces else None
        if last is not None and last.file == one.span.file and one.span.offset < last.end:
            last.end = max(last.end, one.span.end_offset)
            last.names |= one.names
            last.host &= one.host
            last.always |= one.always
            last.elsewhere &= one.elsewhere
            last.inside += one.inside
        else:
            span = one.span
            made = _Piece(span.file, span.offset, span.end_offset, set(one.names), one.host, one.always)
            made.inside += one.inside
            made.elsewhere = one.elsewhere
            pieces.append(made)
    return pieces


def _widen(files: Mapping[str, bytes], pieces: Sequence[_Piece]) -> None:
    """Let each piece reach from the end of what stands before it to its semicolon: attributes belong to it."""
    plain = {file: _SKIPPED.sub(_spaces, _DIRECTIVE.sub(_spaces, data)) for file, data in files.items()}
    directives = {file: [m.end() for m in _DIRECTIVE.finditer(data)] for file, data in files.items()}
    for at, piece in enumerate(pieces):
        text = plain[piece.file]
        before = pieces[at - 1].end if at and pieces[at - 1].file == piece.file else 0
        after = pieces[at + 1].start if at + 1 < len(pieces) and pieces[at + 1].file == piece.file else len(text)
        floor = max([before, *(end for end in directives[piece.file] if end <= piece.start)][-2:])
        gap = text[floor : piece.start]
        cut = max(gap.rfind(c) for c in (b";", b"}", b"{", b"\x00")) + 1
        piece.start = floor + cut + len(gap[cut:]) - len(gap[cut:].lstrip())
        if not text[: piece.end].endswith(b"}"):
            unread = text[piece.end : after].lstrip().startswith(b"=")  # an initialiser with names that are missing
            end = _semicolon(text, piece.end, after) if unread else text.find(b";", piece.end, after)
            piece.end = piece.end if end < 0 or (not unread and b"}" in text[piece.end : end]) else end


def _semicolon(text: bytes, start: int, end: int) -> int:
    """Where the semicolon after all brackets stands; -1 without one."""
    depth = 0
    for at in range(start, end):
        depth += (text[at] in b"({[") - (text[at] in b")}]")
        if depth == 0 and text[at] == 0x3B:
            return at
    return -1


def _spaces(found: re.Match[bytes]) -> bytes:
    """Blanks in the place of what was found, so that offsets stay."""
    return bytes(c if c == 0x0A else 0x20 for c in found.group())


def _loose_names(files: Mapping[str, bytes], pieces: Sequence[_Piece]) -> list[str]:
    """What is named outside of all declarations: code that a macro makes, or that is not parsed here."""
    rest = (_INSTANTIATION.sub(b" ", _outside(file, data, pieces)) for file, data in files.items())
    return [name for text in rest for name in _identifiers(text)]


def _outside(file: str, data: bytes, pieces: Sequence[_Piece]) -> bytes:
    """The text of a file with blanks in the place of comments, directives and pieces."""
    rest = bytearray(_SKIPPED.sub(_spaces, _DIRECTIVE.sub(_spaces, data)))
    for piece in pieces:
        if piece.file == file:
            rest[piece.start : piece.end] = b" " * (piece.end - piece.start)
    return bytes(rest)


def _own_text(files: Mapping[str, bytes], piece: _Piece) -> bytes:
    """The text of a piece without the host parts inside it."""
    text = bytearray(files[piece.file][piece.start : piece.end])
    for part in piece.inside:
        span = part.body or part.span
        text[span.offset - piece.start : span.end_offset - piece.start] = b" " * (span.end_offset - span.offset)
    return bytes(text)


def _identifiers(text: bytes) -> list[str]:
    return list({name.decode("ascii") for name in _NAME.findall(_SKIPPED.sub(b" ", text))})


def _blanked(files: Mapping[str, bytes], pieces: Iterable[_Piece]) -> dict[str, bytes]:
    out = {name: bytearray(data) for name, data in files.items()}
    for piece in pieces:
        if not piece.kept:
            _blank(out[piece.file], piece.start, piece.end)
            continue
        for part in piece.inside:
            span: Span = part.body or part.span
            _blank(out[piece.file], span.offset, span.end_offset)
            if part.body is not None and span.end_offset - span.offset >= 2:
                out[piece.file][span.offset], out[piece.file][span.end_offset - 1] = b"{}"
    return {name: bytes(data) for name, data in out.items()}


def _blank(data: bytearray, start: int, end: int) -> None:
    """Blanks in the place of text; line breaks and directives stay."""
    piece = bytes(data[start:end])
    blank = bytearray(c if c in b"\r\n" else 0x20 for c in piece)
    for directive in _DIRECTIVE.finditer(piece):
        if directive.start() or data[:start].endswith(b"\n") or start == 0:
            blank[directive.start() : directive.end()] = directive.group()
    data[start:end] = blank
