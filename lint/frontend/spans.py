"""From libclang's raw locations to `Span`: code-point columns, macro uses, one table per file."""

from __future__ import annotations

import ctypes
import os
import re
from bisect import bisect_right
from ctypes import byref, c_size_t, c_uint, c_void_p
from typing import Any

from cudalint.lint.frontend.index import CXSourceLocation, CXSourceRange, library, text_of
from cudalint.lint.model.source import NOWHERE, Span

_MACRO = 0x80000000
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_SKIPPED = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


class SourceFile:
    """One file of a translation unit: its bytes and where its lines start."""

    def __init__(self, path: str, data: bytes, system: bool) -> None:
        self.path = path
        self.data = data
        self.system = system
        self._lines: list[int] | None = None
        self._ascii = data.isascii()
        self._ends: dict[int, int] = {}

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and code-point column of a byte offset."""
        if self._lines is None:
            self._lines = [0, *(match.end() for match in re.finditer(rb"\n", self.data))]
        line = bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        if self._ascii:
            return line, offset - start + 1
        return line, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def identifier(self, offset: int) -> str | None:
        """The identifier that starts at an offset."""
        match = _IDENTIFIER.match(self.data, offset)
        return match.group().decode() if match else None

    def use_end(self, offset: int) -> int:
        """The end of the macro use that starts at an offset: its name with its arguments, if it has any."""
        known = self._ends.get(offset)
        if known is None:
            match = _IDENTIFIER.match(self.data, offset)
            end = at = match.end() if match else offset
            while self.data[at : at + 1].isspace():
                at += 1
            known = closing(self.data, at) if self.data[at : at + 1] == b"(" else end
            self._ends[offset] = known
        return known


def closing(data: bytes, at: int) -> int:
    """The offset after the bracket that closes the one at `at`; the end of the data when it is never closed."""
    depth = 0
    size = len(data)
    while at < size:
        byte = data[at]
        if byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
            if depth == 0:
                return at + 1
        elif byte in b"/\"'":
            match = _SKIPPED.match(data, at)
            if match:
                at = match.end()
                continue
        at += 1
    return size


def semicolons(data: bytes, at: int) -> tuple[int, ...]:
    """Offsets of the semicolons directly inside the parenthesis that opens at or after `at`."""
    at = data.find(b"(", at)
    if at < 0:
        return ()
    end = closing(data, at) - 1
    found = []
    at += 1
    while at < end:
        byte = data[at]
        if byte == 0x3B:
            found.append(at)
        elif byte in b"([{":
            at = closing(data, at)
            continue
        elif byte in b"/\"'" and (match := _SKIPPED.match(data, at)):
            at = match.end()
            continue
        at += 1
    return tuple(found)


class Spans:
    """Makes spans for one translation unit. Raw offsets of a file are consecutive, so each is asked for once."""

    def __init__(self, handle: c_void_p, main: str) -> None:
        self._lib = library()
        self._handle = handle
        self._main = main
        self._ranges: list[tuple[int, int, SourceFile]] = []
        self._starts: list[int] = []
        self._by_path: dict[str, SourceFile] = {}
        self._by_handle: dict[int | None, SourceFile] = {}
        self._expansions: dict[int, tuple[SourceFile, int] | None] = {}
        self._written: dict[int, tuple[SourceFile, int] | None] = {}
        self._handle_out, self._offset_out = c_void_p(), c_uint()
        self._handle_ref, self._offset_ref = byref(self._handle_out), byref(self._offset_out)
        self._memo: dict[tuple[int, int], Span] = {}
        self._near: tuple[int, int, SourceFile] | None = None

    @property
    def files(self) -> dict[str, SourceFile]:
        """The files that locations were asked in, by path."""
        return self._by_path

    def of(self, extent: CXSourceRange) -> Span:
        """The span of a range; `NOWHERE` for what the compiler made up."""
        begin, end = extent.begin, extent.end
        key = (begin, end)
        span = self._memo.get(key)
        if span is None:
            span = self._memo[key] = self._make(begin, end, extent.p0, extent.p1)
        return span

    def name(self, location: CXSourceLocation, length: int) -> Span:
        """The span of a name of `length` bytes at a location."""
        raw = location.raw
        end = raw if raw & _MACRO else raw + length
        return self.of(CXSourceRange(location.p0, location.p1, raw, end))

    def file_of(self, location: CXSourceLocation) -> SourceFile | None:
        """The file that a location is expanded in; None for compiler built-ins."""
        if not location.raw:
            return None
        if location.raw & _MACRO:
            place = self._use(location.raw, location.p0, location.p1)
        else:
            place = self._locate(location.raw, location.p0, location.p1)
        return place[0] if place else None

    def _make(self, begin: int, end: int, p0: int, p1: int) -> Span:
        if not begin:
            return NOWHERE
        if (begin | end) & _MACRO:
            return self._expanded(begin, end, p0, p1)
        start = self._locate(begin, p0, p1)
        stop = self._locate(end, p0, p1)
        if start is None:
            return NOWHERE
        return self._build(start[0], start[1], stop[1] if stop and stop[0] is start[0] else start[1], None)

    def _expanded(self, begin: int, end: int, p0: int, p1: int) -> Span:
        """A range with an end in a macro: what is written in an argument keeps its place, the rest spans the use."""
        use = self._use(begin, p0, p1)
        written = self._place(begin, p0, p1)
        stop = self._place(end, p0, p1)
        stop_use = self._use(end, p0, p1)
        if use is None or written is None or stop is None or stop_use is None:
            return NOWHERE
        file, start = use
        macro = file.identifier(start) if begin & _MACRO else None
        ends_in_argument = bool(end & _MACRO) and stop[1] != stop_use[1]
        if begin & _MACRO and written[1] != start and ends_in_argument and written[0] is stop[0]:
            if stop[1] > written[1] and stop_use[1] == start:
                return self._build(written[0], written[1], stop[1], macro)
            return self._build(file, start, stop_use[0].use_end(stop_use[1]), macro)
        stop_at = stop_use[0].use_end(stop_use[1]) if end & _MACRO else stop[1]
        if stop_use[0] is not file:
            stop_at = file.use_end(start)
        if macro and stop_at > file.use_end(start):
            macro = None
        return self._build(file, start, stop_at, macro)

    def _build(self, file: SourceFile, start: int, end: int, macro: str | None) -> Span:
        end = max(start, end)
        line, column = file.position(start)
        end_line, end_column = file.position(end)
        return Span(file.path, line, column, end_line, end_column, start, end, macro)

    def _use(self, raw: int, p0: int, p1: int) -> tuple[SourceFile, int] | None:
        """Where the outermost macro use stands that a raw location comes from."""
        if not raw & _MACRO:
            return self._locate(raw, p0, p1)
        known = self._expansions
        if raw not in known:
            known[raw] = self._ask(self._lib.clang_getExpansionLocation, CXSourceLocation(p0, p1, raw))
        return known[raw]

    def _place(self, raw: int, p0: int, p1: int) -> tuple[SourceFile, int] | None:
        """Where a raw location is written: in a macro's argument, else where the macro is used."""
        if not raw & _MACRO:
            return self._locate(raw, p0, p1)
        known = self._written
        if raw not in known:
            known[raw] = self._ask(self._lib.clang_getFileLocation, CXSourceLocation(p0, p1, raw))
        return known[raw]

    def _ask(self, ask: Any, location: CXSourceLocation) -> tuple[SourceFile, int] | None:
        ask(location, self._handle_ref, None, None, self._offset_ref)
        if not self._handle_out.value:
            return None
        return self._file(self._handle_out, location), self._offset_out.value

    def _locate(self, raw: int, p0: int, p1: int) -> tuple[SourceFile, int] | None:
        near = self._near
        if near and near[0] <= raw <= near[1]:
            return near[2], raw - near[0]
        at = bisect_right(self._starts, raw) - 1
        if at >= 0 and raw <= self._ranges[at][1]:
            near = self._near = self._ranges[at]
            return near[2], raw - near[0]
        place = self._ask(self._lib.clang_getFileLocation, CXSourceLocation(p0, p1, raw))
        if place is None:
            return None
        file, offset = place
        base = raw - offset
        at = bisect_right(self._starts, base)
        self._starts.insert(at, base)
        self._ranges.insert(at, (base, base + len(file.data), file))
        return place

    def _file(self, handle: c_void_p, location: CXSourceLocation) -> SourceFile:
        known = self._by_handle.get(handle.value)
        if known is not None:
            return known
        path = text_of(self._lib.clang_getFileName(handle))
        if path != self._main:
            path = os.path.normpath(path)
        file = self._by_path.get(path)
        if file is None:
            size = c_size_t()
            data = self._lib.clang_getFileContents(self._handle, handle, byref(size))
            content = ctypes.string_at(data, size.value) if data else b""
            system = bool(self._lib.clang_Location_isInSystemHeader(location))
            file = self._by_path[path] = SourceFile(path, content, system)
        self._by_handle[handle.value] = file
        return file
