"""How a memory finding is put into words: strides, launches, lane maps, and the change that fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np
from cudalint.lint.analysis.banks import Layout, only_indexed
from cudalint.lint.analysis.lanes import BANKS, SECTOR, WORD
from cudalint.lint.analysis.memory import Site, worst_warp
from cudalint.lint.analysis.memory_reuse import used_share, walks_row
from cudalint.lint.analysis.trace import Access, AccessKind, Ints, LaunchShape, ShapeSource, Space
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.source import Span

SAMPLE_LANES = (0, 1, 2, 3, 8, 16, 24, 31)
"""Lanes that a lane map shows."""
COVERED = 0.75
"""Share of the touched bytes from which on neighbouring accesses are taken to use a sector."""
PLAIN_EXTENT = re.compile(r"[\w\s+*\-]+")
"""An extent to which `+ 1` can be appended without changing how it is read."""


def number(value: float) -> str:
    """A figure for a message: `4`, `12.5`."""
    return f"{value:.1f}".removesuffix(".0")


def under(shape: LaunchShape) -> str:
    """The block that a finding holds for, and where it comes from."""
    block = "x".join(str(n) for n in shape.block).removesuffix("x1").removesuffix("x1")
    match shape.source:
        case ShapeSource.LAUNCH if shape.site is not None:
            return f"block {block}, launched at {PurePath(shape.site.file).name}:{shape.site.line}"
        case ShapeSource.OPTION:
            return f"block {block}, as given"
        case ShapeSource.ASSUMED:
            return f"block {block}, assumed"
        case _:
            return f"block {block}, from {shape.source.value}"


def spacing(site: Site) -> str:
    """How far apart the lanes of a warp are, in words."""
    stride = site.stride
    if stride is None:
        return _unknown_spacing(site)
    address = site.access.address[worst_warp(site)]
    steps = np.diff(address)
    if (steps == stride).all():
        return f"lanes are {stride} bytes apart"
    if stride == 0:
        return "lanes share addresses in groups that are far apart"
    jumps = np.flatnonzero(steps != stride)
    run = int(jumps[0]) + 1
    even = len(jumps) > 1 and bool((np.diff(jumps) == run).all())
    if even or (len(jumps) == 1 and run * 2 == len(address)):
        return f"runs of {run} lanes, {stride} bytes apart within"
    return f"most lanes are {stride} bytes apart"


def _unknown_spacing(site: Site) -> str:
    """The stride as a multiple of a sampled integer, where one fits in all worlds."""
    strides = site.strides
    worlds = [w for w in range(site.trace.lanes.worlds) if (site.access.mask & (site.trace.lanes.world == w)).any()]
    if None not in strides and len(worlds) == len(strides) > 1:
        for name, values in site.trace.samples:
            factors = {
                s / values[w] if values[w] else 0.0 for s, w in zip(strides, worlds, strict=True) if s is not None
            }
            if len(factors) == 1 and (factor := factors.pop()) and factor.is_integer():
                return f"lanes are {name}*{abs(factor):.0f} bytes apart, {name} unknown"
    return "lanes are a run-time distance apart"


def global_evidence(site: Site) -> dict[str, object]:
    """The figures of a wasteful global access, per request of a warp."""
    cost = site.cost
    return {
        "sectors_per_request": round(cost.used / cost.requests, 2),
        "ideal_sectors": round(cost.ideal / cost.requests, 2),
        "lane_stride_bytes": site.stride,
        "block": list(site.trace.shape.block),
        "access_bytes": site.access.size,
        "lane_bytes": lane_bytes(site),
    }


def lane_bytes(site: Site) -> list[int]:
    """The byte of each active lane of the worst warp, from the start of the first sector or of the array."""
    address = site.access.address[worst_warp(site)]
    base = int(address.min()) // SECTOR * SECTOR if site.object.space is Space.GLOBAL else 0
    return [int(a) - base for a in address]


def lane_map(site: Site) -> str:
    """A small drawing: the bytes, and sectors or banks, of some lanes of the worst warp."""
    there = worst_warp(site)
    lanes, address = site.trace.lanes.lane[there], site.access.address[there]
    shown = [i for i, lane in enumerate(lanes) if lane in SAMPLE_LANES] or list(range(min(8, len(lanes))))
    base = int(address.min()) // SECTOR * SECTOR if site.object.space is Space.GLOBAL else 0
    rows = [("lane", lanes), ("byte", address - base)]
    if site.object.space is Space.SHARED:
        rows.append(("bank", address // WORD % BANKS))
    else:
        rows.append(("sector", (address - base) // SECTOR))
    return "\n".join(_row(name, values[shown]) for name, values in rows)


def _row(name: str, values: Ints) -> str:
    return f"{name:<8}" + "".join(f"{v:>7}" for v in values.tolist())


def fitting_change(site: Site) -> str:
    """What to do about a wasteful global access."""
    access, stride = site.access, site.stride
    store = access.kind is not AccessKind.LOAD
    if site.object.space is Space.GLOBAL and _thread_axis_swapped(site):
        return "let threadIdx.x run along the contiguous dimension of the data"
    if access.frames and walks_row(site):
        return (
            "each thread walks its own contiguous range: let neighbouring threads take neighbouring elements of each "
            "iteration, or stage the range through shared memory"
        )
    if stride is not None and 0 < stride <= 16 and stride in (2 * access.size, 4 * access.size):
        verb = "store" if store else "load"
        count = stride // access.size
        return f"let each thread {verb} its {count} neighbouring elements as one vector, or interleave the threads"
    if store:
        return "write through a tile in shared memory, so that neighbouring threads store neighbouring elements"
    return "let neighbouring threads read neighbouring elements, or stage the data through shared memory"


def _thread_axis_swapped(site: Site) -> bool:
    """Whether the lanes would be contiguous along threadIdx.y: x and y are swapped."""
    lanes, access = site.trace.lanes, site.access
    here = access.mask & (lanes.cta == lanes.cta[access.mask][0])
    x, y, address = lanes.tx[here], lanes.ty[here], access.address[here]
    if not y.any() or not x.any():
        return False
    order = np.lexsort((y, x))
    x, y, address = x[order], y[order], address[order]
    along = (x[1:] == x[:-1]) & (y[1:] == y[:-1] + 1)
    return bool(along.any()) and bool((np.abs(np.diff(address)[along]) == access.size).all())


def layout_advice(site: Site, layout: Layout | None) -> str:
    """The declaration or index to write, from the layout that was found to help."""
    array = site.object
    if layout is None:
        return "no padding of this array helps: change which thread takes which element"
    left = "" if layout.ways == 1 else f" (leaves {number(layout.ways)} ways)"
    if layout.row is not None:
        pad = f" * {layout.pad}" if layout.pad > 1 else ""
        larger = f"{layout.pad}/{layout.row}"
        return f"index {array.name} with i + i / {layout.row}{pad} instead of i, and declare it {larger} larger{left}"
    extents = "".join(f"[{n}]" for n in (*array.extents[:-1], array.extents[-1] + layout.pad))
    return f"declare {array.name}{extents}{left}"


def padding_edit(program: TranslationUnit, site: Site, layout: Layout | None) -> tuple[Span, str] | None:
    """Where to insert what to pad the declaration, if all uses of the array go through all its indices."""
    symbol = site.object.symbol
    if layout is None or layout.row is not None or symbol is None:
        return None
    if not only_indexed(program, symbol, len(site.object.extents)):
        return None
    data = program.files.get(symbol.span.file, b"")
    place = innermost_extent(data, symbol.span.offset, symbol.name, len(site.object.extents))
    if place is None:
        return None
    return _empty_span(data, symbol.span.file, place), f" + {layout.pad}"


def innermost_extent(data: bytes, start: int, name: str, extents: int) -> int | None:
    """The byte offset just before the last `]` of a declarator, None when it is not plainly written."""
    found = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b((?:\s*\[[^\[\]]*\])+)").search(data, start)
    if found is None or b";" in data[start : found.start()]:
        return None
    written = re.findall(rb"\[([^\[\]]*)\]", found.group(1))
    if len(written) != extents or not PLAIN_EXTENT.fullmatch(written[-1].decode("utf-8", "replace")):
        return None
    return found.end() - 1


def _empty_span(data: bytes, file: str, offset: int) -> Span:
    """The empty span at a byte offset."""
    before = data[:offset]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    return Span(file, line, column, line, column, offset, offset)


def text_of(access: Access) -> str:
    """The access as the source has it, short enough for a message."""
    text = " ".join(access.text.split()) or access.object.name
    return text if len(text) <= 60 else text[:57] + "..."


def weight(site: Site, all_sites: Sequence[Site]) -> tuple[bool, str]:
    """Whether a site costs real traffic, and why not if it does not.

    It does not where it runs once per thread beside accesses in loops, or where the rest of its sectors is used
    by neighbouring accesses soon enough to be found in the L1 cache.
    """
    if not site.loops and any(s.loops for s in all_sites if s.trace is site.trace):
        return False, "it runs once per thread, beside accesses in loops"
    if site.object.space is Space.GLOBAL and used_share(site) >= COVERED:
        return False, "neighbouring accesses use the rest of these sectors, which the L1 cache may still hold"
    return True, ""
