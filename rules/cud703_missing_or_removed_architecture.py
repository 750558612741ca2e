"""CUD703: no GPU architecture, one that the toolkit no longer knows, or a register limit for everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cudalint.lint.analysis.unit import Options
from cudalint.lint.buildfiles import Compilation, read
from cudalint.lint.buildfiles.nvcc import architectures
from cudalint.lint.buildfiles.toolkits import default_architecture, oldest_architecture
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.rules.base import DEFAULTS, BuildRule, Meta

_ARCHITECTURE = ("gpu-architecture", "gpu-code", "generate-code", "cuda-architecture")


class MissingOrRemovedArchitecture(BuildRule):
    """The GPU architecture that a build is for.

    ## What it does
    Finds three things about the architecture in build files:

    - an architecture that the target toolkit has removed, as `sm_35` for CUDA 12 or `sm_70` for CUDA 13
      (information where the major version before still builds for it);
    - a command that compiles CUDA code and names no architecture, when nothing in it is left open (information);
    - `-maxrregcount` for a whole build (information).

    The target toolkit is the setting `cuda`, 13.0 by default.

    ## Why is this bad?
    nvcc refuses an architecture that it has removed. Without any, it builds for the oldest one that it still
    supports: on a newer GPU the driver compiles the PTX again at start-up, and instructions that came later are not
    used. A register limit that is right for one kernel makes the others spill; `__launch_bounds__` says it where it
    belongs.

    ## Example
    ```cuda
    # Makefile
    app: app.cu
        nvcc -O3 -arch=sm_35 -o app app.cu
    ```

    ## Use instead
    ```cuda
    # Makefile
    app: app.cu
        nvcc -O3 -arch=native -o app app.cu
    ```

    ## When it does not apply
    Architectures under a condition on the toolkit's version, and builds whose architectures come from elsewhere (an
    included file, a variable of the environment). An architecture that is the default of a variable of its own
    (`ARCH = sm_60` for `-arch=$(ARCH)`) is there to be set, and is reported only when the toolkits of two major
    versions have removed it. CMake projects that name none are left alone: presets, toolchain
    files and the command line name them.

    ## References
    - CUDA Toolkit release notes: removed architectures
    - NVIDIA CUDA Compiler Driver NVCC: `--gpu-architecture`, `--generate-code`, `--maxrregcount`
    - CUDA C++ Programming Guide: launch bounds
    """

    meta = Meta(
        code="CUD703",
        name="missing-or-removed-architecture",
        summary="The build names no GPU architecture, or one that the toolkit has removed",
        category="build",
        severity=Severity.WARNING,
        since="0.1.0",
    )

    def check(self, path: Path, text: str, options: Options = DEFAULTS) -> Iterator[Diagnostic]:
        """Yield the findings of one build file: removed architectures and missing ones are said once."""
        compilations = read(path, text, options.cuda)
        yield from self._removed(compilations, options.cuda)
        yield from self._registers(compilations)
        for compilation in compilations:
            if compilation.complete and not compilation.named(*_ARCHITECTURE) and compilation.where is not None:
                yield from self._missing(compilation, options.cuda)
                break

    def _removed(self, compilations: Sequence[Compilation], cuda: tuple[int, int]) -> Iterator[Diagnostic]:
        oldest = oldest_architecture(cuda)
        before = oldest_architecture((cuda[0] - 1, 0))
        places: dict[Span, set[int]] = {}
        for option in (o for c in compilations for o in c.named(*_ARCHITECTURE)):
            # A default that older toolkits of the day still build for is left to those who set the variable.
            limit = before if option.assembled else oldest
            old = {number for number in architectures(option) if number < limit}
            span = option.value_span or option.span
            if old and span is not None:
                places.setdefault(span, set()).update(old)
        if not places:
            return
        first, *others = sorted(places, key=lambda span: span.start)
        numbers = sorted(set().union(*places.values()))
        toolkit = f"CUDA {cuda[0]}.{cuda[1]}"
        yield self.finding(
            first,
            f"{toolkit} no longer builds for compute capability {', '.join(_dotted(n) for n in numbers)}",
            severity=None if numbers[0] < before else Severity.INFO,
            reason=f"its oldest architecture is sm_{oldest}; nvcc stops with an error",
            help="drop these architectures, or set `cuda` to the toolkit that this build is for",
            evidence={"architectures": numbers, "oldest": oldest, "cuda": f"{cuda[0]}.{cuda[1]}"},
            labels=[Label(s, f"compute capability {', '.join(map(_dotted, sorted(places[s])))}") for s in others],
        )

    def _registers(self, compilations: Sequence[Compilation]) -> Iterator[Diagnostic]:
        seen = set()
        for option in (o for c in compilations for o in c.named("maxrregcount")):
            if option.span is not None and option.span not in seen:
                seen.add(option.span)
                yield self.finding(
                    option.span,
                    f"every kernel of the build is limited to {option.value or 'a number of'} registers",
                    severity=Severity.INFO,
                    reason="a limit that suits one kernel makes others spill to local memory",
                    help="use __launch_bounds__ on the kernels that need it",
                    evidence={"registers": option.value},
                )

    def _missing(self, compilation: Compilation, cuda: tuple[int, int]) -> Iterator[Diagnostic]:
        default = default_architecture(cuda)
        assert compilation.where is not None
        yield self.finding(
            compilation.where,
            f"{compilation.when} names no GPU architecture",
            severity=Severity.INFO,
            reason=f"CUDA {cuda[0]}.{cuda[1]} then builds for sm_{default}, and newer GPUs compile its PTX again",
            help="name the architectures (-arch=native builds for the GPU in this machine)",
            evidence={"default": default, "cuda": f"{cuda[0]}.{cuda[1]}"},
        )


def _dotted(number: int) -> str:
    """A compute capability as people write it: 75 is 7.5, 120 is 12.0."""
    return f"{number // 10}.{number % 10}"
