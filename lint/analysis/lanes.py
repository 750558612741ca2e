"""What one warp-wide memory request costs, by the formulas that an H200 reproduces exactly.

Global memory moves 32-byte sectors; shared memory has 32 banks of 4 bytes. Both are counted per request: one
instruction executed once by one warp. The formulas give the counts that Nsight Compute measured on an H200 for
258 access patterns (tests/data/h200_micro.jsonl); the CUDA C++ Programming Guide describes the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cudalint.lint.analysis.trace import Bools, Ints

WARP = 32
"""Lanes in a warp."""
SECTOR = 32
"""Bytes in the unit that global memory moves."""
BANKS = 32
"""Banks of shared memory."""
WORD = 4
"""Bytes in the unit that a bank delivers."""
WIDEST = 16
"""Bytes that one lane can access with one instruction."""
_WIDEST_KEY = 2**62
"""Pairs of a group and a value are counted as one integer up to here."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """The requests of one access: arrays with one element per warp that has an active lane.

    `used` is what the request costs (sectors or wavefronts), `ideal` the least that the active lanes need, and
    `full` what the same instruction costs with all lanes active and contiguous. `warp` is the warp's number
    as given, `active` its active lanes.
    """

    warp: Ints
    active: Ints
    used: Ints
    ideal: Ints
    full: Ints


def global_requests(address: Ints, size: int, mask: Bools, warp: Ints) -> Requests:
    """Cost in 32-byte sectors: the distinct sectors that the active lanes of each warp touch.

    `address` (bytes), `mask` and `warp` have one element per lane; `size` is in bytes per lane. The ideal is
    the fewer of those sectors and of the bytes asked for, divided by 32 and rounded up.
    """
    where = address[mask]
    ids, group, active = _grouped(warp[mask])
    first = where // SECTOR
    widest = (SECTOR + size - 2) // SECTOR
    keys = [np.minimum(first + k, (where + size - 1) // SECTOR) for k in range(widest + 1)]
    used = _distinct(np.tile(group, len(keys)), np.concatenate(keys), len(ids))
    ideal = np.minimum(used, -(-active * size // SECTOR))
    return Requests(ids, active, used, ideal, np.full(len(ids), -(-WARP * size // SECTOR)))


def shared_requests(address: Ints, size: int, mask: Bools, warp: Ints, lane: Ints) -> Requests:
    """Cost in wavefronts: for each group of lanes the largest number of distinct words in one bank.

    Lanes go in groups of 32 (accesses of up to 4 bytes), 16 (8 bytes) or 8 (16 bytes). The ideal is one
    wavefront for each group with an active lane. `lane` is the position in the warp; else as
    `global_requests`.
    """
    words = max(1, size // WORD)
    ids, group, active = _grouped(warp[mask])
    part = group * words + lane[mask] * words // WARP
    first = address[mask] // WORD
    word = np.concatenate([first + k for k in range(words)])
    slot = np.tile(part, words) * BANKS + word % BANKS
    degree = _distinct(slot, word, len(ids) * words * BANKS).reshape(-1, BANKS).max(axis=1)
    waves = degree.reshape(-1, words)
    ideal = (waves > 0).sum(axis=1)
    return Requests(ids, active, waves.sum(axis=1), ideal, np.full(len(ids), words))


def bank_words(address: Ints, size: int, mask: Bools, lane: Ints) -> tuple[int, Ints, Ints]:
    """The worst bank of one warp: its number, the active lanes that meet there and the words they want.

    All arrays are of one warp. The lanes are those of the group of lanes with the worst conflict.
    """
    words = max(1, size // WORD)
    active = np.flatnonzero(mask)
    part = np.repeat(lane[active] * words // WARP, words)
    word = (address[active, None] // WORD + np.arange(words)).ravel()
    slot = part * BANKS + word % BANKS
    degree = _distinct(slot, word, words * BANKS)
    worst = int(degree.argmax())
    there = slot == worst
    return worst % BANKS, np.repeat(lane[active], words)[there], word[there]


def pieces(size: int, align: int) -> tuple[tuple[int, int], ...]:
    """The instructions that move a value of `size` bytes: (offset, bytes) each.

    A value aligned to its size moves at once, up to 16 bytes; a record moves in steps of its alignment, as
    nothing more is promised about its address.
    """
    step = min(max(align, 1), WIDEST)
    if size <= WIDEST and size & (size - 1) == 0 and step >= size:
        return ((0, size),)
    return tuple((at, min(step, size - at)) for at in range(0, size, step))


def _grouped(warp: Ints) -> tuple[Ints, Ints, Ints]:
    """The different warps, which of them each element has, and how many elements each has. Warps mostly ascend."""
    if not len(warp) or (warp[1:] < warp[:-1]).any():
        return np.unique(warp, return_inverse=True, return_counts=True)
    new = np.ones(len(warp), np.bool_)
    np.not_equal(warp[1:], warp[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    return warp[starts], np.cumsum(new) - 1, np.diff(starts, append=len(warp))


def _distinct(group: Ints, value: Ints, groups: int) -> Ints:
    """How many different values each group has, `group` counting from 0."""
    if not len(group):
        return np.zeros(groups, np.int64)
    low, high = int(value.min()), int(value.max())
    span = high - low + 1
    if span * groups > _WIDEST_KEY:
        value = np.unique(value, return_inverse=True)[1]
        low, span = 0, int(value.max()) + 1
    keys = np.sort(group * span + (value - low))
    new = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return np.bincount(keys[new] // span, minlength=groups)
