"""Host code as rules ask about it: every effect in execution order, with the loops and calls around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cudalint.lint.analysis.host import HostProgram, host_program
from cudalint.lint.analysis.hosteffects import ApiCall, Choice, Enter, Item, LaunchCall, Loop, NotUnderstood, Run
from cudalint.lint.analysis.hostvalues import Pointer, Value
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import VoidType

WAITS = frozenset(
    {
        "cudaDeviceSynchronize",
        "cudaThreadSynchronize",
        "cudaStreamSynchronize",
        "cudaEventSynchronize",
        "cuCtxSynchronize",
        "cuStreamSynchronize",
        "cuEventSynchronize",
    }
)
"""Calls whose purpose is to wait."""
BLOCKING_COPIES = frozenset(
    {
        "cudaMemcpy",
        "cudaMemcpy2D",
        "cudaMemcpy3D",
        "cudaMemcpyFromSymbol",
        "cudaMemcpyToSymbol",
        "cudaMemcpy2DFromArray",
        "cudaMemcpyFromArray",
        "cuMemcpyDtoH",
        "cuMemcpyDtoH_v2",
    }
)
"""Copies that return when they are done, and so wait for the work before them."""
RELEASES = frozenset(
    {
        "cudaFree",
        "cudaFreeHost",
        "cudaFreeArray",
        "cudaFreeMipmappedArray",
        "cudaFreeAsync",
        "cuMemFree",
        "cuMemFree_v2",
        "cuMemFreeHost",
        "cudaStreamDestroy",
        "cuStreamDestroy",
        "cuStreamDestroy_v2",
        "cudaEventDestroy",
        "cuEventDestroy",
        "cuEventDestroy_v2",
        "cudaGraphDestroy",
        "cudaGraphExecDestroy",
        "cudaDestroyTextureObject",
        "cudaDestroySurfaceObject",
        "cublasDestroy",
        "cublasDestroy_v2",
        "cublasLtDestroy",
        "cusparseDestroy",
        "cudnnDestroy",
        "cusolverDnDestroy",
        "cusolverSpDestroy",
        "cublasXtDestroy",
        "curandDestroyGenerator",
        "cufftDestroy",
        "free",
        "delete",
    }
)
"""Calls that give back what their first argument names."""
CAPTURE_BEGINS = frozenset({"cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph"})
"""Calls from which on a stream's work is put into a graph."""
ERROR_QUERIES = frozenset({"cudaGetLastError", "cudaPeekAtLastError"})
"""Calls that report a launch that was rejected."""
_STANDARD = """
    printf fprintf sprintf snprintf puts putchar fputs fflush perror scanf fscanf sscanf fopen fclose fread
    fwrite fseek ftell fgets fgetc getc getline memset memcpy memmove memcmp strlen strcmp strncmp strcpy
    strncpy strcat strstr strchr strtok strdup atoi atol atof strtol strtod strtoul strcasecmp malloc calloc
    realloc free delete aligned_alloc posix_memalign exit abort srand rand random srandom drand48 srand48 time
    clock gettimeofday omp_get_wtime clock_gettime usleep sleep getopt getenv qsort assert sort swap fill copy
    generate iota accumulate sin cos exp log sqrt pow fabs floor ceil abs fmod isnan sinf cosf expf logf sqrtf
    powf fabsf round tan atan atan2 omp_set_num_threads omp_get_thread_num omp_get_num_threads
    omp_get_max_threads signal __assert_fail
"""
STANDARD = frozenset(_STANDARD.split())
"""Functions of the C and C++ libraries that host code calls all the time, and that know nothing of the device."""
LIBRARIES = ("cuda", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "cu", "nvtx", "nccl", "MPI_")
"""How the functions of NVIDIA's libraries begin."""
NAMESPACES = ("std::", "thrust::", "cub::")
"""Namespaces of libraries that ask after no launches."""
LEGACY_STREAMS = (0, 1, 2)
"""Stream arguments that are no created stream: the default, legacy and per-thread handles."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One effect with what is around it: loops and calls from the root on, outermost first.

    `run` is the function run that it stands in, `root` the one at the bottom. `branches` are the undecided branches
    around it, `choices` those of them within one iteration of the innermost loop.
    """

    item: Item
    loops: tuple[Loop, ...]
    choices: tuple[Choice, ...]
    enters: tuple[Enter, ...]
    run: Run
    root: Run
    order: int
    branches: tuple[Choice, ...] = ()

    def own(self, choices: tuple[Choice, ...]) -> Iterator[Span]:
        """The heads of those of some branches around it that stand in its own function, outermost first."""
        within = self.run.function.span
        heads = (choice.head for choice in choices)
        return (h for h in heads if h.file == within.file and within.offset <= h.offset < within.end_offset)


class HostFlow:
    """Queries over the interpreted host code of a unit."""

    def __init__(self, program: TranslationUnit) -> None:
        self.program = program
        self.host: HostProgram = host_program(program)

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """Every effect from every root, in execution order (both sides of a branch, loop bodies once)."""
        found: list[Visit] = []
        for root in self.host.roots:
            _Collector(root, found).collect(root.body, (), (), (), root, ())
        return tuple(found)

    @cached_property
    def captured(self) -> frozenset[int]:
        """`order` of the visits between begin and end of a stream capture: they build a graph, and run later."""
        found: set[int] = set()
        root: Run | None = None
        for visit in self.visits:
            if visit.root is not root:
                root, capturing = visit.root, False
            name = visit.item.name if isinstance(visit.item, ApiCall) else ""
            capturing = (capturing or name in CAPTURE_BEGINS) and name != "cudaStreamEndCapture"
            if capturing:
                found.add(visit.order)
        return frozenset(found)

    def calls(self, *names: str) -> Iterator[tuple[Visit, ApiCall]]:
        """The calls of functions outside the unit with these names (all without)."""
        for visit in self.visits:
            if isinstance(visit.item, ApiCall) and (not names or visit.item.name in names):
                yield visit, visit.item

    def launches(self) -> Iterator[tuple[Visit, LaunchCall]]:
        """The kernel launches."""
        for visit in self.visits:
            if isinstance(visit.item, LaunchCall):
                yield visit, visit.item

    def kernel(self, launch: LaunchCall) -> Function | None:
        """The kernel that a launch starts, where its body is in the unit."""
        return self.program.functions.get(launch.launch.key) if launch.launch.key else None


class _Collector:
    """Flattens the effects of one root into visits."""

    def __init__(self, root: Run, found: list[Visit]) -> None:
        self.root = root
        self.found = found

    def collect(
        self,
        items: list[Item],
        loops: tuple[Loop, ...],
        choices: tuple[Choice, ...],
        enters: tuple[Enter, ...],
        run: Run,
        branches: tuple[Choice, ...],
    ) -> None:
        """Add the effects below these items, in order."""
        for item in items:
            self.found.append(Visit(item, loops, choices, enters, run, self.root, len(self.found), branches))
            if isinstance(item, Choice):
                self.collect(item.then, loops, (*choices, item), enters, run, (*branches, item))
                self.collect(item.otherwise, loops, (*choices, item), enters, run, (*branches, item))
            elif isinstance(item, Loop):
                self.collect(item.body, (*loops, item), (), enters, run, branches)
            elif isinstance(item, Enter) and not item.repeated:
                self.collect(item.run.body, loops, choices, (*enters, item), item.run, branches)


def items_of(items: list[Item], *, enter: bool = True) -> Iterator[Item]:
    """Every effect below these, in order; called functions are entered once."""
    for item in items:
        yield item
        if isinstance(item, Choice):
            yield from items_of(item.then, enter=enter)
            yield from items_of(item.otherwise, enter=enter)
        elif isinstance(item, Loop):
            yield from items_of(item.body, enter=enter)
        elif isinstance(item, Enter) and enter and not item.repeated:
            yield from items_of(item.run.body, enter=enter)


def released(item: Item) -> Value | None:
    """What a call gives back; None when it is no release."""
    if isinstance(item, ApiCall) and item.name in RELEASES and item.args:
        return item.args[0]
    return None


def may_do_anything(item: Item) -> bool:
    """Whether a call is of a function of the project, or of one not made out, whose body is not in sight."""
    if not isinstance(item, ApiCall):
        return isinstance(item, NotUnderstood)
    call = item.call
    own = call.receiver is None and not call.constructor and not call.qualified.startswith(NAMESPACES)
    # No function of the runtime is without a result: `cudaCheck(__FILE__, __LINE__)` is the project's.
    named = item.name.startswith("cuda") and isinstance(call.type, VoidType)
    library = item.name.startswith(LIBRARIES) and not named
    return own and item.name not in STANDARD and not item.is_timer and not library


def measurements(flow: HostFlow) -> Iterator[tuple[Visit, Visit]]:
    """Two readings of a host clock of which the first is subtracted from the second, in this order."""
    where: dict[int, list[Visit]] = {}
    for visit in flow.visits:
        if isinstance(visit.item, ApiCall) and visit.item.is_timer:
            where.setdefault(visit.item.id, []).append(visit)
    for begin, end in sorted(flow.host.timed):
        for first in where.get(begin, ()):
            for second in where.get(end, ()):
                if first.root is second.root and first.order < second.order:
                    yield first, second


def pointer_to(value: Value) -> Pointer | None:
    """The value as a pointer, where it is one."""
    return value if isinstance(value, Pointer) else None


def is_default_stream(value: Value) -> bool:
    """Whether a stream argument is the default stream."""
    return isinstance(value, int) and value in LEGACY_STREAMS


def host_flow(unit: Unit) -> HostFlow:
    """The host flow of a unit, for `Unit.once`."""
    return HostFlow(unit.program)
