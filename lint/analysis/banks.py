"""Which padding or swizzle removes the bank conflicts of a shared array: found by counting again.

Every access to the array in the trace is moved to where the changed layout would put it, and its wavefronts
are counted anew. A layout is proposed only if it helps the accesses that conflict and makes none worse, and if
wide accesses stay aligned in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cudalint.lint.analysis.memory import Cost, Site, recost
from cudalint.lint.analysis.memory_shared import STATIC_LIMIT
from cudalint.lint.analysis.trace import Access, Ints, MemoryObject
from cudalint.lint.model.expressions import AddressOf, Expr, Index, Symbol, Var
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.walk import walk

PADS = (1, 2, 4, 8)
"""Elements of padding that are tried, smallest first."""
CLEAN = 1.05
"""Up to this mean of wavefronts over ideal an access counts as free of conflicts."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A changed layout that helps.

    `pad` counts the elements added to the innermost extent (or, for `skew`, that index i becomes i + i / 32).
    `ways` is what remains of the conflict, 1 when nothing does.
    """

    pad: int
    skew: bool
    ways: float


def better_layout(site: Site, siblings: Sequence[Site]) -> Layout | None:
    """The smallest change that removes the conflicts of a site, or the one that removes most of them.

    `siblings` are all sites of the same trace on the same array, the site itself among them.
    """
    before = {s.span.start: s.cost for s in siblings}
    best: Layout | None = None
    for layout, move in _layouts(site.object):
        after = _counted(siblings, move)
        if after is None or any(c.used > 1.01 * before[place].used for place, c in after.items()):
            continue
        ways = after[site.span.start].ratio
        if ways <= CLEAN:
            return replace(layout, ways=1.0)
        if ways <= site.cost.ratio / 2 and (best is None or ways < best.ways):
            best = replace(layout, ways=ways)
    return best


def _layouts(array: MemoryObject) -> Iterator[tuple[Layout, Callable[[Ints], Ints]]]:
    """The layouts to try for an array, each with where it moves a byte address."""
    element = array.element.size
    if array.dynamic or not array.extents or not element:
        return
    if len(array.extents) > 1:
        inner = array.extents[-1] * element
        for pad in PADS:
            if (array.size or 0) // array.extents[-1] * (array.extents[-1] + pad) <= STATIC_LIMIT:
                yield Layout(pad, False, 0), _padded(inner, pad * element)
    else:
        yield Layout(1, True, 0), _padded(32 * element, element)


def _padded(row: int, pad: int) -> Callable[[Ints], Ints]:
    return lambda address: address + address // row * pad


def _counted(siblings: Sequence[Site], move: Callable[[Ints], Ints]) -> dict[tuple[str, int, int], Cost] | None:
    """The cost of each site in a changed layout; None when a wide access would not stay aligned."""
    after = {}
    for site in siblings:
        moved = [replace(e, address=move(e.address)) for e in site.events]
        if any(_split(e, move) for e in site.events):
            return None
        after[site.span.start] = recost(site, moved)
    return after


def _split(access: Access, move: Callable[[Ints], Ints]) -> bool:
    """Whether an access would lose its alignment or be torn apart."""
    first = access.address[access.mask]
    there = move(first)
    torn = move(first + access.size - 1) != there + access.size - 1
    aligned = access.size & (access.size - 1) == 0
    return bool(torn.any()) or (aligned and bool((there % access.size != 0).any()))


def only_indexed(program: TranslationUnit, symbol: Symbol, extents: int) -> bool:
    """Whether every use of an array names all its indices, so that its extents can change."""
    whole = uses = 0
    for function in program.functions.values():
        for node in walk(function.body) if function.body else ():
            if isinstance(node, Var) and node.symbol.span == symbol.span:
                uses += 1
            elif isinstance(node, Index) and _depth(node, symbol) == extents:
                whole += 1
    return uses > 0 and uses == whole


def _depth(node: Expr, symbol: Symbol) -> int:
    """How many subscripts a chain applies to the array; 0 when it is not one on it."""
    depth = 0
    while True:
        match node:
            case Index(base=base):
                depth, node = depth + 1, base
            case AddressOf(operand=operand, decay=True):
                node = operand
            case Var(symbol=found):
                return depth if found.span == symbol.span else 0
            case _:
                return 0
