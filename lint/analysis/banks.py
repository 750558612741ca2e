"""Which padding or swizzle removes the bank conflicts of a shared array: found by counting again.

Every access to the array in the trace is moved to where the changed layout would put it, and its wavefronts
are counted anew. A layout is proposed only if it helps the accesses that conflict and makes none worse, and if
wide accesses stay aligned in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cudalint.lint.analysis.lanes import WIDEST
from cudalint.lint.analysis.memory import Cost, Site, recost
from cudalint.lint.analysis.memory_reuse import walks_row
from cudalint.lint.analysis.memory_shared import STATIC_LIMIT
from cudalint.lint.analysis.trace import Access, Ints, MemoryObject
from cudalint.lint.model.expressions import AddressOf, Call, Const, Deref, Expr, Index, Symbol, Var
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.walk import Node, uncast, walk

PADS = (1, 2, 4, 8)
"""Elements of padding that are tried, smallest first."""
WORDS = 32
"""Elements after which an array with one extent is skewed where nothing says how wide its rows are."""
SMALL = 4.0
"""Ways of a conflict below which losing vectors costs more: padding by one element made a kernel with two ways slower
(0.78) whose rows were read as vectors, and one with 16 ways faster (4.7), on an H200."""
CLEAN = 1.05
"""Up to this mean of wavefronts over ideal an access counts as free of conflicts."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A changed layout that helps.

    `pad` counts the elements added to the innermost extent or, where `row` is set, to each `row` elements of an
    array with one extent: index i becomes i + i / row * pad. `ways` is what remains of the conflict, 1 when nothing
    does.
    """

    pad: int
    ways: float = 0.0
    row: int | None = None


def better_layout(site: Site, siblings: Sequence[Site], rows: Sequence[int] = ()) -> Layout | None:
    """The smallest change that removes the conflicts of a site, or the one that removes most of them.

    `siblings` are all sites of the same trace on the same array, the site itself among them. `rows` are the widths
    in elements that an array with one extent may be divided in, besides one of 32.
    """
    before = {s.span.start: s.cost for s in siblings}
    best: Layout | None = None
    vectors = site.cost.ratio < SMALL and any(map(_may_be_vectors, siblings))
    for layout, move in _layouts(site.object, rows):
        if vectors and layout.pad * site.object.element.size % WIDEST:
            continue
        after = _counted(siblings, move)
        if after is None or any(c.used > 1.01 * before[place].used for place, c in after.items()):
            continue
        ways = after[site.span.start].ratio
        if ways <= CLEAN:
            return replace(layout, ways=1.0)
        if ways <= site.cost.ratio / 2 and (best is None or ways < best.ways):
            best = replace(layout, ways=ways)
    return best


def _layouts(array: MemoryObject, rows: Sequence[int]) -> Iterator[tuple[Layout, Callable[[Ints], Ints]]]:
    """The layouts to try for an array, each with where it moves a byte address."""
    element = array.element.size
    if array.dynamic or not array.extents or not element:
        return
    if len(array.extents) > 1:
        inner = array.extents[-1] * element
        for pad in PADS:
            if (array.size or 0) // array.extents[-1] * (array.extents[-1] + pad) <= STATIC_LIMIT:
                yield Layout(pad), padded(inner, pad * element)
    else:
        for row in dict.fromkeys((*rows, WORDS)):
            for pad in PADS if row != WORDS else (1,):
                if (array.size or 0) + (array.size or 0) // row * pad <= STATIC_LIMIT:
                    yield Layout(pad, row=row), padded(row * element, pad * element)


def padded(row: int, pad: int) -> Callable[[Ints], Ints]:
    """Where `pad` bytes behind each `row` bytes move an address."""
    return lambda address: address + address // row * pad


def _may_be_vectors(site: Site) -> bool:
    """Whether each thread walks elements from an aligned place on, which a compiler can load as vectors."""
    start = [e for e in site.events if e.frames and e.frames[-1].iteration == 0]
    aligned = all(not (e.address[e.mask] % WIDEST).any() for e in start)
    return bool(start) and aligned and site.access.size < WIDEST and walks_row(site)


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
    """Whether every use of an array names all its indices, so that its extents can change.

    Addresses of elements are taken only for an atomic function, or to access that one place.
    """
    whole = uses = 0
    harmless: set[int] = set()
    for function in program.functions.values():
        for node in walk(function.body) if function.body else ():
            harmless.update(id(a) for a in _used_at_once(node))
            if isinstance(node, Var) and node.symbol.span == symbol.span:
                uses += 1
            elif isinstance(node, Index) and _depth(node, symbol) == extents:
                whole += 1
            elif _taken(node, symbol) and id(node) not in harmless:
                return False
    return uses > 0 and uses == whole


def _taken(node: Node, symbol: Symbol) -> bool:
    """Whether a node takes the address of an element of an array."""
    return isinstance(node, AddressOf) and not node.decay and _depth(node.operand, symbol) > 0


def _used_at_once(node: Node) -> Iterator[Expr]:
    """The pointers that a node only follows."""
    match node:
        case Call(name=name, args=args) if name.startswith("atomic"):
            yield from map(uncast, args)
        case Deref(pointer=pointer):
            yield uncast(pointer)
        case Index(base=base, index=Const(value=0)):
            yield uncast(base)


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
