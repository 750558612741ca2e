"""CUD990: a suppression that silences nothing."""

from __future__ import annotations

from cudalint.lint.diagnostics import Applicability, Severity
from cudalint.rules.base import Meta, Rule


class UnusedSuppression(Rule):
    """Finds suppression comments that no longer do anything.

    ## What it does
    Reports a suppression comment of which a rule is not reported at that place, is unknown, or whose form is not
    understood. A rule that did not run (not selected) is not held against a comment.

    ## Why is this bad?
    A comment that silences nothing misleads: the reader believes that there is a known exception, and the next
    real finding at that line is swallowed without anybody having looked at it.

    ## Example
    ```cuda
    __global__ void copy(float *out, const float *in, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = in[i];  // cudalint: ignore[CUD101] this used to be strided
    }
    ```

    ## Use instead
    ```cuda
    __global__ void copy(float *out, const float *in, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = in[i];
    }
    ```

    ## When it does not apply
    Suppressions of other tools' checks are left alone, as are `NOLINT` comments that name no `cudalint-` check.

    ## References
    README, section on suppressions.
    """

    meta = Meta(
        code="CUD990",
        name="unused-suppression",
        summary="a suppression comment that silences nothing",
        category="suppressions",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.SAFE,
    )
