"""Memory of the executor: objects that pointers point into, with the content that is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from cudalint.lint.analysis.exec_lanes import EMPTY, Mask
from cudalint.lint.analysis.exec_values import (
    ATOMIC,
    BOOL,
    DRAWN_STEPS,
    EXACT,
    LOADED,
    LOADED_UNIFORM,
    OPAQUE,
    UNDEFINED,
    UNKNOWN,
    Array,
    Data,
    Dtype,
    Ptr,
    Rec,
    Val,
    Value,
    dtype_of,
    fit,
    select,
    tainted,
)
from cudalint.lint.analysis.trace import MemoryObject
from cudalint.lint.model.expressions import Symbol
from cudalint.lint.model.types import ArrayType, PointerType, RecordType, Type

if TYPE_CHECKING:
    from cudalint.lint.analysis.exec_machine import Machine, Scope

Offset = int | Array
WORD = 4
SHARED_LIMIT = 256 * 1024
"""Bytes of shared memory that are simulated per block; more than any GPU has (228 KiB on Hopper)."""
DISTURBED = 0x4A
"""Every byte of disturbed initial content: large as an integer and as a float, where usual content is small."""
CELLS_PER_STEP = 4
"""Scalars of a record that are copied in the time of one step."""
FEW = 16
"""Distinct positions up to which an access to a local array at varying positions is followed exactly."""


_AGGREGATES = (RecordType, ArrayType)


def is_aggregate(of: Type) -> bool:
    """Whether values of the type are records by value."""
    return isinstance(of, _AGGREGATES)


def has_array(of: Type) -> bool:
    """Whether a variable of the type is or has an array that can be indexed."""
    return isinstance(of, ArrayType) or (
        isinstance(of, RecordType) and any(isinstance(f.type, ArrayType) for f in of.fields)
    )


class Obj:
    """Something that pointers point into. `described` is how traces name it."""

    __slots__ = ("described",)

    def __init__(self, described: MemoryObject | None) -> None:
        self.described = described

    def load(self, m: Machine, off: Offset, of: Type, taint: int) -> Value:
        """The content at `off` for the active lanes; `taint` is the address's."""
        raise NotImplementedError

    def store(self, m: Machine, off: Offset, of: Type, value: Value, taint: int) -> None:
        """Write the content at `off` for the active lanes."""
        raise NotImplementedError

    def smear(self, m: Machine, taint: int) -> None:
        """Something unseen may have changed the content."""


class LocalObj(Obj):
    """A local variable, parameter, array or record of the lanes: scalars by byte offset.

    `defaults` says that missing cells are unknown arguments to be sampled (a record passed by value to the
    kernel), under the name that `described` gives.
    """

    __slots__ = ("array", "cells", "defaults", "name", "scope", "symbol", "type")

    def __init__(
        self, name: str, of: Type, scope: Scope, *, defaults: bool = False, symbol: Symbol | None = None
    ) -> None:
        super().__init__(None)
        self.cells: dict[int, Value] = {}
        self.name = name
        self.type = of
        self.scope = scope
        self.defaults = defaults
        self.symbol = symbol
        self.array = has_array(of)

    def load(self, m: Machine, off: Offset, of: Type, taint: int) -> Value:
        """See `Obj`; an uninitialised cell is unknown."""
        if not isinstance(off, int):
            return self._gather(m, off, of, taint)
        if is_aggregate(of):
            if self.defaults:
                return Rec({}, taint, Ptr(self, off))
            end = off + (of.size or 1 << 40)
            if not self.cells and self._never_set(m):
                taint |= UNDEFINED
            return Rec({k - off: v for k, v in self.cells.items() if off <= k < end}, taint)
        cell = self.cells.get(off)
        if cell is None:
            if not self.defaults:
                return tainted(m.unknown_value(of), UNDEFINED if self._never_set(m) else EXACT)
            cell = self.cells[off] = m.argument_field(self, off, of)
        if isinstance(cell, Val):
            dt = dtype_of(of)
            if dt is not None and dt is not cell.dt:
                cell = reread(cell, dt)
        return tainted(cell, taint) if taint else cell

    def _never_set(self, m: Machine) -> bool:
        return self.symbol is not None and self.symbol.key in m.facts.undefined

    def store(self, m: Machine, off: Offset, of: Type, value: Value, taint: int) -> None:
        """See `Obj`."""
        if not isinstance(off, int):
            self._scatter(m, off, of, value, taint)
        elif isinstance(value, Rec):
            cells = m.flattened(value, of)
            m.steps += len(cells) // CELLS_PER_STEP
            for at, cell in cells:
                self._put(m, off + at, tainted(cell, taint), m.mask)
            self._forget(m, off, of, {off + at for at, _ in cells})
        else:
            self._put(m, off, tainted(value, taint), m.mask)

    def _forget(self, m: Machine, off: int, of: Type, written: set[int]) -> None:
        """What a record value says nothing of is no longer known."""
        for at in [k for k in self.cells if off <= k < off + of.size and k not in written]:
            m.note_write(self, at, self.cells[at])
            self.cells[at] = tainted(self.cells[at], UNKNOWN)

    def _put(self, m: Machine, off: int, value: Value, mask: Mask) -> None:
        old = self.cells.get(off)
        m.note_write(self, off, old)
        if old is None or mask.n == self.scope.live.n or mask is m.lanes.full:
            self.cells[off] = value
        else:
            self.cells[off] = select(mask.bits, value, old)

    @staticmethod
    def _positions(m: Machine, off: Array) -> list[int]:
        """The distinct offsets that active lanes use, at most `FEW` + 1 of them."""
        if m.mask is not m.lanes.full:
            shape = np.broadcast_shapes(off.shape, m.mask.bits.shape)
            active = np.broadcast_to(off, shape)[np.broadcast_to(m.mask.bits, shape)]
        else:
            active = off.reshape(-1)
        found: list[int] = []
        while active.size and len(found) <= FEW:
            m.steps += 1
            found.append(int(active[0]))
            active = active[active != found[-1]]
        return found

    def _gather(self, m: Machine, off: Array, of: Type, taint: int) -> Value:
        positions = self._positions(m, off)
        if not positions or len(positions) > FEW:
            joined = taint
            for cell in self.cells.values():
                joined |= cell.taint
            return tainted(m.unknown_value(of), joined)
        result = self.load(m, positions[0], of, taint)
        for position in positions[1:]:
            result = select(off == position, self.load(m, position, of, taint), result)
        return result

    def _scatter(self, m: Machine, off: Array, of: Type, value: Value, taint: int) -> None:
        positions = self._positions(m, off)
        if len(positions) > FEW or taint & OPAQUE:
            self.smear(m, value.taint | taint | (UNKNOWN if len(positions) > FEW else 0))
            return
        for position in positions:
            mask = m.lanes.both(m.mask, off == position)
            if mask is EMPTY:
                continue
            for at, cell in m.flattened(value, of) if isinstance(value, Rec) else [(0, value)]:
                self._put(m, position + at, tainted(cell, taint), mask)

    def smear(self, m: Machine, taint: int) -> None:
        """See `Obj`."""
        for off, cell in list(self.cells.items()):
            m.note_write(self, off, cell)
            self.cells[off] = tainted(cell, taint)


def reread(value: Val, dt: Dtype) -> Val:
    """The bytes of a number read as another type, where the sizes agree; else converted."""
    if value.dt.itemsize != dt.itemsize or value.dt.kind in "b" or dt.kind in "b":
        low_bytes = value.dt.kind in "iu" and dt.kind in "iu" and dt.itemsize < value.dt.itemsize
        same = low_bytes or value.dt.kind == dt.kind
        return Val(fit(value.data, dt), dt, value.taint | (EXACT if same else UNKNOWN))
    if isinstance(value.data, np.ndarray):
        return Val(np.ascontiguousarray(value.data).view(dt), dt, value.taint)
    return Val(np.array([value.data], value.dt).view(dt)[0].item(), dt, value.taint)


def of_block(taint: int) -> int:
    """The taint of a shared word that all threads of the block read: whatever it holds, they get the same."""
    return (taint & ~(LOADED | ATOMIC)) | LOADED_UNIFORM if taint & (LOADED | ATOMIC) else taint


@dataclass(frozen=True, slots=True, eq=False)
class Disturbance:
    """Bytes of shared array `id` of a trace (1-D, at least one) that start with another content than usual.

    `lasting`: only read-modify-write operations change them, whose results rest on that content.
    """

    id: int
    offsets: Array
    lasting: bool


class SharedObj(Obj):
    """A shared array: bytes and taints per block, simulated."""

    __slots__ = ("_bytes", "_lasting", "_taints", "pointers", "stamp")

    def __init__(self, described: MemoryObject, size: int, rows: int) -> None:
        super().__init__(described)
        self.pointers: dict[int, Value] = {}
        self.stamp = 0
        self._lasting: Array | None = None
        self._allocate(rows, min(max(size, 16), SHARED_LIMIT))

    def _allocate(self, rows: int, size: int) -> None:
        words = (size + 15) // 16 * 4
        pattern = (np.arange(words, dtype=np.int64) * 2654435761 >> 7 & 0xFFF).astype(np.int32)
        self._bytes = np.tile(pattern, (rows, 1)).view(np.uint8)
        self._taints = np.full((rows, words), LOADED, np.uint8)

    def disturb(self, m: Machine, by: Disturbance) -> None:
        """Give bytes another initial content than they usually have."""
        if not self._reach(m, int(by.offsets.max()) + 1):
            return
        if by.lasting:
            before = self._lasting if self._lasting is not None else by.offsets
            self._lasting = np.union1d(before, by.offsets)
        else:
            self._bytes[:, by.offsets] = DISTURBED

    def _content(self) -> Any:
        if self._lasting is None:
            return self._bytes
        content = self._bytes.copy()
        content[:, self._lasting] = DISTURBED
        return content

    def _reach(self, m: Machine, end: int) -> bool:
        """Make room up to byte `end`; False where that cannot be."""
        size = self._bytes.shape[1]
        if end <= size:
            return True
        if end > SHARED_LIMIT:
            return False
        kept, taints = self._bytes, self._taints
        self._allocate(m.lanes.rows, min(SHARED_LIMIT, max(end, 2 * size)))
        self._bytes[:, :size] = kept
        self._taints[:, : size // WORD] = taints
        return True

    def _elements(self, m: Machine, off: Offset, dt: Dtype) -> Offset | None:
        """Positions in units of the type, None when some are outside."""
        if isinstance(off, int):
            inside = off >= 0 and self._reach(m, off + dt.itemsize)
            return off // dt.itemsize if inside else None
        if m.mask is not m.lanes.full:
            off = np.where(m.mask.bits, off, 0)
        if off.min() < 0 or not self._reach(m, int(off.max()) + dt.itemsize):
            return None
        return off // dt.itemsize

    def load(self, m: Machine, off: Offset, of: Type, taint: int) -> Value:
        """See `Obj`; what was not written is unknown (loaded)."""
        dt = dtype_of(of)
        if is_aggregate(of):
            return Rec({}, taint, Ptr(self, off, taint))
        if dt is None:
            known = self.pointers.get(off) if isinstance(off, int) else None
            return known if known is not None else tainted(m.unknown_value(of), LOADED)
        storage = np.dtype(np.uint8) if dt is BOOL else dt
        at = self._elements(m, off, storage)
        if at is None:
            return Val(0, dt, LOADED | UNKNOWN)
        view = self._content().view(storage)
        word_taints = self._taints
        if isinstance(at, int):
            column: Any = view[:, at : at + 1]
            found = of_block(int(np.bitwise_or.reduce(word_taints[:, at * storage.itemsize // WORD])))
            data: Data = column[0, 0].item() if (column == column[0]).all() else column.copy()
            return Val(fit(data, dt), dt, found | taint)
        rows = m.lanes.row_index
        taints = word_taints[rows, at * storage.itemsize // WORD]
        if m.mask is not m.lanes.full:
            taints = np.where(m.mask.bits, taints, 0)
        found = int(np.bitwise_or.reduce(taints, axis=None))
        if at.shape[1] == 1:
            found = of_block(found)
        return Val(fit(view[rows, at], dt), dt, found | taint)

    def store(self, m: Machine, off: Offset, of: Type, value: Value, taint: int) -> None:
        """See `Obj`; what decides whether the store happens taints what is stored."""
        if m.shadow:
            return
        self.stamp = m.steps
        if isinstance(value, Rec):
            for at, cell in m.flattened(value, of):
                kind = m.cell_type(cell)
                if kind is not None:
                    self.store(m, off + at, kind, cell, taint)
            return
        if not isinstance(value, Val):
            if isinstance(off, int):
                self.pointers[off] = tainted(value, m.ctl)
            return
        dt = dtype_of(of) or value.dt
        storage = np.dtype(np.uint8) if dt is BOOL else dt
        if taint & OPAQUE:
            self._taints |= taint | value.taint
            return
        element = self._elements(m, off, storage)
        if element is not None:
            self._write(m, element, fit(value.data, dt), storage, value.taint | taint | m.ctl)

    def _write(self, m: Machine, at: Offset, data: Data, dt: Dtype, taint: int) -> None:
        view = self._bytes.view(dt)
        size = dt.itemsize
        first: Any = at * size // WORD
        words = range(max(1, size // WORD))
        if m.mask is m.lanes.full and not isinstance(at, int):
            rows: Any = m.lanes.row_index
            columns: Any = at
            values: Any = data
        else:
            rows, lanes = np.nonzero(np.broadcast_to(m.mask.bits, m.lanes.shape))
            columns = at if isinstance(at, int) else np.broadcast_to(at, m.lanes.shape)[rows, lanes]
            values = np.broadcast_to(data, m.lanes.shape)[rows, lanes] if isinstance(data, np.ndarray) else data
            first = columns * size // WORD
        view[rows, columns] = values
        for word in words:
            if size < WORD:
                self._taints[rows, first] |= taint
            else:
                self._taints[rows, first + word] = taint

    def smear(self, m: Machine, taint: int) -> None:
        """See `Obj`."""
        if not m.shadow:
            self._taints |= np.uint8(taint)


class GlobalObj(Obj):
    """Global or constant memory: a deterministic hash of the address, or known initial content.

    `known` maps byte offsets to initial values. `uniform` marks constant scalars: they are sampled like
    kernel parameters. Pointers in memory point to objects of their own, one per address.
    """

    __slots__ = ("_table", "children", "known", "opaque", "uniform", "version")

    def __init__(self, described: MemoryObject, *, uniform: bool = False, opaque: int = EXACT) -> None:
        super().__init__(described)
        self.known: dict[int, Value] = {}
        self.children: dict[object, Value] = {}
        self.uniform = uniform
        self.opaque = opaque
        self.version = 0
        self._table: tuple[Dtype, Array] | None = None

    def load(self, m: Machine, off: Offset, of: Type, taint: int) -> Value:
        """See `Obj`."""
        if is_aggregate(of):
            return Rec({}, taint, Ptr(self, off, taint))
        if self.known:
            found = self._initial(off, of)
            if found is not None:
                return tainted(found, taint)
        same = not taint & OPAQUE and m.lanes.uniform_in_rows(off, m.mask)
        loaded = (LOADED_UNIFORM if same else LOADED) | (taint & UNKNOWN) | self.opaque
        if isinstance(of, PointerType):
            return self._pointer(m, off, of, loaded)
        dt = dtype_of(of)
        if dt is None:
            return tainted(m.unknown_value(of), loaded)
        if self.uniform and same:
            key = off if isinstance(off, int) else off.tobytes()
            if key not in self.children:
                self.children[key] = m.sampler.number(dt, self.described.name if self.described else "")
            return self.children[key]
        given = m.contents.get(self.described.symbol.key) if self.described and self.described.symbol else None
        if given is not None and dt.kind in "iu":
            first, step, exact = given
            return Val(fit(first + step * (off // dt.itemsize), dt), dt, taint if exact else loaded)
        return Val(self._content(m, off, dt), dt, loaded)

    def _initial(self, off: Offset, of: Type) -> Value | None:
        if isinstance(off, int):
            return self.known.get(off)
        dt = dtype_of(of)
        if dt is None:
            return None
        if self._table is None or self._table[0] is not dt:
            top = max(self.known) // dt.itemsize + 1
            table = np.zeros(top, dt)
            for at, value in self.known.items():
                if not isinstance(value, Val) or isinstance(value.data, np.ndarray) or value.dt is not dt:
                    return None
                table[at // dt.itemsize] = value.data
            self._table = dt, table
        table = self._table[1]
        return Val(table[np.clip(off // dt.itemsize, 0, len(table) - 1)], dt)

    def _pointer(self, m: Machine, off: Offset, of: PointerType, taint: int) -> Value:
        if taint & LOADED:
            key: object = "varying"
        else:
            key = off if isinstance(off, int) else off.tobytes()
        found = self.children.get(key)
        if found is None:
            name = f"*{self.described.name}" if self.described else "?"
            found = self.children[key] = Ptr(m.new_global(name, of.pointee, opaque=taint & LOADED), 0, taint)
        return found

    def _content(self, m: Machine, off: Offset, dt: Dtype) -> Data:
        seed = (self.described.id if self.described else 0) * 0x85EBCA77 + self.version * 0x1B873593
        worlds = m.lanes.worlds
        # Signed integers are mostly indices and counts: 12 bits. Unsigned words are taken apart byte by byte.
        dropped = 0 if dt.kind == "u" and dt.itemsize >= WORD else 20
        if isinstance(off, int) and worlds == 1:
            x: Any = (off * 0x9E3779B1 + seed) & 0xFFFFFFFF
            x = ((x ^ (x >> 15)) * 0x2C1B3C6D & 0xFFFFFFFF) >> dropped
        else:
            start: Any = np.uint32(seed & 0xFFFFFFFF)
            if worlds > 1:
                start = start + m.lanes.world_of_row.astype(np.uint32) * np.uint32(0x27D4EB2F)
            x = np.asarray(off).astype(np.uint32) * np.uint32(0x9E3779B1) + start
            x ^= x >> np.uint32(15)
            x *= np.uint32(0x2C1B3C6D)
            x >>= np.uint32(dropped)
        if dt.kind == "f":
            return fit((x + 1) / DRAWN_STEPS, dt)
        if dt.itemsize == 1:
            x = x & (1 if dt is BOOL else 0x7F)
        return fit(x, dt)

    def store(self, m: Machine, off: Offset, of: Type, value: Value, taint: int) -> None:  # noqa: ARG002
        """See `Obj`: later loads see other content."""
        if not m.shadow:
            self.version += 1
            self.known.clear()

    def smear(self, m: Machine, taint: int) -> None:  # noqa: ARG002
        """See `Obj`."""
        if not m.shadow:
            self.version += 1
            self.known.clear()
