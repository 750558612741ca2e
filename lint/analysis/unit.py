"""A translation unit with its analyses, each made on first use and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from cudalint.lint.model.program import INSTANCES, Function, TranslationUnit, spread

if TYPE_CHECKING:  # numpy takes a while to import, and the command line needs only Options
    from cudalint.lint.analysis.elsewhere import Elsewhere
    from cudalint.lint.analysis.trace import LaunchShape, Trace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """Settings that analyses need: `block`/`grid` override every launch; `cuda` is the target toolkit.

    `argv` is the command line, program name first, that the host code is taken to be run with.
    """

    block: tuple[int, int, int] | None = None
    grid: tuple[int, int, int] | None = None
    cuda: tuple[int, int] = (13, 0)
    argv: tuple[str, ...] = ()


class Unit:
    """What source rules get: the model, and queries over it.

    `elsewhere` leads to other files of the project; without it each file stands for itself.
    """

    def __init__(
        self, program: TranslationUnit, options: Options | None = None, elsewhere: Elsewhere | None = None
    ) -> None:
        self.program = program
        self.options = options or Options()
        self.elsewhere = elsewhere
        self._shapes: dict[str, tuple[LaunchShape, ...]] = {}
        self._traces: dict[str, tuple[Trace, ...]] = {}
        self._made: dict[object, object] = {}

    @cached_property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels with a body, in source order; of a template with many instances a few, from all over them."""
        instances: dict[str, list[Function]] = {}
        for kernel in self.program.kernels():
            instances.setdefault(kernel.pattern, []).append(kernel)
        return tuple(kernel for same in instances.values() for kernel in spread(same, INSTANCES))

    def shapes(self, kernel: Function) -> tuple[LaunchShape, ...]:
        """The launch shapes to judge a kernel under, most certain first."""
        if kernel.key not in self._shapes:
            from cudalint.lint.analysis.launch import launch_shapes

            self._shapes[kernel.key] = launch_shapes(self.program, kernel, self.options, self.elsewhere)
        return self._shapes[kernel.key]

    def traces(self, kernel: Function) -> tuple[Trace, ...]:
        """One executed trace per launch shape."""
        if kernel.key not in self._traces:
            from cudalint.lint.analysis.execute import execute

            shapes = self.shapes(kernel)
            self._traces[kernel.key] = tuple(execute(self.program, kernel, shape, blocks=3) for shape in shapes)
        return self._traces[kernel.key]

    def once(self, make: Callable[[Unit], T]) -> T:
        """What `make` (a plain function) says of this unit, made on first use and kept for all rules."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])
