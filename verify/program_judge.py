"""From what was found at a program's launches to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cudalint.verify.job import Outcome
from cudalint.verify.judge import judge
from cudalint.verify.program_job import Looked, Shape
from cudalint.verify.verdict import Verdict, Verification

_ORDER = ("bitwise", "tolerance", "different")


def judge_launches(code: str, kernel: str, looked: Sequence[Looked], command: str) -> Verification:
    """The verdict on a finding of rule `code` from the launches of its kernel that were looked at.

    Results count at all of them, times at the first.
    """
    first = looked[0]
    ran = Verification(
        Verdict.FAILED,
        "",
        compiler="nvcc",
        launch=f"{kernel}{launch_text(first.shape)}",
        inputs=tuple(_inputs(looked, command)),
    )
    broken = next((one for one in looked if one.outcome.error), None)
    if broken is not None and (broken is first or broken.outcome.stage == "fixed"):
        return _failed(broken, ran)
    return judge(code, _merged([one for one in looked if not one.outcome.error]), ran)


def _inputs(looked: Sequence[Looked], command: str) -> list[str]:
    first = looked[0]
    numbers = " and ".join(str(one.launch + 1) for one in looked)
    made = [
        f"in the program itself: {command}",
        f"launch {numbers} of the kernel, each run from the memory that the program has there",
    ]
    if first.regions:
        made.append(f"{first.regions} allocations and device variables, {first.nbytes} bytes, all compared")
    if first.fixed_shape and first.fixed_shape != first.shape:
        made.append(f"with the fix launched as {launch_text(first.fixed_shape)}")
    return made


def launch_text(shape: Shape) -> str:
    """`<<<(gx, gy, gz), (bx, by, bz), shared>>>`; empty where the launch is not known."""
    if len(shape) != 7:
        return ""
    parts = [", ".join(map(str, shape[at : at + 3])) for at in (0, 3)]
    return f"<<<({parts[0]}), ({parts[1]}), {shape[6]}>>>"


def _failed(one: Looked, ran: Verification) -> Verification:
    outcome = one.outcome
    if outcome.stage == "fixed":
        return replace(ran, reason=f"the fixed kernel failed: {outcome.error}", device=outcome.device)
    who = {"flagged": "the flagged kernel, built apart, failed: ", "own": "the flagged kernel itself failed: "}
    reason = who.get(outcome.stage, "") + outcome.error
    return replace(ran, verdict=Verdict.NOT_VERIFIABLE, reason=reason, device=outcome.device)


def _merged(looked: Sequence[Looked]) -> Outcome:
    """The first launch's times with the worst of all comparisons."""
    outcomes = [one.outcome for one in looked]
    worst = max(outcomes, key=lambda o: _ORDER.index(o.equal))
    return replace(
        outcomes[0],
        equal=worst.equal,
        where=worst.where or next((o.where for o in outcomes if o.where), ""),
        max_difference=max(o.max_difference or 0.0 for o in outcomes),
        varies=any(o.varies for o in outcomes),
        fixed_varies=any(o.fixed_varies for o in outcomes),
    )


def with_racecheck(made: Verification, said: str) -> Verification:
    """The verdict on a race with what racecheck said: hazards confirm it, whether or not results varied."""
    if not said:
        return made
    seen = hazards_said(said) and made.verdict is Verdict.NO_GAIN
    return replace(made, verdict=Verdict.CONFIRMED if seen else made.verdict, reason=f"{made.reason}; {said}")


def hazards_said(said: str) -> bool:
    """Whether `racecheck: N hazards` counts any."""
    words = said.split()
    return len(words) > 1 and words[1].isdigit() and int(words[1]) > 0
