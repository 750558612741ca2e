"""CUD702: nvcc is told not to optimise in a release build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cudalint.lint.analysis.unit import Options
from cudalint.lint.buildfiles import Compilation, Option, read
from cudalint.lint.buildfiles.nvcc import sub_options
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.rules.base import DEFAULTS, BuildRule, Meta

_LOW = {"-O0": 0, "-O1": 1, "--opt-level=0": 0, "--opt-level=1": 1}


class UnoptimisedBuild(BuildRule):
    """Optimisation switched off in a build that people will run.

    ## What it does
    Finds `-Xptxas -O0` (or `-O1`) and `-O0` where they reach nvcc in a release build. Build files are evaluated as
    their tools do, with every switch at its default.

    ## Why is this bad?
    `-Xptxas -O0` is about device code: the assembler allocates registers badly and schedules nothing, and kernels
    become several times slower. nvcc's own `-O0` is about host code only; it slows down everything around the
    kernels, and is usually a leftover from debugging.

    ## Example
    ```cuda
    # Makefile
    app: app.cu
        nvcc -arch=sm_90 -Xptxas -O0 -o app app.cu
    ```

    ## Use instead
    ```cuda
    # Makefile
    app: app.cu
        nvcc -arch=sm_90 -O3 -o app app.cu
    ```

    ## When it does not apply
    Debug targets, Debug configurations, and switches that are off. An option that is overridden later on the same
    command line is not reported.

    ## References
    - NVIDIA CUDA Compiler Driver NVCC: `--optimize`, `--ptxas-options`; ptxas options: `--opt-level`
    """

    meta = Meta(
        code="CUD702",
        name="unoptimised-build",
        summary="Optimisation is switched off in a release build",
        category="build",
        severity=Severity.WARNING,
        since="0.1.0",
    )

    def check(self, path: Path, text: str, options: Options = DEFAULTS) -> Iterator[Diagnostic]:
        """Yield a finding for each place that switches optimisation off."""
        seen = set()
        for compilation in read(path, text, options.cuda):
            for option, device in _unoptimised(compilation):
                if option.span is not None and option.span not in seen:
                    seen.add(option.span)
                    yield self._found(option, compilation, device)

    def _found(self, option: Option, compilation: Compilation, device: bool) -> Diagnostic:
        assert option.span is not None
        if device:
            return self.finding(
                option.span,
                f"ptxas is told not to optimise device code (-Xptxas {option.value}) in {compilation.when}",
                reason="unoptimised device code keeps its values in memory and hides no latency",
                help="leave the option out: ptxas optimises at level 3 by default",
                evidence={"option": f"-Xptxas {option.value}", "code": "device", "build": compilation.when},
            )
        return self.finding(
            option.span,
            f"host code is compiled without optimisation (-O0) in {compilation.when}",
            severity=Severity.INFO,
            reason="nvcc's -O is about host code; device code keeps its default, level 3",
            help="pass -O3, or keep -O0 for debug builds",
            evidence={"option": "-O0", "code": "host", "build": compilation.when},
        )


def _unoptimised(compilation: Compilation) -> Iterator[tuple[Option, bool]]:
    """The options that switch optimisation off, and whether they do so for device code."""
    levels = compilation.named("optimize")
    if levels and levels[-1].value == "0":
        yield levels[-1], False
    for option in compilation.named("ptxas-options"):
        if any(_LOW.get(part, 3) <= 1 for part in sub_options(option)):
            yield option, True
