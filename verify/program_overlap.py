"""When a program's asynchronous copies and its kernels ran, from events, and how much of that was at the same time.

The preloaded library writes `copies-PID.txt`, lines of tab-separated fields. Times are in ms: on the device since the
epoch's first event (an epoch ends where the program resets the device), on the host by its monotonic clock.

- `copy EPOCH STREAM BEGIN END CALLED RETURNED BYTES DIRECTION HOST`: the last three times are the host's
- `kernel EPOCH STREAM BEGIN END`
- `clock EPOCH HOST HOST DEVICE`: the host's time at the first and at the last event, and the device's at the last
- `block PROGRAM SIZE NTH`: host memory that copies used
- `pinned BLOCKS BYTES MS REFUSED EARLY`: what the library pinned, how long that took, what could not be pinned, and
  what was freed while a copy was still under way
- `full 1`: not all of the program was looked at
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from cudalint.verify.program_job import Block

if TYPE_CHECKING:
    import numpy.typing as npt

Epoch = tuple[str, int]
"""Process and number within it: times of different epochs do not compare."""


class Host(IntEnum):
    """The host's side of a copy, as the library numbers them."""

    NONE = 0
    PAGEABLE = 1
    PINNED = 2
    PINNED_HERE = 3


@dataclass(frozen=True, slots=True)
class Work:
    """A kernel's or a copy's time on the device, between the events before and behind it in its stream."""

    epoch: Epoch
    stream: int
    begin: float
    end: float

    @property
    def ms(self) -> float:
        """How long it took."""
        return max(0.0, self.end - self.begin)


@dataclass(frozen=True, slots=True)
class Copied(Work):
    """An asynchronous copy; `called` and `returned` are on the host's clock, `direction` as the library has it."""

    called: float
    returned: float
    nbytes: int
    direction: int
    host: Host


@dataclass(frozen=True, slots=True)
class Clocks:
    """The host's clock beside the device's, at an epoch's ends."""

    first: float
    last: float
    device: float

    def on_device(self, host: float) -> float:
        """A time of the host on the device's clock, which may run a little slower or faster."""
        span = self.last - self.first
        rate = self.device / span if span > 0 and self.device > 0 else 1.0
        return (host - self.first) * rate


@dataclass(frozen=True, slots=True)
class Pinned:
    """What the library pinned in a run: `refused` blocks could not be, `early` were freed under a copy."""

    blocks: int = 0
    nbytes: float = 0.0
    ms: float = 0.0
    refused: int = 0
    early: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """One run of a program, all its processes together. `copies` are in the order in which they were called."""

    copies: tuple[Copied, ...] = ()
    kernels: tuple[Work, ...] = ()
    clocks: Mapping[Epoch, Clocks] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    pinned: Pinned = Pinned()
    full: bool = False


@dataclass(slots=True)
class _Lines:
    """What has been read of a log."""

    copies: list[Copied] = field(default_factory=list)
    kernels: list[Work] = field(default_factory=list)
    clocks: dict[Epoch, Clocks] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    pinned: list[Pinned] = field(default_factory=list)
    full: bool = False


def read_copies(folder: Path) -> Log:
    """What the library wrote down of a run's copies; lines that cannot be read are left out."""
    lines = _Lines()
    for path in sorted(folder.glob("copies-*.txt")):
        with suppress(OSError):
            for line in path.read_text(errors="replace").splitlines():
                word, *rest = line.split("\t")
                with suppress(ValueError, IndexError, KeyError):
                    _READERS[word](lines, path.stem, rest)
    together = (
        Pinned(*(sum(column) for column in zip(*map(_row, lines.pinned), strict=True))) if lines.pinned else None
    )
    copies = sorted(lines.copies, key=lambda c: c.called)
    return Log(
        tuple(copies),
        tuple(lines.kernels),
        lines.clocks,
        tuple(lines.blocks),
        together or Pinned(),
        lines.full,
    )


def _row(one: Pinned) -> tuple[float, ...]:
    return (one.blocks, one.nbytes, one.ms, one.refused, one.early)


def _copy(lines: _Lines, process: str, f: Sequence[str]) -> None:
    times = (float(f[2]), float(f[3]), float(f[4]), float(f[5]))
    lines.copies.append(Copied((process, int(f[0])), int(f[1]), *times, int(f[6]), int(f[7]), Host(int(f[8]))))


def _kernel(lines: _Lines, process: str, f: Sequence[str]) -> None:
    lines.kernels.append(Work((process, int(f[0])), int(f[1]), float(f[2]), float(f[3])))


def _clock(lines: _Lines, process: str, f: Sequence[str]) -> None:
    lines.clocks[process, int(f[0])] = Clocks(float(f[1]), float(f[2]), float(f[3]))


def _block(lines: _Lines, _: str, f: Sequence[str]) -> None:
    lines.blocks.append(Block(f[0], int(f[1]), int(f[2])))


def _pinned(lines: _Lines, _: str, f: Sequence[str]) -> None:
    lines.pinned.append(Pinned(int(f[0]), float(f[1]), float(f[2]), int(f[3]), int(f[4])))


def _full(lines: _Lines, _: str, f: Sequence[str]) -> None:
    lines.full = lines.full or f[0] == "1"


_READERS: Mapping[str, Callable[[_Lines, str, Sequence[str]], None]] = {
    "copy": _copy,
    "kernel": _kernel,
    "clock": _clock,
    "block": _block,
    "pinned": _pinned,
    "full": _full,
}


# ---- the arithmetic ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Overlap:
    """Of a number of copies: ms that the host spent in their calls, and ms that they took on the device.

    Of the latter: `free_ms` after the call had returned, `kernels_ms` while kernels of other streams ran, `others_ms`
    while kernels or copies of other streams did.
    """

    count: int
    nbytes: int
    call_ms: float
    device_ms: float
    free_ms: float
    kernels_ms: float
    others_ms: float

    def share(self, ms: float) -> float:
        """A part of the time on the device, from 0 to 1."""
        return min(1.0, ms / self.device_ms) if self.device_ms > 0 else 0.0


def overlap(log: Log, chosen: Iterable[Copied]) -> Overlap:
    """How some copies of a run overlap with the rest of it."""
    copies = list(chosen)
    kernels = _Covered(log.kernels)
    others = _Covered((*log.kernels, *log.copies))
    return Overlap(
        len(copies),
        sum(c.nbytes for c in copies),
        sum(c.returned - c.called for c in copies),
        sum(c.ms for c in copies),
        sum(_after_return(log, c) for c in copies),
        sum(map(kernels.beside, copies)),
        sum(map(others.beside, copies)),
    )


def _after_return(log: Log, copy: Copied) -> float:
    clocks = log.clocks.get(copy.epoch)
    if clocks is None:
        return 0.0
    return max(0.0, copy.end - max(copy.begin, clocks.on_device(copy.returned)))


class _Covered:
    """When any of some work ran that is not of a given stream."""

    def __init__(self, work: Iterable[Work]) -> None:
        self._by_epoch: dict[Epoch, list[Work]] = {}
        for one in work:
            self._by_epoch.setdefault(one.epoch, []).append(one)
        self._merged: dict[tuple[Epoch, int], Spans] = {}

    def beside(self, copy: Copied) -> float:
        """Ms of a copy's time during which it ran."""
        key = (copy.epoch, copy.stream)
        if key not in self._merged:
            others = [w for w in self._by_epoch.get(copy.epoch, ()) if w.stream != copy.stream]
            self._merged[key] = Spans([(w.begin, w.end) for w in others])
        return self._merged[key].within(copy.begin, copy.end)


class Spans:
    """The union of intervals on a line."""

    def __init__(self, intervals: Sequence[tuple[float, float]]) -> None:
        rows = np.array(sorted(i for i in intervals if i[1] > i[0]), dtype=np.float64).reshape(-1, 2)
        ends = np.maximum.accumulate(rows[:, 1]) if len(rows) else rows[:, 1]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = rows[1:, 0] > ends[:-1]
        self._begin: npt.NDArray[np.float64] = rows[first, 0]
        self._end: npt.NDArray[np.float64] = ends[np.append(first[1:], True)] if len(rows) else ends
        self._before = np.concatenate(([0.0], np.cumsum(self._end - self._begin)))

    def within(self, begin: float, end: float) -> float:
        """How much of an interval the union covers."""
        return max(0.0, self._up_to(end) - self._up_to(begin))

    def _up_to(self, at: float) -> float:
        index = int(np.searchsorted(self._begin, at, side="right"))
        if index == 0:
            return 0.0
        last = min(at, float(self._end[index - 1])) - float(self._begin[index - 1])
        return float(self._before[index - 1]) + last


# ---- one run beside another --------------------------------------------------------------------------------------


def freed_copies(before: Log, after: Log) -> tuple[list[Copied], list[Copied]] | None:
    """The copies that use pageable memory in one run and pinned memory in the other, each as it is in both.

    None when the two runs do not make the same copies.
    """
    one, other = (tuple(c for c in log.copies if c.host is not Host.NONE) for log in (before, after))
    if [(c.nbytes, c.direction) for c in one] != [(c.nbytes, c.direction) for c in other]:
        return None
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a.host is Host.PAGEABLE and b.host > Host.PAGEABLE]
    return [a for a, _ in pairs], [b for _, b in pairs]


def size_text(nbytes: float) -> str:
    """`64 KiB`, `1.5 GiB`."""
    size, unit = float(nbytes), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.3g} {unit}"


def overlap_text(was: Overlap, now: Overlap) -> str:
    """What the verdict says of copies before and after their memory was pinned."""
    copies = "asynchronous copy" if was.count == 1 else "asynchronous copies"
    return (
        f"{was.count} {copies} of pageable memory, {size_text(was.nbytes)}, "
        f"{'returns' if was.count == 1 else 'return'} after {now.call_ms:.3g} ms instead of {was.call_ms:.3g} ms; "
        f"{now.share(now.kernels_ms):.0%} of the copy time overlaps with kernels "
        f"(was {was.share(was.kernels_ms):.0%})"
    )


def overlap_inputs(was: Overlap, now: Overlap) -> tuple[str, ...]:
    """The same figures in full."""

    def both(name: str, part: Callable[[Overlap], float]) -> str:
        return f"{name}: {was.share(part(was)):.0%} -> {now.share(part(now)):.0%} of the copy time"

    return (
        f"copies on the device: {was.device_ms:.4g} ms -> {now.device_ms:.4g} ms",
        both("after the call had returned", lambda o: o.free_ms),
        both("beside kernels of other streams", lambda o: o.kernels_ms),
        both("beside kernels or copies of other streams", lambda o: o.others_ms),
    )
