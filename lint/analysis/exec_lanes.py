"""Lanes, masks and sample values of the executor."""

from __future__ import annotations

from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_values import ASSUMED, EXACT, I64, U32, Array, Data, Dtype, Val, fit
from cudalint.lint.analysis.trace import Bools, Ints, LaneGrid, LaunchShape

WARP = 32
AXES = ("x", "y", "z")

# Sample values per world for the n-th unknown uniform. They descend so that the product of the first three
# stays below 2**31 (extents of arrays are multiplied), while the first one, most often the number of
# elements, exceeds the threads of two large blocks.
INTEGER_SAMPLES = (
    (2048, 1024, 512, 4096, 256, 8192, 128, 16384),
    (65 * 32, 33 * 32, 17 * 32, 129 * 32, 9 * 32, 257 * 32, 5 * 32, 513 * 32),
    (2053, 1009, 509, 4099, 257, 8209, 131, 16411),
)
# A 64-bit unknown counts bytes or elements of a whole buffer: its share per thread or row is no small number.
WIDE_SCALES = (1024, 31 * 32, 1021)
GRID_SAMPLES = ((1024, 512, 64), (35 * 32, 19 * 32, 3 * 32), (1511, 607, 101))
FLOAT_SAMPLES = (1.5, 2.25, 0.75)
BOOL_SAMPLES = (True, False, True)


class Mask:
    """A set of lanes: `bits` broadcasts to all lanes, `n` counts them."""

    __slots__ = ("_flat", "bits", "n")

    def __init__(self, bits: Array, n: int) -> None:
        self.bits = bits
        self.n = n
        self._flat: Bools | None = None

    def flat(self, shape: tuple[int, int]) -> Bools:
        """One boolean per lane."""
        if self._flat is None:
            out = np.empty(shape, np.bool_)
            out[...] = self.bits
            self._flat = out.reshape(-1)
        return self._flat


EMPTY = Mask(np.zeros((1, 1), np.bool_), 0)


class Lanes:
    """The lanes of one execution: `rows` (world, block) pairs times `threads`.

    `blocks` are the block coordinates executed in every world.
    """

    def __init__(self, shape: LaunchShape, worlds: int, blocks: list[tuple[int, int, int]]) -> None:
        self.block = shape.block
        self.worlds = worlds
        self.blocks = blocks
        self.threads = shape.threads
        self.rows = worlds * len(blocks)
        self.shape = (self.rows, self.threads)
        self.count = self.rows * self.threads
        self.full = Mask(np.ones((1, 1), np.bool_), self.count)
        thread = np.arange(self.threads, dtype=np.int64)
        bx, by = shape.block[0], shape.block[1]
        self._coordinates = (thread % bx, thread // bx % by, thread // (bx * by))
        self.thread = self._row(thread)
        self.lane = self._row(thread % WARP)
        self.world_of_row = np.repeat(np.arange(worlds), len(blocks)).reshape(-1, 1)
        self.row_index = np.arange(self.rows).reshape(-1, 1)
        self.thread_index = Val(self._number(self.thread, U32), U32)
        self.lane_index = Val(self._number(self.lane, U32), U32)
        self._thread = [Val(self._number(self._row(c), U32), U32) for c in self._coordinates]
        self._block = [Val(self._per_row([b[a] for b in blocks] * worlds, U32), U32) for a in range(3)]

    @staticmethod
    def _row(values: Ints) -> Array:
        return values.reshape(1, -1)

    @staticmethod
    def _number(values: Array, dt: Dtype) -> Data:
        return int(values.flat[0]) if (values == values.flat[0]).all() else values.astype(dt)

    def _per_row(self, values: list[int], dt: Dtype) -> Data:
        return values[0] if len(set(values)) == 1 else np.array(values, dt).reshape(-1, 1)

    def thread_coordinate(self, axis: int) -> Val:
        """threadIdx.x, .y or .z."""
        return self._thread[axis]

    def block_coordinate(self, axis: int) -> Val:
        """blockIdx.x, .y or .z."""
        return self._block[axis]

    def per_world(self, samples: list[Any], dt: Dtype, taint: int = ASSUMED) -> Val:
        """A uniform with one sample value per world."""
        data = [fit(s, dt) for s in samples[: self.worlds]]
        if len(set(data)) == 1:
            return Val(data[0], dt, taint)
        return Val(np.repeat(np.array(data, dt), len(self.blocks)).reshape(-1, 1), dt, taint)

    def mask(self, bits: Array) -> Mask:
        """The lanes where `bits` is set."""
        n = int(np.count_nonzero(bits)) * (self.count // bits.size)
        if n == self.count:
            return self.full
        return Mask(bits, n) if n else EMPTY

    def both(self, mask: Mask, condition: bool | Array) -> Mask:
        """The lanes of `mask` for which the condition holds; `mask` itself when that is all of them."""
        if not isinstance(condition, np.ndarray):
            return mask if condition else EMPTY
        if not mask.n:
            return mask
        found = self.mask(mask.bits & condition)
        return mask if found.n == mask.n else found

    def minus(self, mask: Mask, other: Mask) -> Mask:
        """The lanes of `mask` that are not in `other`."""
        if not other.n or not mask.n:
            return mask
        if mask is other or other is self.full:
            return EMPTY
        return self.both(mask, ~other.bits)

    def union(self, a: Mask, b: Mask) -> Mask:
        """The lanes in either."""
        if a is b or not b.n or a is self.full:
            return a
        if not a.n or b is self.full:
            return b
        return self.mask(a.bits | b.bits)

    def flat(self, data: Data, dt: Dtype = I64) -> Array:
        """One element per lane."""
        if isinstance(data, np.ndarray) and data.shape == self.shape and data.dtype == dt:
            return data.reshape(-1)
        out = np.empty(self.shape, dt)
        out[...] = data
        return out.reshape(-1)

    def spread(self, data: Data, dt: Dtype) -> Array:
        """The data as a matrix of all lanes (read-only view)."""
        if not isinstance(data, np.ndarray):
            data = np.full((1, 1), data, dt)
        return np.broadcast_to(data, self.shape)

    def uniform_in_rows(self, data: Data, mask: Mask) -> bool:
        """Whether all lanes of `mask` in the same block have the same value."""
        if not isinstance(data, np.ndarray) or data.shape[1] == 1:
            return True
        if mask is self.full or mask.bits.shape[1] == 1:
            return bool((data == data[:, :1]).all())
        bits = np.broadcast_to(mask.bits, self.shape)
        data = np.broadcast_to(data, self.shape)
        first = np.take_along_axis(data, bits.argmax(axis=1).reshape(-1, 1), axis=1)
        return bool(((data == first) | ~bits).all())

    def grid(self) -> LaneGrid:
        """The description of the lanes that traces carry."""
        rows, threads = self.shape
        cta = np.repeat(np.arange(rows, dtype=np.int64), threads)
        thread = np.tile(self.thread.reshape(-1).astype(np.int64), rows)
        warps = (threads + WARP - 1) // WARP
        tx, ty, tz = (np.tile(c, rows) for c in self._coordinates)
        bx, by, bz = (
            np.repeat(np.array([b[a] for b in self.blocks] * self.worlds, np.int64), threads) for a in range(3)
        )
        return LaneGrid(
            thread=thread,
            block=np.repeat(np.tile(np.arange(len(self.blocks), dtype=np.int64), self.worlds), threads),
            world=np.repeat(self.world_of_row.reshape(-1).astype(np.int64), threads),
            warp=cta * warps + thread // WARP,
            lane=thread % WARP,
            cta=cta,
            tx=tx,
            ty=ty,
            tz=tz,
            bx=bx,
            by=by,
            bz=bz,
            worlds=self.worlds,
        )


class Sampler:
    """Hands out sample values, a fresh one for each unknown uniform."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._taken = 0
        self.samples: dict[str, tuple[int, ...]] = {}

    def note(self, name: str, value: Val) -> Val:
        """Remember the values of a sampled integer, one per world."""
        if value.dt.kind in "iu" and value.taint:
            rows = np.broadcast_to(np.asarray(value.data), (self._lanes.rows, 1))[:: len(self._lanes.blocks), 0]
            self.samples[name] = tuple(int(v) for v in rows)
        return value

    def number(self, dt: Dtype, name: str) -> Val:
        """A sample for an unknown uniform number; `name` is how the program calls it."""
        return self.note(name, self._number(dt))

    def _number(self, dt: Dtype) -> Val:
        if dt.kind == "f":
            return self._lanes.per_world(list(FLOAT_SAMPLES), dt)
        if dt.kind == "b":
            return self._lanes.per_world(list(BOOL_SAMPLES), dt)
        position, self._taken = self._taken, self._taken + 1
        if dt.itemsize == 1:
            return self._lanes.per_world([64 + position, 96 + position, 37 + position], dt)
        found = [_integer(samples, position) for samples in INTEGER_SAMPLES]
        if dt.itemsize == 8:
            found = [n * scale for n, scale in zip(found, WIDE_SCALES, strict=True)]
        return self._lanes.per_world(found, dt)


def _integer(samples: tuple[int, ...], position: int) -> int:
    turn, place = divmod(position, len(samples))
    return samples[place] + turn * 64


def second_block(grid: tuple[int | None, int | None, int | None]) -> tuple[int, int, int] | None:
    """A neighbour of block (0, 0, 0), None when the grid is a single block."""
    for axis in range(3):
        if grid[axis] != 1:
            return (int(axis == 0), int(axis == 1), int(axis == 2))
    return None


def inner_block(shape: LaunchShape) -> tuple[int, int, int] | None:
    """A block away from the edges, so that what is done at borders only is not all that is seen.

    None when the grid has no such block. Far enough along x for a kernel over rows to have left the first one.
    """
    flat = shape.block[1] == shape.block[2] == 1 and shape.grid[1] in (1, None)
    wanted = (37 if flat else 5, 5, 5)
    where = [w if g is None else min(w, g // 2) for w, g in zip(wanted, shape.grid, strict=True)]
    return (where[0], where[1], where[2]) if sum(where) > 1 else None


def grid_extent(lanes: Lanes, shape: LaunchShape, axis: int) -> Val:
    """GridDim along an axis: as launched, or sampled."""
    known = shape.grid[axis]
    if known is not None:
        return Val(known, U32, EXACT)
    return lanes.per_world([samples[axis] for samples in GRID_SAMPLES], U32)
