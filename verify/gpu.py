"""Load, run, compare and time two kernels on one GPU. The only module that imports CuPy."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cupy as cp
import numpy as np
from cudalint.verify.compare import Array, Difference, Varying, compare
from cudalint.verify.job import Argument, Build, Job, Outcome
from cudalint.verify.statistics import settled

RED_ZONE = 64 * 1024
"""Bytes on both sides of every buffer that no kernel may touch; keeps cudaMalloc's 256-byte alignment."""
PATTERN = 0xA5
MIN_PAIRS, MAX_PAIRS = 20, 400
RACE_RUNS = 40
POINTED_ROWS = 256
"""Rows of the buffer that an array of pointers points into: more pointers than that share them."""
FIXED_RUNS = 8
SLOW_S = 20.0
"""Where comparing one set of inputs takes this long, there is no further one."""

Tell = Callable[[str], None]
"""Hears what starts: flagged, fixed or timing."""


class StageError(Exception):
    """A step that did not come through; `stage` is build, load, memory or run."""

    def __init__(self, stage: str, message: str) -> None:
        super().__init__(message)
        self.stage = stage


class OutsideError(Exception):
    """A kernel wrote outside a buffer: which of them, and which buffer."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A kernel ready to launch. `module` is kept alive with it."""

    module: Any
    handle: int
    build: Build


@dataclass(slots=True)
class Buffer:
    """Device memory with red zones. `pristine` holds the inputs of the current seed."""

    whole: Array
    inner: Array
    pristine: Array
    argument: Argument
    index: int

    def restore(self) -> None:
        """Put the inputs back."""
        self.inner[...] = self.pristine

    def intact(self) -> bool:
        """Whether both red zones still hold their pattern."""
        ends = (self.whole[:RED_ZONE], self.whole[RED_ZONE + self.inner.nbytes :])
        return all(bool((end == PATTERN).all()) for end in ends)


def perform(job: Job, tell: Tell) -> Outcome:
    """Do a job; `tell` hears what starts. Raises StageError, or CuPy's errors, which leave the context unusable."""
    cp.cuda.Device(job.device).use()
    before, after = load(job.before), load(job.after)
    buffers = allocate(job.args)
    device = _device_name(job.device)
    for kernel in (before, after):
        fill_symbols(kernel, job.args, 0)
    try:
        if job.mode == "race":
            return replace(_race(job, before, after, buffers, tell), device=device)
        if job.mode == "once":
            fill(buffers, 0)
            _run_once(before, job, buffers, "flagged", tell)
            return Outcome(device=device)
        return replace(_compared(job, before, after, buffers, tell), device=device)
    except OutsideError as error:
        return Outcome(device=device, out_of_bounds=str(error))


def _compared(job: Job, before: Loaded, after: Loaded, buffers: list[Buffer], tell: Tell) -> Outcome:
    """Whether the results are equal for all seeds, and the times where they are."""
    worst, varying, strangers = Difference(), 0, 0
    begin = time.monotonic()
    for seed in range(job.seeds if any(a.random for a in job.args) else 1):
        fill(buffers, seed)
        first = _run_once(before, job, buffers, "flagged", tell)
        again = _run_once(before, job, buffers, "flagged", tell)
        fixed = _run_once(after, job, buffers, "fixed", tell)
        difference = _compare(first, fixed, buffers, job.rtol)
        if _compare(first, again, buffers, job.rtol).kind == "different":
            seen = _varying(job, before, buffers, (first, again, fixed), tell)
            varying, strangers = max(varying, seen.elements), max(strangers, seen.strangers)
            if strangers == 0:
                difference = Difference(total=difference.total)
        worst = difference if difference.kind == "different" else worst.and_also(difference)
        if worst.kind == "different":
            worst = replace(worst, where=f"{worst.where}, seed {seed}" if worst.where else "")
            break
        if time.monotonic() - begin > SLOW_S:
            break
    outcome = Outcome(
        equal=worst.kind,
        max_difference=worst.relative,
        max_absolute=worst.absolute,
        differing=worst.count,
        compared=worst.total,
        where=worst.where,
        varies=varying > 0,
        varying=varying,
        strangers=strangers,
    )
    if worst.kind == "different":
        return outcome
    times = clock(job, before, after, buffers, tell)
    return replace(
        outcome,
        before_ms=tuple(times[0]),
        after_ms=tuple(times[1]),
        again_ms=tuple(times[2]),
        copy_gbs=copy_bandwidth(),
    )


def _varying(
    job: Job, kernel: Loaded, buffers: list[Buffer], seen: tuple[list[Array], list[Array], list[Array]], tell: Tell
) -> Varying:
    """What varies in further runs of the flagged kernel, and whether each value of the fixed one is among theirs."""
    first, again, fixed = seen
    found = Varying.of(cp, first, fixed, _arguments(buffers), job.rtol)
    found.add(again)
    deadline = time.monotonic() + job.budget_s
    for _ in range(RACE_RUNS):
        if time.monotonic() > deadline:
            break
        found.add(_run_once(kernel, job, buffers, "flagged", tell))
    return found


def load(build: Build) -> Loaded:
    """Compile (NVRTC) or load (cubin) a kernel and find it. Raises StageError."""
    try:
        if build.cubin:
            module = cp.RawModule(path=build.cubin)
        else:
            names = (build.expression,) if build.expression else None
            module = cp.RawModule(code=build.source, options=build.options, name_expressions=names)
        function = module.get_function(build.expression if build.expression and not build.cubin else build.symbol)
        if build.shared > 48 * 1024:
            function.max_dynamic_shared_size_bytes = build.shared
    except cp.cuda.compiler.CompileException as error:
        raise StageError("build", _first_error(str(error))) from None
    except cp.cuda.driver.CUDADriverError as error:
        raise StageError("load", f"{build.symbol}: {error}") from None
    return Loaded(module, int(function.kernel.ptr), build)


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error" in line.lower()]
    return lines[0] if lines else text.strip()[:300]


def allocate(args: tuple[Argument, ...]) -> list[Buffer]:
    """Device memory for all buffers. Raises StageError when it does not fit in 80% of what is free."""
    own = [(i, a) for i, a in enumerate(args) if a.kind in {"buffer", "hidden"} and a.alias is None]
    wanted = sum(4 * a.nbytes + 2 * RED_ZONE for _, a in own)
    free, _ = cp.cuda.runtime.memGetInfo()
    if wanted > 0.8 * (free + cp.get_default_memory_pool().free_bytes()):
        raise StageError("memory", f"needs {wanted / 2**30:.1f} GiB with copies, {free / 2**30:.1f} GiB are free")
    buffers = []
    for index, argument in own:
        whole = cp.full(argument.nbytes + 2 * RED_ZONE, PATTERN, dtype=cp.uint8)
        inner = whole[RED_ZONE : RED_ZONE + argument.nbytes]
        buffers.append(Buffer(whole, inner, cp.empty_like(inner), argument, index))
    return buffers


def fill(buffers: list[Buffer], seed: int) -> None:
    """Fresh inputs: uniform floats in [-1, 1), integers in the argument's range. Outputs are poisoned."""
    rng = cp.random.default_rng(seed * 7919 + 17)
    places = {b.index: b for b in buffers}
    for buffer in buffers:
        a = buffer.argument
        kind = np.dtype(a.dtype)
        count = a.nbytes // kind.itemsize
        if a.fill:
            values = _filling(a, count, places)
            buffer.pristine[...] = 0
            buffer.pristine[: count * kind.itemsize] = values.astype(kind).view(cp.uint8)
        elif a.role == "out":
            buffer.pristine[...] = 0xFF  # NaN for floats, -1 for integers: an element left unwritten shows
        elif kind.kind == "f":
            values = rng.random(count, dtype=cp.float32) * 2 - 1
            buffer.pristine[: count * kind.itemsize] = values.astype(kind).view(cp.uint8)
        else:
            values = rng.integers(a.low, max(a.high, a.low + 1), size=count, dtype=cp.int64)
            buffer.pristine[: count * kind.itemsize] = values.astype(kind).view(cp.uint8)


def fill_symbols(kernel: Loaded, args: tuple[Argument, ...], seed: int) -> None:
    """The same content for each module's constant memory. Variables that the compiler renamed stay zero."""
    for place, a in enumerate(args):
        if a.kind != "symbol":
            continue
        try:
            memory = kernel.module.get_global(a.data)
        except (cp.cuda.driver.CUDADriverError, KeyError):
            continue
        rng = cp.random.default_rng(seed * 7919 + 31 * place + 5)
        kind = np.dtype(a.dtype)
        count = a.nbytes // kind.itemsize
        drawn = rng.random(count) if kind.kind == "f" else rng.integers(a.low, a.high, size=count, dtype=cp.int64)
        cp.ndarray((count,), kind, memory)[...] = drawn.astype(kind)


def _filling(a: Argument, count: int, places: dict[int, Buffer]) -> Array:
    """The content of a buffer that is not drawn at random."""
    if a.fill == "rows":
        return cp.arange(count, dtype=cp.float64) * (a.high / max(1, count))
    if a.fill == "pointers":
        inner = places[a.target].inner
        row = max(256, inner.nbytes // max(1, min(count, POINTED_ROWS)) // 256 * 256)
        return cp.uint64(inner.data.ptr) + cp.arange(count, dtype=cp.uint64) * row % (inner.nbytes // row * row)
    return cp.zeros(count)


def launch(kernel: Loaded, job: Job, buffers: list[Buffer]) -> None:
    """Enqueue one launch on the current stream."""
    by_index = {b.index: b for b in buffers}
    cells: list[Any] = []
    for index, argument in enumerate(job.args):
        if argument.kind == "buffer":
            owner = by_index[index if argument.alias is None else argument.alias]
            cells.append(ctypes.c_uint64(owner.inner.data.ptr + argument.offset))
        elif argument.kind in {"scalar", "struct"}:
            raw = bytearray.fromhex(argument.data)
            for at, target in argument.inner:
                raw[at : at + 8] = int(by_index[target].inner.data.ptr).to_bytes(8, "little")
            cells.append(ctypes.create_string_buffer(bytes(raw), len(raw)))
    pointers = (ctypes.c_void_p * max(1, len(cells)))(*(ctypes.addressof(c) for c in cells))
    b = kernel.build
    stream = cp.cuda.get_current_stream().ptr
    try:
        cp.cuda.driver.launchKernel(kernel.handle, *b.grid, *b.block, b.shared, stream, ctypes.addressof(pointers), 0)
    except cp.cuda.driver.CUDADriverError as error:
        raise StageError("run", f"launch grid {b.grid} block {b.block} shared {b.shared}: {error}") from None


def _run_once(kernel: Loaded, job: Job, buffers: list[Buffer], which: str, tell: Tell) -> list[Array]:
    """The buffers after one launch on the pristine inputs.

    Raises:
        StageError: it faulted; names `which` kernel.
        OutsideError: it wrote outside a buffer.
    """
    tell(which)
    for buffer in buffers:
        buffer.restore()
    launch(kernel, job, buffers)
    try:
        cp.cuda.runtime.deviceSynchronize()
    except cp.cuda.runtime.CUDARuntimeError as error:
        raise StageError("run", f"the {which} kernel failed: {error}") from None
    _check_red_zones(buffers, which)
    return [b.inner.copy() for b in buffers]


def _check_red_zones(buffers: list[Buffer], which: str) -> None:
    damaged = [b.index for b in buffers if not b.intact()]
    if damaged:
        raise OutsideError(f"the {which} kernel writes outside the buffer of argument {damaged[0]}")


def _arguments(buffers: list[Buffer]) -> list[tuple[int, Argument]]:
    return [(b.index, b.argument) for b in buffers]


def _compare(one: list[Array], other: list[Array], buffers: list[Buffer], rtol: float) -> Difference:
    return compare(cp, one, other, _arguments(buffers), rtol)


def clock(job: Job, before: Loaded, after: Loaded, buffers: list[Buffer], tell: Tell) -> tuple[list[float], ...]:
    """Interleaved times in ms of before, after and before again: random order, L2 flushed, inputs put back."""
    order = np.random.default_rng(1)
    flush = cp.empty(2 * cp.cuda.Device().attributes["L2CacheSize"], dtype=cp.uint8)
    kernels = (before, after, before)
    times: tuple[list[float], ...] = ([], [], [])
    changed = [b for b in buffers if b.argument.role == "inout" and b.inner.nbytes <= 1 << 28]
    least = _warm_up(job, (before, after), buffers, changed, tell)
    start, end = cp.cuda.Event(), cp.cuda.Event()
    deadline = time.monotonic() + job.budget_s
    while len(times[0]) < MAX_PAIRS:
        for which in order.permutation(3):
            tell("timing")
            for buffer in changed:
                buffer.restore()
            flush.fill(0)
            start.record()
            launch(kernels[which], job, buffers)
            end.record()
            end.synchronize()
            times[which].append(float(cp.cuda.get_elapsed_time(start, end)))
        pairs = len(times[0])
        if time.monotonic() > deadline and pairs >= least:
            break
        if pairs >= MIN_PAIRS and pairs % 20 == 0 and settled(times[0], times[1]) and settled(times[0], times[2]):
            break
    return times


def _warm_up(
    job: Job, kernels: tuple[Loaded, Loaded], buffers: list[Buffer], changed: list[Buffer], tell: Tell
) -> int:
    """Launch both until the clock is up; the rounds that are needed at least: few where a launch takes seconds.

    What they change is put back before each: a counter that goes on counting would lead out of a buffer.
    """
    begin = time.monotonic()
    for kernel in kernels * 3:
        tell("timing")
        for buffer in changed:
            buffer.restore()
        launch(kernel, job, buffers)
        cp.cuda.runtime.deviceSynchronize()
        if time.monotonic() - begin > 1.0:
            return 3
    return 5


def _race(job: Job, before: Loaded, after: Loaded, buffers: list[Buffer], tell: Tell) -> Outcome:
    """Run `before` often; does it vary, or differ from `after`? Another stream's work shifts the schedule.

    Rounding that follows the order of atomic additions is no fault: only what exceeds the tolerance counts.
    """
    worst, unsteady = Difference(), 0
    signs: set[str] = set()
    noise = cp.cuda.Stream(non_blocking=True)
    load_buffer = cp.empty(1 << 24, dtype=cp.float32)
    deadline = time.monotonic() + job.budget_s
    for seed in range(job.seeds):
        fill(buffers, seed)
        first = _run_once(before, job, buffers, "flagged", tell)
        reference = _run_once(after, job, buffers, "fixed", tell)
        for run in range(RACE_RUNS):
            if run % 2:
                with noise:
                    load_buffer += 1.0
            result = _run_once(before, job, buffers, "flagged", tell)
            for other, seen in ((first, "varies"), (reference, "differs")):
                found = _compare(other, result, buffers, job.rtol)
                if found.kind == "different":
                    signs.add(seen)
                    if found.relative >= worst.relative:
                        worst = replace(found, where=f"{found.where}, seed {seed}, run {run}")
            if len(signs) == 2 or time.monotonic() > deadline:
                break
        unsteady = max(unsteady, _unsteady(after, job, buffers, reference, tell))
    return Outcome(
        equal="different" if "differs" in signs else "bitwise",
        max_difference=worst.relative,
        max_absolute=worst.absolute,
        differing=worst.count,
        compared=sum(b.inner.nbytes // np.dtype(b.argument.dtype).itemsize for b in buffers),
        where=worst.where,
        varies="varies" in signs,
        fixed_varies=unsteady > 0,
        varying=unsteady,
    )


def _unsteady(kernel: Loaded, job: Job, buffers: list[Buffer], first: list[Array], tell: Tell) -> int:
    """The elements by which further runs of the fixed kernel differ from its first, beyond tolerance, at most."""
    runs = (_run_once(kernel, job, buffers, "fixed", tell) for _ in range(FIXED_RUNS))
    return max(_compare(first, result, buffers, job.rtol).count for result in runs)


_COPY_GBS: dict[int, float] = {}


def copy_bandwidth() -> float:
    """GB/s (read plus written) of a large device-to-device copy on this card, measured once a process."""
    device = cp.cuda.Device().id
    if device not in _COPY_GBS:
        size = min(1 << 30, cp.cuda.runtime.memGetInfo()[0] // 8)
        source = cp.ones(size, dtype=cp.uint8)
        target = cp.empty_like(source)
        start, end = cp.cuda.Event(), cp.cuda.Event()
        times = []
        for _ in range(12):
            start.record()
            target.data.copy_from_device_async(source.data, size, cp.cuda.get_current_stream())
            end.record()
            end.synchronize()
            times.append(float(cp.cuda.get_elapsed_time(start, end)))
        _COPY_GBS[device] = 2 * size / (float(np.median(times)) * 1e6)
    return _COPY_GBS[device]


def _device_name(device: int) -> str:
    name: bytes = cp.cuda.runtime.getDeviceProperties(device)["name"]
    return name.decode()
