"""What the verifier and the library preloaded into a program tell each other, in files of one folder.

The library (verify/preload) reads `job.txt`, lines of tab-separated fields, and writes `nvcc-*` (command lines),
`launches.txt`, `result-ID-N.json`, `time.txt` and `copies-PID.txt` (program_overlap.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cudalint.verify.build import BuildError, toolkit_includes
from cudalint.verify.job import Outcome
from cudalint.verify.program_build import Cubin
from cudalint.verify.program_run import run_command

SOURCES = Path(__file__).parent / "preload"
COMPILE_S = 180.0
TOLERANCE = 1e-5

NO_DIFFERENCE = 1e300
"""What is at least this large stands for a difference that is no number."""

Shape = tuple[int, ...]
"""Grid x, y, z, block x, y, z, bytes of dynamic shared memory."""


@dataclass(frozen=True, slots=True)
class Want:
    """A kernel to look at. `kernel` is its name in the program, `mode` compare or race.

    `launches` counts at how many launches results are compared; times are taken at the first. `types` has the
    element type (f16, bf16, f32, f64, bytes) of pointer parameters, `shapes` the fixed program's launches by number.
    """

    id: str
    kernel: str
    mode: str
    flagged: Cubin
    fixed: Cubin
    launches: int = 1
    types: Mapping[int, str] = field(default_factory=dict)
    shapes: Mapping[int, Shape] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch that the program made; `number` counts launches of its kernel, `captured` is into a graph."""

    kernel: str
    number: int
    shape: Shape
    captured: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What the library found at one launch of a wanted kernel."""

    launch: int
    shape: Shape
    fixed_shape: Shape
    regions: int
    nbytes: int
    runs: int
    hang: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Times:
    """Of one run of a program: ms between its first and last CUDA call, and in how many calls that allocate."""

    wall_ms: float
    allocations: int
    allocating_ms: float


@dataclass(frozen=True, slots=True)
class Block:
    """Host memory that a program allocates: the `nth` block of `size` bytes, counted from 0."""

    program: str
    size: int
    nth: int


def job_text(
    mode: str,
    wants: Sequence[Want] = (),
    *,
    compare: Path | None = None,
    budget_s: float = 2.0,
    limit_s: float = 30.0,
    pinned: Sequence[Block] | None = None,
) -> str:
    """The text of `job.txt`; mode is report, verify, time or copies.

    `pinned` are the blocks that the library pins as soon as they are there; others once they are copied. None: no
    memory is pinned.
    """
    lines = [f"mode\t{mode}", f"budget\t{budget_s}", f"limit\t{limit_s}", f"tolerance\t{TOLERANCE}"]
    if compare is not None:
        lines.append(f"compare\t{compare}")
    if pinned is not None:
        lines.append("pinning\t1")
        lines += [f"pin\t{block.program}\t{block.size}\t{block.nth}" for block in pinned]
    for want in wants:
        sides = [str(part) for c in (want.flagged, want.fixed) for part in (c.path, c.kernel, c.hash)]
        lines.append("\t".join(("want", want.id, want.kernel, want.mode, str(want.launches), *sides)))
        lines += [f"type\t{want.id}\t{index}\t{kind}" for index, kind in want.types.items()]
        lines += [f"shape\t{want.id}\t{n}\t{' '.join(map(str, shape))}" for n, shape in want.shapes.items()]
    return "\n".join(lines) + "\n"


def read_launches(folder: Path) -> list[Seen]:
    """The launches of all processes of a run, as far as they can be read."""
    made = []
    with suppress(OSError):
        for line in (folder / "launches.txt").read_text(errors="replace").splitlines():
            with suppress(ValueError):
                _, kernel, number, shape, captured = line.split("\t")
                made.append(Seen(kernel, int(number), tuple(map(int, shape.split())), captured == "1"))
    return made


def read_results(folder: Path, want: str) -> list[Looked]:
    """What was found at each launch of a wanted kernel."""
    made = []
    for path in sorted(folder.glob(f"result-{want}-*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            made.append(looked(json.loads(path.read_text())))
    return made


def looked(raw: Mapping[str, Any]) -> Looked:
    """A result as the library wrote it. Raises KeyError or TypeError for anything else."""
    difference = raw.get("max_difference")
    outcome = Outcome(
        error=raw.get("error", ""),
        stage=raw.get("stage", ""),
        device=raw.get("device", ""),
        equal=raw.get("equal", ""),
        max_difference=difference if difference is not None and difference < NO_DIFFERENCE else None,
        where=raw.get("where", ""),
        varies=raw.get("varies", False),
        fixed_varies=raw.get("fixed_varies", False),
        before_ms=tuple(raw.get("before_ms", ())),
        after_ms=tuple(raw.get("after_ms", ())),
        again_ms=tuple(raw.get("again_ms", ())),
    )
    shapes = [tuple(map(int, raw.get(name, ()))) for name in ("shape", "fixed_shape")]
    counts = [int(raw.get(name, 0)) for name in ("launch", "regions", "bytes", "runs")]
    return Looked(counts[0], shapes[0], shapes[1], counts[1], counts[2], counts[3], bool(raw.get("hang")), outcome)


def read_times(folder: Path) -> Times | None:
    """The times of a run, over all its processes; None when no CUDA program came to its end."""
    try:
        rows = [line.split("\t") for line in (folder / "time.txt").read_text().splitlines()]
        return Times(sum(float(r[0]) for r in rows), sum(int(r[1]) for r in rows), sum(float(r[2]) for r in rows))
    except (OSError, ValueError, IndexError):
        return None


def environment(folder: Path, library: Path, device: int) -> dict[str, str]:
    """The environment to build and run a program in, so that the library is loaded and sees one device."""
    made = dict(os.environ)
    made["CUDALINT_PRELOAD"] = str(folder)
    made["LD_PRELOAD"] = " ".join(filter(None, (str(library), made.get("LD_PRELOAD", ""))))
    made["NVCC_APPEND_FLAGS"] = f"{made.get('NVCC_APPEND_FLAGS', '')} -cudart shared".strip()
    visible = [part for part in made.get("CUDA_VISIBLE_DEVICES", "").split(",") if part]
    made["CUDA_VISIBLE_DEVICES"] = visible[device] if device < len(visible) else str(device)
    return made


def build_library(cache: Path, *, host_memory: bool = False) -> Path:
    """The library to preload, from the cache folder or compiled into it.

    With `host_memory` it also stands in for malloc and its kin, and can pin what they give.

    Raises:
        BuildError: no C++ compiler or CUDA headers, or they reject it.
    """
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        raise BuildError("no C++ compiler was found")
    words = [compiler, "-std=c++17", "-O1", "-fPIC", "-shared", *(f"-I{d}" for d in toolkit_includes())]
    words += ["-ftls-model=initial-exec", *(["-DPRELOAD_HOST_MEMORY"] if host_memory else [])]
    words += [f"-Wl,--version-script={SOURCES / 'preload.map'}", str(SOURCES / "preload.cpp"), "-ldl", "-lpthread"]
    try:
        return _cached(cache, "preload.so", [*words, "-static-libstdc++", "-static-libgcc"])
    except BuildError:
        return _cached(cache, "preload.so", words)


def build_compare(cache: Path, arch: str) -> Path:
    """The comparing kernels as a cubin, likewise. Raises BuildError."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise BuildError("nvcc is not on PATH")
    words = [nvcc, "-cubin", f"-arch={arch}", "-w", str(SOURCES / "compare.cu")]
    return _cached(cache, "compare.cubin", words)


def _cached(cache: Path, name: str, words: Sequence[str]) -> Path:
    """What a compiler makes of the preload sources, kept by their content and the command line."""
    content = hashlib.blake2b("\0".join(words).encode(), digest_size=12)
    for path in sorted(SOURCES.iterdir()):
        content.update(path.read_bytes() if path.is_file() else b"")
    made = cache / f"{content.hexdigest()}-{name}"
    if made.is_file():
        return made
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            early = Path(folder) / name
            ran = run_command([*words, "-o", str(early)], Path(folder), limit_s=COMPILE_S)
            if ran.status or ran.stopped:
                raise BuildError(f"{name} cannot be compiled: {ran.problem}")
            early.replace(made)
    except OSError as error:
        raise BuildError(f"{name} cannot be compiled: {error}") from None
    return made
