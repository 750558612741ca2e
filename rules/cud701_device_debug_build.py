"""CUD701: device code built for debugging in a release build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cudalint.lint.analysis.unit import Options, Unit
from cudalint.lint.buildfiles import Compilation, Option, read
from cudalint.lint.buildfiles.runtime import debug_options
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.rules.base import DEFAULTS, BuildRule, Meta

_REASON = (
    "-G turns off all optimisation of device code: variables live in local memory and nothing is inlined or "
    "unrolled, so kernels run many times slower"
)


class DeviceDebugBuild(BuildRule):
    """Device debugging in a build that people will run.

    ## What it does
    Finds `-G` (`--device-debug`) where it reaches nvcc in a release build: in Makefiles, CMake files, `setup.py`,
    `meson.build`, Bazel files, `pyproject.toml` and compilation databases, and among the options that a program
    gives to the run-time compiler (NVRTC). Build files are evaluated as their tools do, with every switch at its
    default, so a flag behind a debug switch, in a debug target or in a Debug configuration is no finding.

    ## Why is this bad?
    `-G` switches off all optimisation of device code. Kernels become many times slower, use more registers and
    local memory, and timing-dependent faults come and go. nvcc's own help says not to profile with it. For line
    numbers in profilers and sanitizers `-lineinfo` is enough, and costs nothing.

    ## Example
    ```cuda
    # Makefile
    NVCCFLAGS = -O3 -g -G -arch=sm_90

    app: app.cu
        nvcc $(NVCCFLAGS) -o app app.cu
    ```

    ## Use instead
    ```cuda
    # Makefile
    NVCCFLAGS = -O3 -lineinfo -arch=sm_90
    ifeq ($(DEBUG),1)
    NVCCFLAGS += -g -G
    endif

    app: app.cu
        nvcc $(NVCCFLAGS) -o app app.cu
    ```

    ## When it does not apply
    Debug targets, Debug configurations, switches that are off, and builds that add `-dopt=on`, which keeps device
    code optimised. A compilation database of a debug build (no optimisation, no `NDEBUG`) is left alone, too.

    ## References
    - NVIDIA CUDA Compiler Driver NVCC: `--device-debug`, `--generate-line-info`, `--dopt`
    - NVRTC documentation: supported compile options
    """

    meta = Meta(
        code="CUD701",
        name="device-debug-build",
        summary="Device code is built for debugging, without optimisation, in a release build",
        category="build",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.UNSAFE,
    )

    def check(self, path: Path, text: str, options: Options = DEFAULTS) -> Iterator[Diagnostic]:
        """Yield a finding for each place that passes -G."""
        seen = set()
        for compilation in read(path, text, options.cuda):
            if compilation.named("dopt"):
                continue
            for option in compilation.named("device-debug"):
                if option.span is not None and option.span not in seen:
                    seen.add(option.span)
                    yield self._found(option, compilation)

    def _found(self, option: Option, compilation: Compilation) -> Diagnostic:
        assert option.span is not None
        fix = None
        if option.removable:
            edit = Edit(option.span, "-lineinfo")
            fix = Fix(Applicability.UNSAFE, "keep line numbers without debug code: -lineinfo", (edit,))
        return self.finding(
            option.span,
            f"device code is compiled for debugging (-G) in {compilation.when}",
            reason=_REASON,
            help="pass -G only in debug builds; -lineinfo gives profilers line numbers at no cost",
            evidence={"option": "-G", "build": compilation.when},
            fix=fix,
        )

    def check_source(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each run-time compilation that asks for device debugging."""
        for span, spelling in debug_options(unit.program):
            yield self.finding(
                span,
                f"kernels compiled at run time are built for debugging ({spelling})",
                reason=_REASON,
                help="make it a switch that is off by default; --generate-line-info gives profilers line numbers",
                evidence={"option": spelling, "build": "run-time compilation"},
            )
