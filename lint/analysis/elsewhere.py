"""The other files of a project, as the analyses of one file ask about them: who launches a kernel, who calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from cudalint.lint.analysis.host import host_program
from cudalint.lint.analysis.hosteffects import LaunchCall
from cudalint.lint.model.expressions import Launch
from cudalint.lint.model.program import Function, TranslationUnit

_INTERNAL = ("_ZL", "_ZN12_GLOBAL__N_1")
"""How the mangled names of what no other file can name begin: static, and in an unnamed namespace."""


class Elsewhere(Protocol):
    """Finds files of the project beside the one that is checked, and reads them."""

    def launching(self, kernel: Function) -> Iterator[Sequence[TranslationUnit]]:
        """Units that may launch a kernel, a few at a time: where the first do, the others need not be asked for."""

    def calling(self, functions: Sequence[Function]) -> Sequence[TranslationUnit] | None:
        """Units that may call host functions; None where there are more than are read."""

    def fingerprint(self) -> str:
        """Changes with any file that the answers can rest on."""


def launches_elsewhere(
    program: TranslationUnit, kernel: Function, elsewhere: Elsewhere, argv: tuple[str, ...] = ()
) -> Iterator[tuple[TranslationUnit, LaunchCall]]:
    """The launches in other files of a kernel that its own file never launches, each with its unit.

    Kernels whose template arguments are guesses have none: their launches are of other instances.
    """
    if kernel.synthetic or any(site.launch.key == kernel.key for site in program.launches):
        return
    for units in elsewhere.launching(kernel):
        found = [u for u in units if any(starts(site.launch, u, kernel) for site in u.launches)]
        for other in found:
            yield from ((other, c) for c in host_program(other, argv).launches if starts(c.launch, other, kernel))
        if found:
            return


def starts(launch: Launch, other: TranslationUnit, kernel: Function) -> bool:
    """Whether a launch in another unit starts this kernel: one that both read from the same place, or the linker's.

    A kernel of the same name that the other unit defines itself is another kernel.
    """
    if launch.key is None:
        return bool(launch.mangled) and launch.mangled == kernel.mangled and not kernel.mangled.startswith(_INTERNAL)
    there = other.functions.get(launch.key)
    return there is not None and _place(there) == _place(kernel)


def _place(function: Function) -> tuple[object, ...]:
    """What an instance of a function is in every unit, though its types may be seen in one and missing in another."""
    return function.span.file, function.span.offset, function.template_args
