"""Write the loops that move the rows of a warp's lanes through tiles in shared memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.lanes import WORD
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.rewrite_paths import Guard, NoFitError
from cudalint.lint.model.expressions import Binary, Expr, Index, Symbol, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Decl, For
from cudalint.lint.model.types import spelled
from cudalint.lint.model.walk import walk

WARP = 32
"""Lanes of a warp, and rows of a tile."""


@dataclass(slots=True)
class Cell:
    """An element of a row, `base[index]`, with all its uses in a loop.

    `buffer` is the parameter that the row lies in: `base` itself where `direct`, else what `base` points into.
    `loads` and `stores` tell which way the tile moves, `fits` that every iteration accesses the element.
    """

    place: Index
    index: Expr
    buffer: Symbol
    direct: bool
    uses: list[Index] = field(default_factory=list)
    loads: bool = True
    stores: bool = False
    fits: bool = True

    @property
    def element(self) -> str:
        """The type of an element."""
        return spelled(self.place.type)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.place.type.size


@dataclass(frozen=True, slots=True)
class Row:
    """A loop over the elements of rows, from `start` on."""

    loop: For
    counter: Var
    start: Expr
    guard: Guard
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Staging:
    """The loops of a kernel that are to share tiles, and how large these are."""

    kernel: Function
    rows: tuple[Row, ...]
    width: int
    warps: int

    @property
    def tiles(self) -> list[tuple[str, int]]:
        """Element type and size of each tile: as many of a type as one loop needs at once."""
        most: dict[tuple[str, int], int] = {}
        for row in self.rows:
            kinds = [(c.element, c.size) for c in row.cells]
            for kind in kinds:
                most[kind] = max(most.get(kind, 0), kinds.count(kind))
        return [kind for kind, count in most.items() for _ in range(count)]

    @property
    def bytes(self) -> int:
        """Shared memory that the tiles take."""
        return sum(self.warps * WARP * (self.width + padding(size)) * size for _, size in self.tiles)


def padding(size: int) -> int:
    """Elements behind a row of a tile, so that a column of the tile has no conflict: an odd number of words."""
    return max(1, WORD // size)


def written(program: TranslationUnit, staging: Staging) -> Rewrite:
    """The edits; raises `NoFitError` where a name cannot be found."""
    return _Writer(program, staging).edits()


@dataclass(slots=True)
class _Writer:
    program: TranslationUnit
    staging: Staging
    source: str = field(init=False)
    lanes: str = field(init=False)
    item: str = field(init=False)
    warp: str = field(init=False)
    lane: str = field(init=False)
    names: list[str] = field(init=False)

    def edits(self) -> Rewrite:
        """Declarations before the guard, and each loop in its new form."""
        self.source = self.program.text(self.staging.kernel.span)
        self.lanes = self._free("lanes", "warp_lanes")
        self.item = self._free("k", "at", "item")
        self.warp, self.lane = self._free("warp", "warp_number"), self._free("lane", "warp_lane")
        tiles = self.staging.tiles
        self.names = [self._free(f"tile{n}", f"staged{n}") for n in (range(len(tiles)) if len(tiles) > 1 else [""])]
        anchor = min((r.guard.anchor for r in self.staging.rows), key=lambda s: s.span.offset)
        indent = _indent(self.program, anchor.span)
        lines = [self._declared(name, *kind) for name, kind in zip(self.names, tiles, strict=True)]
        lines.append(f"const int {self.warp} = threadIdx.x / {WARP}, {self.lane} = threadIdx.x % {WARP};")
        guard = self.staging.rows[0].guard
        if guard.condition is not None:
            text = self.program.text(guard.condition.span)
            if guard.condition.span.macro is not None:
                raise NoFitError("guard in a macro")
            vote = f"!({text})" if guard.negated else text
            lines.append(f"const unsigned int {self.lanes} = __ballot_sync(0xffffffffu, {vote});")
        place = anchor.span
        before = Span(
            place.file, place.line, place.column, place.line, place.column, place.offset, place.offset, place.macro
        )
        head = "".join(f"{line}\n{indent}" for line in lines)
        return ((before, head), *((_whole(self.program, r.loop.span), self._loop(r)) for r in self.staging.rows))

    def _free(self, *names: str) -> str:
        for name in names:
            if not re.search(rf"\b{name}\b", self.source):
                return name
        raise NoFitError("no free name")

    def _declared(self, name: str, element: str, size: int) -> str:
        width = self.staging.width + padding(size)
        return f"__shared__ {element} {name}[{self.staging.warps}][{WARP}][{width}];"

    def _loop(self, row: Row) -> str:
        """The loop over pieces with the old loop inside."""
        counter = row.counter.symbol
        first = self._free(f"{counter.name}_start", f"{counter.name}_first")
        width = self.staging.width
        tiles = self._tiles(row.cells)
        condition = row.loop.condition
        assert isinstance(condition, Binary)
        changes = {
            row.start.span: first,
            condition.span: f"{self._text(condition)} && {counter.name} < {first} + {width}",
        }
        for cell, tile in zip(row.cells, tiles, strict=True):
            own = f"{tile}[{self.warp}][{self.lane}][{counter.name} - {first}]"
            changes |= {u.span: own for u in cell.uses}
        indent = _indent(self.program, row.loop.span)
        old = _exchanged(self.program, _whole(self.program, row.loop.span), changes)
        step = _step(indent, old)
        kind = self._kind(row)
        begin = self._text(row.start)
        check = _exchanged(self.program, condition.span, {condition.left.span: first})
        sync = f"{indent}{step}__syncwarp({self._mask(row)});"
        loads = [(c, t) for c, t in zip(row.cells, tiles, strict=True) if c.loads]
        stores = [(c, t) for c, t in zip(row.cells, tiles, strict=True) if c.stores]
        lines = [f"for ({kind} {first} = {begin}; {check}; {first} += {width}) {{"]
        if loads:
            lines += [f"{indent}{step}{line}" for line in self._moved(row, loads, first, step, load=True)]
            lines.append(sync)
        lines.append(f"{indent}{step}" + old.replace("\n", f"\n{step}"))
        lines.append(sync)
        if stores:
            lines += [f"{indent}{step}{line}" for line in self._moved(row, stores, first, step, load=False)]
            lines.append(sync)
        return "\n".join([*lines, f"{indent}}}"])

    def _kind(self, row: Row) -> str:
        """The counter's type as the loop has it, where it declares it."""
        counter = row.counter.symbol
        declared = row.loop.init[0]
        if isinstance(declared, Decl):
            found = re.match(rf"([\w:\s]+?)\s*\b{counter.name}\s*[=({{]", self.program.text(declared.span))
            if found is not None:
                return found[1]
        return spelled(counter.type)

    def _tiles(self, cells: Iterable[Cell]) -> list[str]:
        """A tile for each cell of a loop, of its type."""
        left = list(zip(self.names, self.staging.tiles, strict=True))
        found = []
        for cell in cells:
            chosen = next(t for t in left if t[1] == (cell.element, cell.size))
            left.remove(chosen)
            found.append(chosen[0])
        return found

    def _mask(self, row: Row) -> str:
        return self.lanes if row.guard.condition is not None else "0xffffffffu"

    def _moved(
        self, row: Row, cells: Iterable[tuple[Cell, str]], first: str, step: str, *, load: bool
    ) -> Iterator[str]:
        """The loop that moves a piece of every lane's row, element by element of the piece."""
        width, item, mask = self.staging.width, self.item, self._mask(row)
        count = f"__popc({mask})" if row.guard.condition is not None else str(WARP)
        whole = f"{width} * {count}" if row.guard.condition is not None else str(width * WARP)
        column = f"{item} % {width}"
        condition = row.loop.condition
        assert isinstance(condition, Binary)
        inside = _exchanged(self.program, condition.span, {condition.left.span: f"{first} + {column}"})
        yield f"for (int {item} = {self.lane}; {item} < {whole}; {item} += {count}) {{"
        moves = []
        for number, (cell, tile) in enumerate(cells):
            source = self._free(f"from{number or ''}", f"row{number or ''}", f"origin{number or ''}")
            declared, element = self._origin(cell, first, source, row)
            yield f"{step}{declared}"
            inner = f"{tile}[{self.warp}][{item} / {width}][{column}]"
            there = element.replace("@", column)
            moves.append(f"{inner} = {there};" if load else f"{there} = {inner};")
        if len(moves) == 1:
            yield f"{step}if ({inside}) {moves[0]}"
        else:
            yield f"{step}if ({inside}) {{"
            yield from (f"{step}{step}{move}" for move in moves)
            yield f"{step}}}"
        yield "}"

    def _origin(self, cell: Cell, first: str, name: str, row: Row) -> tuple[str, str]:
        """The declaration of where a lane's piece begins, and the element with `@` for its column."""
        counter = row.counter.symbol
        index = _exchanged(self.program, cell.index.span, dict.fromkeys(_uses(cell.index, counter), first))
        base = self._text(cell.place.base)
        mask = self._mask(row)
        source = f"{self.item} / {self.staging.width}"
        if cell.direct:
            return f"const auto {name} = __shfl_sync({mask}, {index}, {source});", f"{base}[{name} + @]"
        buffer = cell.buffer.name
        return (
            f"const auto {name} = __shfl_sync({mask}, &{base}[{index}] - {buffer}, {source});",
            f"{buffer}[{name} + @]",
        )

    def _text(self, expr: Expr) -> str:
        text = self.program.text(expr.span)
        if not text or (expr.span.macro is not None and expr.span.macro != text):
            raise NoFitError("in a macro")
        return text


def _uses(expr: Expr, symbol: Symbol) -> list[Span]:
    return [n.span for n in walk(expr) if isinstance(n, Var) and n.symbol.key == symbol.key]


def _exchanged(program: TranslationUnit, whole: Span, places: Mapping[Span, str]) -> str:
    """The text of a span with other text at some places; raises `NoFitError` where these overlap or are macros."""
    data = program.files[whole.file]
    out, at = b"", whole.offset
    for span, text in sorted(places.items(), key=lambda item: item[0].offset):
        if span.offset < at or span.end_offset > whole.end_offset or span.file != whole.file:
            raise NoFitError("places overlap")
        out += data[at : span.offset] + text.encode()
        at = span.end_offset
    return (out + data[at : whole.end_offset]).decode("utf-8", "replace")


def _whole(program: TranslationUnit, span: Span) -> Span:
    """The span of a loop with the semicolon that ends its body, where that is no block."""
    data = program.files[span.file]
    behind = re.match(rb"[ \t]*;", data[span.end_offset :])
    if behind is None or data[span.end_offset - 1 : span.end_offset] in {b";", b"}"}:
        return span
    more = behind.end()
    return replace(span, end_column=span.end_column + more, end_offset=span.end_offset + more)


def _step(indent: str, loop: str) -> str:
    """How much further a loop's body is indented than the loop."""
    inner = re.search(r"\n([ \t]*)[^\s{]", loop)
    more = inner[1].removeprefix(indent) if inner is not None and inner[1].startswith(indent) else ""
    return more if 0 < len(more) <= 8 else "    "


def _indent(program: TranslationUnit, span: Span) -> str:
    data = program.files[span.file]
    line = data[data.rfind(b"\n", 0, span.offset) + 1 : span.offset].decode("utf-8", "replace")
    return line[: len(line) - len(line.lstrip())]
