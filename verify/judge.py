"""From what was seen on the GPU to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from cudalint.verify.job import Outcome
from cudalint.verify.statistics import judge_times, speed_verdict
from cudalint.verify.verdict import Verdict, Verification

RACES = frozenset({"CUD401", "CUD402", "CUD403", "CUD405"})
"""Findings that are wrong rather than slow: confirmed by results that vary or differ, not by time."""

BEYOND = 1.1
"""Times the card's copy bandwidth: a kernel that seems to move more does not touch all of its buffers."""


def judge(code: str, outcome: Outcome, ran: Verification, doubts: Sequence[str] = ()) -> Verification:
    """The verdict on a finding of rule `code`; `ran` says what was run, and its bytes where they are known.

    `doubts` are what the analysis saw in this launch that lets results vary.
    """
    base = replace(ran, reason=outcome.error, device=outcome.device, max_difference=outcome.max_difference)
    if outcome.error:
        unusable = {"build", "load", "memory", "device"}
        verdict = Verdict.NOT_VERIFIABLE if outcome.stage in unusable else Verdict.FAILED
        if "flagged kernel failed" in outcome.error:
            verdict = Verdict.NOT_VERIFIABLE
            return replace(base, verdict=verdict, reason=f"{outcome.error} on made-up inputs")
        if outcome.stage == "hang" and "fixed kernel" not in outcome.error:
            return replace(base, verdict=Verdict.NOT_VERIFIABLE)
        return replace(base, verdict=verdict)
    if outcome.out_of_bounds:
        flagged = outcome.out_of_bounds.startswith("the flagged kernel")
        verdict = Verdict.NOT_VERIFIABLE if flagged else Verdict.FAILED
        return replace(base, verdict=verdict, reason=outcome.out_of_bounds)
    if code in RACES:
        return _judge_race(outcome, base, doubts)
    if outcome.varies and not (outcome.varying and not outcome.strangers):
        reason = "the flagged kernel itself gives different results for the same inputs"
        if outcome.varying:
            reason += f": {_elements(outcome.varying, outcome.compared)} vary"
        return replace(base, verdict=Verdict.NOT_VERIFIABLE, reason="; ".join((reason, *doubts)))
    if outcome.equal == "different":
        reason = f"results differ at {outcome.where}{_figures(outcome)}"
        if any(words.startswith("block = ") for words in ran.assumed):
            reason += ", on a made-up block that the kernel may not be written for"
            return replace(base, verdict=Verdict.NOT_VERIFIABLE, reason=reason)
        return replace(base, verdict=Verdict.DIFFERENT_RESULTS, reason=reason, comparison="different results")
    return _judge_times(outcome, base)


def _elements(count: int, of: int) -> str:
    return f"{count} of {of} elements" if of else f"{count} elements"


def _figures(outcome: Outcome) -> str:
    """How many elements differ, and by how much; empty where that was not counted."""
    if not outcome.differing:
        return ""
    count = f": {_elements(outcome.differing, outcome.compared)}"
    if outcome.max_absolute is None or outcome.max_difference is None or not isfinite(outcome.max_difference):
        return count
    return f"{count}, by at most {outcome.max_absolute:.3g} ({outcome.max_difference:.1e} of the largest value)"


def _judge_race(outcome: Outcome, base: Verification, doubts: Sequence[str]) -> Verification:
    if outcome.fixed_varies:
        reason = "results vary from run to run with the fix as well: something else is at work"
        if outcome.varying:
            reason += f" ({_elements(outcome.varying, outcome.compared)} vary)"
        return replace(base, verdict=Verdict.NOT_VERIFIABLE, reason="; ".join((reason, *doubts)))
    if outcome.varies or outcome.equal == "different":
        seen = "its results vary from run to run" if outcome.varies else "its results differ from the fixed kernel's"
        reason = f"the fault was seen: {seen} ({outcome.where}{_figures(outcome)})"
        return replace(base, verdict=Verdict.CONFIRMED, reason=reason)
    reason = "no run of the flagged kernel gave a different result: the fault did not show on this card"
    return replace(base, verdict=Verdict.NO_GAIN, reason=reason, comparison="results bitwise equal")


def _judge_times(outcome: Outcome, base: Verification) -> Verification:
    timing = judge_times(outcome.before_ms, outcome.after_ms, outcome.again_ms)
    moved = base.bytes_moved
    rates = (moved / timing.before_ms / 1e6, moved / timing.after_ms / 1e6) if moved else None
    if rates and outcome.copy_gbs and max(rates) > BEYOND * outcome.copy_gbs:
        rates = None
    share = (rates[0] / outcome.copy_gbs, rates[1] / outcome.copy_gbs) if rates and outcome.copy_gbs else None
    difference = f"equal within {outcome.max_difference or 0.0:.1e} of the largest value"
    comparison = "results bitwise equal" if outcome.equal == "bitwise" else f"results {difference}"
    if outcome.varying:
        count = _elements(outcome.varying, outcome.compared)
        comparison += f", but for {count} that vary with the flagged kernel itself and take values that it gives"
    return replace(
        base,
        verdict=speed_verdict(timing),
        reason="",
        timing=timing,
        comparison=comparison,
        bandwidth_gbs=rates,
        share=share,
    )
