"""Rewrites that keep a kernel's results and change how its warps meet memory, as edits of the source.

Each gives (span, text) pairs, or None where it does not apply: a use inside a macro, a launch that cannot be
seen, a shape that does not fit. That the rewritten file is better is for the caller to check by linting it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cudalint.lint.analysis.memory import Site, recost
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import Builtin, Call, Expr, Launch, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import NOWHERE, Span
from cudalint.lint.model.statements import Decl
from cudalint.lint.model.walk import Node, unwrapped, walk

Rewrite = tuple[tuple[Span, str], ...]

GAIN = 1.5
"""The sectors of all accesses together must shrink by this factor for an exchange of axes to be proposed."""

_AXIS = re.compile(r"^(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xy])$")


def exchange_axes(unit: Unit, kernel: Function, sites: Sequence[Site]) -> Rewrite | None:
    """Exchange x and y in the kernel and in its launches: the same threads do the same work, in other warps.

    `sites` are the unit's judged global accesses. None unless the sectors of the kernel's together shrink by `GAIN`.
    """
    known = unit.once(_exchanges)
    if kernel.key not in known:
        known[kernel.key] = _exchange(unit, kernel, sites)
    return known[kernel.key]


def _exchanges(_unit: Unit) -> dict[str, Rewrite | None]:
    """What exchanging the axes of kernels takes, by their keys: asked for each of their accesses."""
    return {}


def _exchange(unit: Unit, kernel: Function, sites: Sequence[Site]) -> Rewrite | None:
    own = [s for s in sites if s.trace.kernel.key == kernel.key]
    if not own or not _shrinks(own):
        return None
    inside = _exchange_in_kernel(unit.program, kernel)
    outside = _exchange_in_launches(unit.program, kernel)
    if inside is None or outside is None:
        return None
    return (*inside, *outside)


def exchanges_axes(program: TranslationUnit, edits: Sequence[tuple[Span, str]]) -> bool:
    """Whether edits are an exchange of axes, so that the launch before tells the launch after."""
    for span, text in edits:
        before, after = _AXIS.match(program.text(span)), _AXIS.match(text)
        if before and after and before[1] == after[1] == "threadIdx" and before[2] != after[2]:
            return True
    return False


def _shrinks(sites: Sequence[Site]) -> bool:
    """Whether warps made of neighbours in y touch far fewer sectors."""
    before = after = 0
    for site in sites:
        lanes = site.trace.lanes
        if lanes.tz.any():
            return False
        height = int(lanes.ty.max()) + 1
        width = int(lanes.tx.max()) + 1
        if height < 2:
            return False
        thread = lanes.tx * height + lanes.ty
        warps = -(-width * height // 32)
        regrouped = replace(lanes, thread=thread, lane=thread % 32, warp=lanes.cta * warps + thread // 32)
        other = replace(site, trace=replace(site.trace, lanes=regrouped))
        before += site.cost.used
        after += recost(other, [site.access]).used * len(site.events)
    return after * GAIN < before


def _nodes(function: Function) -> Iterator[Node]:
    if function.body is not None:
        yield from walk(function.body)


def _exchange_in_kernel(program: TranslationUnit, kernel: Function) -> Rewrite | None:
    """Every axis of the kernel's own text; None where a called function or a macro has one too."""
    edits = {}
    for node in _nodes(kernel):
        if isinstance(node, Builtin) and node.name != "warpSize":
            found = _AXIS.match(program.text(node.span))
            if node.axis == "z":
                continue
            if found is None or node.span.macro is not None or node.span.file != kernel.span.file:
                return None
            edits[node.span] = f"{found[1]}.{'y' if found[2] == 'x' else 'x'}"
        if isinstance(node, Call) and node.key is not None:
            callee = program.functions.get(node.key)
            if callee is None or any(isinstance(n, Builtin) for n in _nodes(callee)):
                return None
    return tuple(edits.items())


def launches_of(program: TranslationUnit, kernel: Function) -> list[tuple[Launch, Function]] | None:
    """The launches of a kernel with the functions they stand in; None if one cannot be edited."""
    found = []
    for site in program.launches:
        if site.launch.key != kernel.key:
            continue
        function = program.functions.get(site.function)
        if function is None or site.launch.via != "<<<>>>" or site.launch.span.macro is not None:
            return None
        found.append((site.launch, function))
    return found or None


def _exchange_in_launches(program: TranslationUnit, kernel: Function) -> Rewrite | None:
    launches = launches_of(program, kernel)
    if launches is None:
        return None
    edits: dict[Span, str] = {}
    for launch, function in launches:
        for shape in (launch.grid, launch.block):
            made = _exchange_shape(program, shape, function)
            if made is None:
                return None
            edits.update(made)
    return tuple(edits.items())


def _exchange_shape(program: TranslationUnit, shape: Expr, function: Function) -> dict[Span, str] | None:
    """Exchange the first two values of a dim3, where it is written out or declared."""
    shape = unwrapped(shape)
    if isinstance(shape, Var):
        inits = [n.init for n in _nodes(function) if isinstance(n, Decl) and n.symbol.key == shape.symbol.key]
        if len(inits) != 1 or inits[0] is None or _used_elsewhere(function, shape):
            return None
        shape = unwrapped(inits[0])
    if not isinstance(shape, Call) or not shape.constructor or len(shape.args) != 3:
        return None
    first, second = shape.args[:2]
    if second.span == NOWHERE or second.span.line == 0:
        return None
    texts = [program.text(a.span) for a in (first, second)]
    if any(a.span.macro is not None and a.span.macro != t for a, t in zip((first, second), texts, strict=True)):
        return None
    if texts[0] == texts[1]:
        return {}
    return {replace(first.span, macro=None): texts[1], replace(second.span, macro=None): texts[0]}


def _used_elsewhere(function: Function, variable: Var) -> bool:
    """Whether a dim3 variable has uses other than in launches of one kernel: then its declaration must stay."""
    kernels = set()
    uses = launched = 0
    for node in _nodes(function):
        if isinstance(node, Var) and node.symbol.key == variable.symbol.key:
            uses += 1
        if isinstance(node, Launch):
            here = sum(_names(part, variable) for part in (node.grid, node.block))
            launched += here
            if here:
                kernels.add(node.key)
    return uses != launched or len(kernels) != 1


def _names(shape: Expr, variable: Var) -> int:
    inner = unwrapped(shape)
    return int(isinstance(inner, Var) and inner.symbol.key == variable.symbol.key)
