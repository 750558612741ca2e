"""From races to findings: which are claimed, which belong together, and how they are put into words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cudalint.lint.analysis.advice import under
from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.races import Party, Race, Reach, find_races
from cudalint.lint.analysis.races_fences import LastBlocks
from cudalint.lint.analysis.races_locks import Protocol
from cudalint.lint.analysis.races_parameters import Given, parameter_traces
from cudalint.lint.analysis.races_paths import Paths
from cudalint.lint.analysis.trace import AccessKind, LaneGrid, MemoryObject, ShapeSource, Space, Taint, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Confidence, Severity
from cudalint.lint.model.expressions import Builtin, Call
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.types import ArrayType, RecordType, Type
from cudalint.lint.model.walk import walk

OTHER_BLOCKS = (64, 128)
"""Threads of the blocks that a claim under an assumed block is tried with, beside the assumed one."""
NARROW_BLOCK = (32,)
"""Threads of the narrowest block that a claim on global memory under an assumed block is tried with as well: a
stride that the code fixes (`i += 32`) makes the threads of larger blocks meet, which no one launches then."""
VERBS = {
    AccessKind.LOAD: "reads",
    AccessKind.STORE: "writes",
    AccessKind.ATOMIC: "updates",
    AccessKind.ASYNC_STORE: "copies to",
}


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """Races of one kernel that one barrier would remove: `race` is told, `others` are the same fault."""

    kernel: Function
    trace: Trace
    race: Race
    others: tuple[Race, ...] = ()
    given: Given | None = None
    """The value of a parameter that it takes: it may never be passed."""

    @property
    def confidence(self) -> Confidence:
        """How sure it is: low where it takes a value that was picked for it."""
        if self.given is not None:
            return Confidence.LOW
        return Confidence.HIGH if self.certain else Confidence.MEDIUM

    @property
    def severity(self) -> Severity | None:
        """The rule's own (None), or information only."""
        return None if self.given is None else Severity.INFO

    @property
    def certain(self) -> bool:
        """Neither loaded data nor an assumed block decide about it."""
        return self.race.certain and self.trace.shape.source is not ShapeSource.ASSUMED


def race_claims(unit: Unit) -> tuple[Claim, ...]:
    """The races to report, at most one for each place where a barrier is missing."""
    claims: list[Claim] = []
    told: set[tuple[object, ...]] = set()
    for kernel in unit.kernels:
        for claim in _of_kernel(unit, kernel):
            key = (claim.race.reach, *_place(claim.race))
            if key not in told:
                told.add(key)
                claims.append(claim)
    return tuple(claims)


def _paths(unit: Unit) -> Paths:
    return Paths(unit.program)


def last_blocks(unit: Unit) -> LastBlocks:
    """The code of the unit that only the last block runs; for `Unit.once`."""
    return LastBlocks(unit.program)


def _of_kernel(unit: Unit, kernel: Function) -> Iterable[Claim]:
    found = [(trace, _credible(unit, trace)) for trace in unit.traces(kernel)]
    everywhere = set.intersection(*({_place(r) for r in races} for _, races in found)) if found else set()
    for trace, races in found:
        # Sizes that the host computes may be read wrongly; no kernel is meant to race under one launch only.
        races = [r for r in races if r.object.space is not Space.GLOBAL or _place(r) in everywhere]
        if not trace.shape.block_known and races:
            others = [{_place(r) for r in find_races(t)} for t in other_blocks(unit, trace)]
            races = [r for r in races if others and all(_place(r) in places for places in others)]
            if any(r.object.space is Space.GLOBAL for r in races):
                (narrow,) = ({_place(r) for r in find_races(t)} for t in other_blocks(unit, trace, NARROW_BLOCK))
                races = [r for r in races if r.object.space is not Space.GLOBAL or _place(r) in narrow]
        for group in _one_barrier(races):
            yield Claim(kernel, trace, group[0], tuple(group[1:]))
        yield from _with_parameters(unit, trace)


def _with_parameters(unit: Unit, trace: Trace) -> Iterable[Claim]:
    """The races within a block that take a value of a parameter, the smallest that will do."""
    told: set[str] = set()
    for given, executed in parameter_traces(unit, trace):
        if given.name in told:
            continue
        for group in _one_barrier([r for r in _credible(unit, executed) if r.reach is Reach.BLOCK]):
            told.add(given.name)
            yield Claim(trace.kernel, executed, group[0], tuple(group[1:]), given)


def _credible(unit: Unit, trace: Trace) -> list[Race]:
    """The races of a trace that one execution can have and that nothing else orders."""
    races = find_races(trace)
    if not races:
        return []
    names, protocol, paths = built_ins(unit.program, trace.kernel), Protocol(trace), unit.once(_paths)
    lasts = unit.once(last_blocks)
    return [
        r
        for r in races
        if _believable(r, trace, names)
        and paths.together(r, trace)
        and not protocol.settles(r)
        and not lasts.settles(r, trace)
    ]


def _likely_global(race: Race) -> bool:
    """Whether a race on global memory that data decide about is worth telling.

    Algorithms on graphs and queues race on purpose, under conditions on what they load: only neighbours within
    a block at plainly computed addresses are told then.
    """
    taint = race.first.access.address_taint | race.second.access.address_taint
    return race.certain or (race.reach is Reach.BLOCK and not taint & Taint.LOADED_UNIFORM)


def other_blocks(unit: Unit, trace: Trace, sizes: Sequence[int] = OTHER_BLOCKS) -> list[Trace]:
    """The kernel under other sizes of an assumed block, against which a claim has to hold.

    Empty for blocks of two or three dimensions: what shape a kernel is meant for cannot be guessed then.
    """
    if trace.shape.block[1:] != (1, 1):
        return []
    shapes = [replace(trace.shape, block=(threads, 1, 1)) for threads in sizes]
    return [execute(unit.program, trace.kernel, shape) for shape in shapes]


def _believable(race: Race, trace: Trace, names: frozenset[str]) -> bool:
    """Whether the launch that a race needs is a plausible one.

    A kernel that never asks for its thread index may be meant for one thread, one that never asks for its
    block for one block: unless the launch is known, that is taken to be so. Nor is anything believed of an
    instance of a template whose arguments are guesses, nor of blocks that meet on addresses made of unknown
    sizes: how the parts of a buffer are sized to the grid is the host's secret.
    """
    if race.offset < 0 or (race.object.space is Space.GLOBAL and not _likely_global(race)):
        return False
    if race.reach is Reach.GRID:
        if race.first.access.address_taint or race.second.access.address_taint:
            return False
        return "blockIdx" in names or None not in trace.shape.grid
    return _launched_so(trace, names)


def _launched_so(trace: Trace, names: frozenset[str]) -> bool:
    if trace.shape.source is ShapeSource.ASSUMED:
        return "threadIdx" in names and not trace.kernel.synthetic
    return not trace.kernel.synthetic or trace.shape.source is ShapeSource.OPTION


def plausible(unit: Unit, trace: Trace) -> bool:
    """Whether a kernel may well be launched with several threads, as in a trace, and is no guessed instance."""
    return _launched_so(trace, built_ins(unit.program, trace.kernel))


def built_ins(program: TranslationUnit, kernel: Function) -> frozenset[str]:
    """The built-in variables (`threadIdx`, `blockIdx`, …) that a kernel uses, itself or in what it calls."""
    seen: set[str] = set()
    names: set[str] = set()
    todo = [kernel.key]
    while todo:
        key = todo.pop()
        function = program.functions.get(key)
        if key in seen or function is None or function.body is None:
            continue
        seen.add(key)
        for node in walk(function.body):
            if isinstance(node, Builtin):
                names.add(node.name)
            elif isinstance(node, Call):
                names.update(_group_names(node))
                if node.key:
                    todo.append(node.key)
    return frozenset(names)


def _group_names(call: Call) -> Iterable[str]:
    """What a method of a cooperative group stands for."""
    if call.name == "thread_rank":
        return ("threadIdx", "blockIdx") if "grid" in call.qualified else ("threadIdx",)
    if call.name in ("thread_index", "num_threads"):
        return ("threadIdx",)
    return ("blockIdx",) if call.name in ("group_index", "block_rank", "block_index") else ()


def _place(race: Race) -> tuple[object, ...]:
    """The pair of source sites, whatever the calls that led there."""
    sides = sorted((*p.access.span.start, p.access.kind.value) for p in (race.first, race.second))
    return tuple(sides)


def _one_barrier(races: Sequence[Race]) -> list[list[Race]]:
    """Group races so that one barrier before the second access of each group's first race removes them all.

    The smallest set of barriers: go through the races by their second access and put a barrier right before
    the first that none cuts yet. Races of one instruction stand for themselves; code that relies on lockstep is
    told once per object.
    """
    groups: list[list[Race]] = []
    lockstep: dict[tuple[object, ...], list[Race]] = {}
    barriers: list[tuple[Reach, Space, int, list[Race]]] = []
    for race in sorted(races, key=lambda r: (r.second.position, -r.first.position)):
        if race.reach is Reach.WARP:
            lockstep.setdefault((race.object.id, race.second.access.span.file), []).append(race)
            continue
        space = race.object.space
        cut = next(
            (g for reach, of, at, g in barriers if (reach, of) == (race.reach, space) and race.first.position < at),
            None,
        )
        if cut is not None and not race.one_instruction:
            cut.append(race)
            continue
        group = [race]
        groups.append(group)
        if not race.one_instruction:
            barriers.append((race.reach, space, race.second.position, group))
    return _by_place(groups) + list(lockstep.values())


def _by_place(groups: list[list[Race]]) -> list[list[Race]]:
    """Join the groups that would be told at one place: an update is a load and a store, and may race in both."""
    joined: dict[tuple[object, ...], list[Race]] = {}
    for group in groups:
        access = group[0].second.access
        joined.setdefault((access.object.id, access.span.start), []).extend(group)
    return [sorted(group, key=lambda race: race.one_instruction) for group in joined.values()]


def thread_of(lanes: LaneGrid, lane: int) -> list[int]:
    """The thread index of a lane: x, y, z."""
    return [int(lanes.tx[lane]), int(lanes.ty[lane]), int(lanes.tz[lane])]


def block_of(lanes: LaneGrid, lane: int) -> list[int]:
    """The block index of a lane: x, y, z."""
    return [int(lanes.bx[lane]), int(lanes.by[lane]), int(lanes.bz[lane])]


def thread_text(trace: Trace, lane: int) -> str:
    """A thread in as many dimensions as the block has: `(3, 0)`, or `3`."""
    index = thread_of(trace.lanes, lane)
    block = trace.shape.block
    if block[1] == block[2] == 1:
        return str(index[0])
    return f"({', '.join(map(str, index[: 3 if block[2] > 1 else 2]))})"


def element_text(of: MemoryObject, offset: int) -> str:
    """The element of an object at a byte offset, as the source would name it: `tile[3][4]`, `total`."""
    element: Type = of.element
    while isinstance(element, ArrayType):
        element = element.element
    size = element.size or 1
    index, rest = divmod(offset, size)
    if of.extents == () and of.space is Space.SHARED and not of.dynamic:
        return of.name + _field(element, rest)
    inner: list[int] = []
    for extent in reversed(of.extents[1:]):
        index, low = divmod(index, extent) if extent else (index, 0)
        inner.append(low)
    return of.name + "".join(f"[{i}]" for i in (index, *reversed(inner))) + _field(element, rest)


def _field(element: Type, offset: int) -> str:
    if not isinstance(element, RecordType):
        return ""
    name = next((f.name for f in element.fields if f.offset <= offset < f.offset + f.type.size), None)
    return f".{name}" if name else ""


def element_of(claim: Claim) -> str:
    """The element on which the threads meet."""
    return element_text(claim.race.object, claim.race.offset)


def side_text(claim: Claim, party: Party) -> str:
    """What one side does: `thread 31 writes`."""
    where = ""
    if claim.race.reach is Reach.GRID:
        block = block_of(claim.trace.lanes, party.lane)
        bare = block[0] if block[1] == block[2] == 0 else tuple(block)
        where = f" of block {bare}"
    return f"thread {thread_text(claim.trace, party.lane)}{where} {VERBS[party.access.kind]}"


def given_text(claim: Claim, message: str) -> str:
    """The message of a claim, after the value of a parameter that it takes."""
    return message if claim.given is None else f"if `{claim.given.name}` is {claim.given.value}, {message}"


def later_iteration(race: Race) -> bool:
    """Whether the second access comes in a later iteration of a loop that encloses both."""
    pairs = zip(race.first.access.frames, race.second.access.frames, strict=False)
    return any(a.head == b.head and a.iteration < b.iteration for a, b in pairs)


def evidence(claim: Claim) -> Mapping[str, Any]:
    """The JSON evidence of a race: both threads with their sites, the element, the launch."""
    race, lanes = claim.race, claim.trace.lanes
    return {
        "first": _side(lanes, race.first),
        "second": _side(lanes, race.second),
        "element": element_of(claim),
        "object": race.object.name,
        "space": race.object.space.value,
        "reach": race.reach.value,
        "later_iteration": later_iteration(race),
        **({} if claim.given is None else {"given": {claim.given.name: claim.given.value}}),
        "block": list(claim.trace.shape.block),
        "launch": under(claim.trace.shape),
    }


def _side(lanes: LaneGrid, party: Party) -> Mapping[str, Any]:
    span = party.access.span
    return {
        "thread": thread_of(lanes, party.lane),
        "block": block_of(lanes, party.lane),
        "access": party.access.kind.value,
        "site": {"filename": span.file, "row": span.line, "column": span.column},
        "text": party.access.text,
    }


def notes(claim: Claim) -> tuple[str, ...]:
    """What else is to be said: the assumption about a parameter, the other places, the launch."""
    of = claim.trace.shape
    if claim.given is None:
        return (*also_text(claim), under(of))
    assumed = f"nothing in this file says that `{claim.given.name}` is never {claim.given.value}"
    return (assumed, *also_text(claim), under(of))


def also_text(claim: Claim) -> tuple[str, ...]:
    """A note that names the other arrays and lines that the same barrier settles."""
    told = {(claim.race.object.name, claim.race.second.access.span.line)}
    more = []
    for race in claim.others:
        key = (race.object.name, race.second.access.span.line)
        if key not in told:
            told.add(key)
            more.append(f"`{race.object.name}` (line {key[1]})")
    if not more:
        return ()
    listed = ", ".join(more[:4]) + (f" and {len(more) - 4} more" if len(more) > 4 else "")
    return (f"the same barrier is missing for {listed}",)
