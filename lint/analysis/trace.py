"""What executing a kernel on representative threads shows: the common ground of the kernel rules.

`analysis.execute` runs the model of a kernel on numpy vectors, one element (a *lane*) per thread of a few
representative blocks, once per *world*: a set of sample values for uniforms that are not known. It records
accesses, branches, barriers and warp operations, in execution order. Rules and analyses ask the trace; they
never walk the kernel again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntFlag

import numpy as np
import numpy.typing as npt
from cudalint.lint.model.expressions import Expr, Symbol
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import Type

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Taint(IntFlag):
    """What a value rests on besides the source and the launch. 0: exact."""

    EXACT = 0
    ASSUMED = 1
    """An unknown uniform (a runtime parameter, an unknown grid): sampled, one value per world."""
    LOADED_UNIFORM = 2
    """Memory content read at an address that all threads of a block share."""
    LOADED = 4
    """Memory content that differs per lane: the sampled value says nothing about the real one."""
    ATOMIC = 8
    """The result of an atomic: distinct per lane, otherwise not known."""
    APPROXIMATE = 16
    """Carried through a loop that was cut short."""
    UNKNOWN = 32
    """Something that is not understood: make no claim."""
    UNDEFINED = 64
    """A local variable that is never set: another value in each thread, for all that is known."""


OPAQUE = Taint.LOADED | Taint.ATOMIC | Taint.APPROXIMATE | Taint.UNKNOWN
"""A lane-varying value with any of these supports no claim about single lanes."""


class ShapeSource(Enum):
    """Where a launch shape comes from, best first."""

    OPTION = "--block/--grid"
    LAUNCH = "launch"
    LAUNCH_BOUNDS = "__launch_bounds__"
    SHARED_EXTENT = "shared array extent"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class ArgValue:
    """What is known of one kernel argument: a number, or a pointer into an allocation.

    `offset_bytes` is the known offset of a pointer from its allocation's start (0 for a plain cudaMalloc);
    `object` names the allocation, so that two parameters given the same buffer can be seen to alias;
    `bytes` is the allocation's size where known.
    """

    number: int | float | None = None
    object: str | None = None
    offset_bytes: int | None = None
    bytes: int | None = None
    elements: tuple[tuple[str, int | float], ...] = ()
    """Known fields of a struct passed by value: path and number."""


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """One way a kernel is launched. `None` in the grid, or as `shared_bytes`, is not known."""

    block: tuple[int, int, int]
    grid: tuple[int | None, int | None, int | None]
    source: ShapeSource
    args: tuple[ArgValue, ...] = ()
    shared_bytes: int | None = None
    site: Span | None = None
    block_known: bool = True
    """False when `block` itself is an assumption."""

    @property
    def threads(self) -> int:
        """Threads per block."""
        return self.block[0] * self.block[1] * self.block[2]


class Space(Enum):
    """The memory that an object lives in."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A buffer or array: what a pointer parameter points to, a shared array, a local array.

    `name` is as the user would write it; `extents` and `element` as declared (`float tile[32][33]`: (32, 33)).
    `symbol` is the declaration or the parameter, None for pointers loaded from memory. Distinct parameters
    are distinct objects unless the launch passes the same allocation (`may_alias`: nothing is known).
    """

    id: int
    name: str
    space: Space
    element: Type
    extents: tuple[int, ...] = ()
    size: int | None = None
    symbol: Symbol | None = None
    dynamic: bool = False
    may_alias: bool = False


@dataclass(frozen=True, slots=True)
class LaneGrid:
    """Who the lanes are; all arrays have one element per lane.

    `thread` is threadIdx linearised (x fastest), `block` the linear block index, `world` the sample set,
    `warp` a number unique per (world, block, warp), `lane` the position in the warp (0..31), and
    `cta` a number unique per (world, block). `tx`.. and `bx`.. are the coordinates.
    """

    thread: Ints
    block: Ints
    world: Ints
    warp: Ints
    lane: Ints
    cta: Ints
    tx: Ints
    ty: Ints
    tz: Ints
    bx: Ints
    by: Ints
    bz: Ints
    worlds: int

    @property
    def count(self) -> int:
        """Lanes."""
        return len(self.thread)


@dataclass(frozen=True, slots=True)
class Frame:
    """One enclosing loop at the time of an event.

    `head` spans its condition, `iteration` counts from 0 (over the iterations of the real loop, also where
    the execution skipped some), `truncated` says that some were skipped. `trip` is the number of iterations
    of the real loop where all lanes agree on it and it is exact.
    """

    head: Span
    iteration: int
    truncated: bool
    trip: int | None = None


class AccessKind(Enum):
    """What an access does."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    ASYNC_STORE = "asynchronous copy"


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One execution of a memory access by the lanes in `mask`.

    `address` is the byte offset in `object`; `size` bytes per lane (16 for a float4). `field_of` is the record
    type when a member of an array of records is accessed (AoS). `address_taint` and `mask_taint` say what they
    rest on. `value` is the value stored, where numeric; of a record, a number that tells records apart. `interval`
    counts block-wide barriers passed, `warp_interval` also counts __syncwarp. `calls` are the inlined call sites,
    outermost first.
    """

    order: int
    expr: Expr
    span: Span
    kind: AccessKind
    object: MemoryObject
    address: Ints
    size: int
    mask: Bools
    address_taint: Taint
    mask_taint: Taint
    interval: int
    warp_interval: int
    value: npt.NDArray[np.generic] | None = None
    value_taint: Taint = Taint.EXACT
    field_of: Type | None = None
    volatile: bool = False
    scope: str = "device"
    """Scope of an atomic: block, device or system."""
    frames: tuple[Frame, ...] = ()
    calls: tuple[Span, ...] = ()
    text: str = ""
    """The access as source text (`tile[threadIdx.x][j]`)."""
    explored: bool = False
    """In a branch that no sampled lane takes, executed for what it would do if the samples were others."""


class BranchKind(Enum):
    """What decides."""

    IF = "if"
    LOOP = "loop"
    SELECT = "?:"
    LOGICAL = "&& ||"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A decision: of the lanes in `mask`, those in `taken` go in (enter the then-side, iterate again).

    `taint` is the condition's. `then_cost`/`else_cost` estimate the instructions of the two sides (a call to
    sinf ~ 20, a load ~ 4, arithmetic 1), for the predication threshold. `node` spans the whole statement.
    `exits`: a side leaves the function or loop (a guard). `varies`: the condition is computed per thread, also
    where all sampled threads of a block agree on it (`i < n` away from the border).
    """

    order: int
    kind: BranchKind
    span: Span
    node: Span
    mask: Bools
    taken: Bools
    taint: Taint
    mask_taint: Taint
    then_cost: int = 0
    else_cost: int = 0
    exits: bool = False
    varies: bool = False
    frames: tuple[Frame, ...] = ()
    calls: tuple[Span, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LoopRun:
    """A loop as executed once: iterations per lane (`trips`), exact unless `truncated`."""

    order: int
    span: Span
    node: Span
    mask: Bools
    trips: Ints
    taint: Taint
    truncated: bool
    frames: tuple[Frame, ...] = ()
    calls: tuple[Span, ...] = ()


class SyncKind(Enum):
    """What kind of synchronisation."""

    BLOCK = "block barrier"
    WARP = "warp barrier"
    TILE = "tile barrier"
    GRID = "grid barrier"
    NAMED = "named barrier"
    FENCE = "fence"
    SHUFFLE = "shuffle or vote"
    ASYNC_WAIT = "wait for asynchronous copies"


@dataclass(frozen=True, slots=True, eq=False)
class Sync:
    """A barrier, fence, shuffle or vote, executed by the lanes in `mask`.

    `alive` are the lanes that have not left the kernel. `members` is the mask argument of a warp operation per
    lane (None: full or not known). `scope` of a fence: block, device or system. `width` of a shuffle or tile.
    """

    order: int
    kind: SyncKind
    name: str
    span: Span
    mask: Bools
    mask_taint: Taint
    alive: Bools
    interval: int
    warp_interval: int
    members: Ints | None = None
    members_taint: Taint = Taint.EXACT
    width: int | None = None
    scope: str = "block"
    frames: tuple[Frame, ...] = ()
    calls: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CallEvent:
    """A call without a visible definition: not understood (`known` false), or of a known intrinsic."""

    order: int
    name: str
    span: Span
    mask: Bools
    known: bool
    frames: tuple[Frame, ...] = ()
    calls: tuple[Span, ...] = ()


Event = Access | Branch | LoopRun | Sync | CallEvent


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Everything that one execution of a kernel showed, under one launch shape.

    `complete` is False when the step budget ran out; `unknown` lists the spans of constructs that were not
    understood (their effects are missing from the trace).
    """

    kernel: Function
    shape: LaunchShape
    lanes: LaneGrid
    events: tuple[Event, ...]
    objects: tuple[MemoryObject, ...]
    complete: bool
    unknown: tuple[tuple[Span, str], ...] = ()
    samples: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The unknown integers that were sampled (parameters, `gridDim.x`), each with its value per world."""

    def accesses(self, *spaces: Space) -> list[Access]:
        """The accesses, in order, to any of these memories (all if none is given)."""
        found = [e for e in self.events if isinstance(e, Access)]
        return [a for a in found if a.object.space in spaces] if spaces else found
