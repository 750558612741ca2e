"""From interleaved times to a ratio, its interval, and whether that is faster or slower."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from cudalint.verify.verdict import Timing, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_EFFECT = 0.03
"""No claim below 3%: the same kernel in another module differed by up to 2.5% at 20 us (DESIGN 8)."""

RESAMPLES = 2000


def bootstrap_ratio(
    before: npt.NDArray[np.float64], after: npt.NDArray[np.float64], rng: np.random.Generator
) -> tuple[float, float, float]:
    """Ratio of the medians (before / after) with its 95% interval, resampling pairs together.

    Both arrays hold the times of the same pairs, in order. Pairs are resampled as pairs, since drift of the
    card's clock moves both.
    """
    count = len(before)
    picks = rng.integers(0, count, size=(RESAMPLES, count))
    ratios = np.median(before[picks], axis=1) / np.median(after[picks], axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(np.median(before) / np.median(after)), float(low), float(high)


def judge_times(before: Sequence[float], after: Sequence[float], again: Sequence[float], *, seed: int = 0) -> Timing:
    """Times in ms of the flagged kernel, the fixed one, and the flagged one again, from the same rounds.

    The floor is how far the second flagged series is from the first: the larger end of its own interval.
    """
    rng = np.random.default_rng(seed)
    a, b, c = (np.asarray(x, dtype=np.float64) for x in (before, after, again))
    ratio, low, high = bootstrap_ratio(a, b, rng)
    _, floor_low, floor_high = bootstrap_ratio(a, c, rng)
    floor = max(abs(floor_low - 1.0), abs(floor_high - 1.0))
    return Timing(float(np.median(a)), float(np.median(b)), ratio, low, high, floor, len(a))


def settled(before: Sequence[float], after: Sequence[float], *, width: float = 0.02, seed: int = 0) -> bool:
    """Whether the 95% interval of the ratio is narrower than `width` of the ratio (DESIGN 8: 2%)."""
    rng = np.random.default_rng(seed)
    ratio, low, high = bootstrap_ratio(np.asarray(before), np.asarray(after), rng)
    return (high - low) / ratio < width


def speed_verdict(timing: Timing) -> Verdict:
    """Faster or slower only beyond the interval and beyond max(3%, twice the A/A floor)."""
    margin = max(MIN_EFFECT, 2 * timing.floor)
    if timing.low > 1.0 and timing.ratio > 1.0 + margin:
        return Verdict.FASTER
    if timing.high < 1.0 and timing.ratio < 1.0 / (1.0 + margin):
        return Verdict.SLOWER
    return Verdict.NO_GAIN
