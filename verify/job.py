"""The messages between the verifier and its worker process: plain data, JSON on one line each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Argument:
    """One kernel argument.

    kind `scalar` or `struct`: `data` is its bytes in hex, `inner` the offsets in it at which pointers to other
    arguments' buffers stand, with their indices. kind `buffer`: `nbytes` of device memory holding elements of numpy
    type `dtype`; integers are drawn from [`low`, `high`), floats from [-1, 1). `fill` says otherwise: `zeros`, `rows`
    (integers that grow from 0 to `high`), `pointers` (into the buffer of argument `target`). `role` is in, out or
    inout; `alias` names an earlier argument index whose buffer this one shares. kind `hidden`: a buffer that is
    no parameter. kind `symbol`: a variable of the module, named by `data`, that both kernels read.

    `row`: records of so many bytes stand in any order, since an atomic gives each its place. `summed`: atomics add
    floats to it, in another order each time.
    """

    kind: str
    data: str = ""
    nbytes: int = 0
    dtype: str = "float32"
    role: str = "inout"
    low: int = 0
    high: int = 256
    offset: int = 0
    alias: int | None = None
    fill: str = ""
    target: int = 0
    inner: tuple[tuple[int, int], ...] = ()
    row: int = 0
    summed: bool = False

    @property
    def random(self) -> bool:
        """Whether another seed gives it other content."""
        return self.kind in {"buffer", "hidden"} and self.alias is None and not self.fill and self.role != "out"


@dataclass(frozen=True, slots=True)
class Build:
    """A kernel to load: NVRTC source (with `headers` by name), or a cubin on disk; launched with this shape.

    `symbol` is the mangled name; `expression` the C++ name expression of a template instance, or empty.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    symbol: str
    expression: str = ""
    source: str = ""
    cubin: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """Run `before` and `after` on the same inputs. `budget_s` bounds the timing, not the build.

    `mode` is `compare` (equal and faster?), `race` (does `before` vary, or differ from `after`?) or `once`
    (launch `before` once, for a profiler).
    """

    before: Build
    after: Build
    args: tuple[Argument, ...]
    arch: str = ""
    mode: str = "compare"
    seeds: int = 3
    budget_s: float = 2.0
    rtol: float = 1e-5
    device: int = 0

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_line(line: str) -> Job:
        """The inverse of `to_line`."""
        raw = json.loads(line)
        builds = {side: Build(**_tuples(raw.pop(side))) for side in ("before", "after")}
        args = tuple(Argument(**_tuples(a)) for a in raw.pop("args"))
        return Job(builds["before"], builds["after"], args, **raw)


STAGE = "#"
"""Starts a line by which the worker says what it does now: flagged, fixed or timing. Other lines are outcomes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the worker saw. `error` and `stage` (build, load, run, memory) when it did not come through.

    Times are ms of interleaved rounds. `equal` is bitwise, tolerance or different; `varies` says that
    `before` gave results for the same inputs that differ by more than the tolerance, `fixed_varies` that
    `after` did. `max_difference` is relative to the largest value, `max_absolute` is not; `differing` of `compared`
    elements differ by more than the tolerance. `varying` elements vary with `before`; `strangers` are those of
    `after` that no run of `before` gave (only counted where something varies).
    """

    error: str = ""
    stage: str = ""
    device: str = ""
    equal: str = ""
    max_difference: float | None = None
    where: str = ""
    varies: bool = False
    fixed_varies: bool = False
    out_of_bounds: str = ""
    before_ms: tuple[float, ...] = ()
    after_ms: tuple[float, ...] = ()
    again_ms: tuple[float, ...] = ()
    copy_gbs: float = 0.0
    max_absolute: float | None = None
    differing: int = 0
    compared: int = 0
    varying: int = 0
    strangers: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_line(line: str) -> Outcome:
        """The inverse of `to_line`."""
        return Outcome(**_tuples(json.loads(line)))


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    return {k: _tuple(v) for k, v in raw.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
