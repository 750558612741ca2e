"""Parse one file and lower it to a `TranslationUnit`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

from cudalint.lint.frontend import pch
from cudalint.lint.frontend.headers import defines, folders_of, search_paths
from cudalint.lint.frontend.implied import implied_headers
from cudalint.lint.frontend.index import Parsed, ParseError
from cudalint.lint.frontend.notes import collect, failed, troubles
from cudalint.lint.frontend.probes import instantiate, prepared
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.program import Note, TranslationUnit

_RECURSION = 12_000
"""Python frames that the deepest expression or statement accepted may take, with room for callers."""
_ALIGNED = re.compile(
    rb"((?:(?:extern|static)\s+)?__(?:shared|constant|device)__)(\s+)(alignas\s*\((?:[^()]|\([^()]*\))*\))"
)
_BRACKETS = 1_000
"""Open brackets at once. The parser stops at 256, but its recovery recurses until the stack ends."""
_GUESSES = 3
"""Parses with headers that errors ask for: those of one parse can hide others."""
_OPEN, _CLOSE = b"([{", b")]}"
_OTHERS = bytes(byte for byte in range(256) if byte not in _OPEN + _CLOSE)
_STEPS = [1 if byte in _OPEN else -1 for byte in range(256)]


def parse_file(
    path: str | Path,
    *,
    flags: Sequence[str] = (),
    content: bytes | None = None,
    search: bool = True,
    overlay: Mapping[str, bytes] | None = None,
) -> TranslationUnit:
    """Lower the file at `path`, or `content` in its place; `overlay` replaces files that it includes.

    `flags` are compiler flags as clang takes them (`flags.translate`, `compiledb.flags_for`). With `search`,
    headers that they do not lead to are looked for in the usual folders of a project, and where there are no
    flags the makefile's macros apply. Never raises for what is in the file: what cannot be read leaves an empty
    unit with a `FAILED` note.
    """
    name = str(path)
    if content is None:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            return _empty(name, flags, b"", failed(name, f"cannot be read: {error.strerror or error}"))
    if _bracket_depth(content) > _BRACKETS:
        return _empty(name, flags, content, failed(name, "brackets are nested too deeply to be read"))
    generated: Mapping[str, bytes] = {}
    if search:
        given = flags or defines(os.path.dirname(os.path.abspath(name)))  # noqa: PTH100, PTH120 - lexical
        found = search_paths(name, content, folders_of(given), str(pch.INCLUDE))
        flags = (*given, *(f"-I{folder}" for folder in found.folders))
        generated = found.generated
    shown = {**generated, **(overlay or {})}
    try:
        parsed = pch.parsed(name, flags, _reordered(content), shown)
        for _ in range(_GUESSES):
            extra = [header for header in _implied(parsed, name) if header not in flags]
            if not extra:
                break
            parsed.close()
            flags = (*flags, *(flag for header in extra for flag in ("-include", header)))
            parsed = pch.parsed(name, flags, _reordered(content), shown)
    except ParseError as error:
        return _empty(name, flags, content, failed(name, str(error)))
    try:
        with _deep_recursion():
            return _lower(parsed, name, flags, {**shown, name: content}, frozenset(generated))
    finally:
        parsed.close()


def _implied(parsed: Parsed, name: str) -> tuple[str, ...]:
    """Headers of what the file uses without including it."""
    spans = Spans(parsed.handle, name)
    return implied_headers(troubles(parsed.handle, spans), spans)


def _reordered(content: bytes) -> bytes:
    """`__shared__ alignas(16)` with the two exchanged, as clang wants them: nvcc takes either order.

    All other bytes stay where they are.
    """
    return _ALIGNED.sub(rb"\3\2\1", content) if b"alignas" in content else content


def _bracket_depth(content: bytes) -> int:
    return max(accumulate(_STEPS[byte] for byte in content.translate(None, _OTHERS)), default=0)


def _lower(
    parsed: Parsed, name: str, flags: Sequence[str], given: Mapping[str, bytes], made_up: frozenset[str]
) -> TranslationUnit:
    spans = Spans(parsed.handle, name)
    errors = list(troubles(parsed.handle, spans))
    lowering = prepared(spans, errors, name)
    lowering.scan(parsed.cursor)
    lowering.run()
    if lowering.missing():
        main = _reordered(given[name])
        instantiate(lowering, lambda probed: pch.parsed(name, flags, probed, given), main)
    for template in lowering.missing():
        if template.kernel:
            function = lowering.pattern(template)
            lowering.functions[function.key] = function
    lowering.run()
    files = {path: file.data for path, file in lowering.spans.files.items() if not file.system}
    files[name] = given[name]
    files = {path: data for path, data in files.items() if path not in made_up}
    return TranslationUnit(
        path=name,
        functions=lowering.functions,
        globals=tuple(lowering.globals.values()),
        launches=tuple(lowering.launches),
        notes=collect(errors, lowering.functions.values()),
        files=files,
        flags=tuple(flags),
        defines_main=lowering.defines_main,
    )


def _empty(name: str, flags: Sequence[str], content: bytes, note: Note) -> TranslationUnit:
    return TranslationUnit(name, {}, (), (), (note,), {name: content}, tuple(flags))


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
