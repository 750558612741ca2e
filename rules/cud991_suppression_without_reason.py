"""CUD991: a suppression that does not say why."""

from __future__ import annotations

from cudalint.lint.diagnostics import Severity
from cudalint.rules.base import Meta, Rule


class SuppressionWithoutReason(Rule):
    """Asks for a reason behind every suppression.

    ## What it does
    Reports a suppression comment with nothing but the list of rules in it. Off by default: select it where a
    team has agreed to write reasons.

    ## Why is this bad?
    Whoever reads the code later cannot tell a considered exception from a silenced bug, and will not dare to
    remove either.

    ## Example
    ```cuda
    __global__ void gather(float *out, const float *in, const int *index) {
      out[threadIdx.x] = in[threadIdx.x * 32];  // cudalint: ignore[CUD101]
    }
    ```

    ## Use instead
    ```cuda
    __global__ void gather(float *out, const float *in, const int *index) {
      out[threadIdx.x] = in[threadIdx.x * 32];  // cudalint: ignore[CUD101] one warp per launch, not worth a tile
    }
    ```

    ## When it does not apply
    `enable` and `NOLINTEND` comments only end a range and need no reason of their own.

    ## References
    README, section on suppressions.
    """

    meta = Meta(
        code="CUD991",
        name="suppression-without-reason",
        summary="a suppression comment that does not say why",
        category="suppressions",
        severity=Severity.WARNING,
        since="0.1.0",
        default=False,
    )
