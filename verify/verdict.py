"""What the verifier says about a finding's fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """The six outcomes, as users see them."""

    FASTER = "faster"
    NO_GAIN = "no-gain"
    SLOWER = "slower"
    DIFFERENT_RESULTS = "different-results"
    FAILED = "failed"
    NOT_VERIFIABLE = "not-verifiable"
    CONFIRMED = "confirmed"
    """For findings that are bugs: the fault was seen (results vary, or the sanitizer reports it)."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of the flagged and the fixed kernel, milliseconds, and their ratio (flagged / fixed).

    `low` and `high` bound the ratio's 95% bootstrap interval; `floor` is the A/A floor: how far from 1 the
    ratio of the flagged kernel against itself came in the same run. `pairs` counts interleaved pairs.
    """

    before_ms: float
    after_ms: float
    ratio: float
    low: float
    high: float
    floor: float
    pairs: int


ASSUMED = "assumed: "
"""Starts those of a verification's inputs that say what was made up."""


ALL_LANES = "all lanes take part in warp intrinsics that name none"
"""What is assumed of intrinsics without a mask, which current cards lack."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict with all that it rests on. Everything is JSON-able through `as_json`.

    `bandwidth_gbs` are the achieved GB/s (bytes the kernel must move / time) before and after, `share` the
    same as a share of the card's measured copy bandwidth. `launch` and `inputs` say what was run.
    """

    verdict: Verdict
    reason: str
    device: str = ""
    compiler: str = ""
    timing: Timing | None = None
    max_difference: float | None = None
    comparison: str = ""
    launch: str = ""
    inputs: tuple[str, ...] = ()
    bytes_moved: int | None = None
    bandwidth_gbs: tuple[float, float] | None = None
    share: tuple[float, float] | None = None
    counters: dict[str, Any] | None = None
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """A dictionary of plain values; fields that are empty are left out."""
        values = asdict(self)
        values["verdict"] = self.verdict.value
        values["summary"] = self.summary()
        return {k: v for k, v in values.items() if v not in (None, "", (), {})}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> Verification:
        """The inverse of `as_json`. Raises TypeError, KeyError or ValueError for anything else."""
        made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        made["verdict"] = Verdict(made["verdict"])
        made.pop("summary", None)
        made.setdefault("reason", "")
        if "timing" in made:
            made["timing"] = Timing(**made["timing"])
        return Verification(**made)

    @property
    def assumed(self) -> tuple[str, ...]:
        """What was made up, in words such as `block = (256, 1, 1)`."""
        return tuple(i.removeprefix(ASSUMED) for i in self.inputs if i.startswith(ASSUMED))

    @property
    def assumed_sizes(self) -> tuple[str, ...]:
        """What of the launch, the sizes and the content of buffers was made up."""
        return tuple(words for words in self.assumed if not words.startswith(ALL_LANES))

    def summary(self) -> str:
        """One line for people: `1.71x faster (95% 1.70-1.73), results bitwise equal`."""
        if self.timing is None:
            return f"{self.verdict.value}: {self.reason}"
        t = self.timing
        made_up = ", on assumed sizes" if self.assumed_sizes else ""
        made_up += "".join(f", {i}" for i in self.inputs if i.startswith("in the program itself: "))
        times = f"{t.before_ms:.4g} ms -> {t.after_ms:.4g} ms, ratio {t.ratio:.2f} (95% {t.low:.2f}-{t.high:.2f})"
        rates = "" if self.share is None else f", {self.share[0]:.0%} -> {self.share[1]:.0%} of copy bandwidth"
        more = f"; {self.reason}" if self.reason else ""
        return f"{self.verdict.value}: {times}{rates}, {self.comparison} ({self.device}{made_up}){more}"
