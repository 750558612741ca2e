"""Chunks of elements, one for each thread, as iterations that the threads of a block take in turn.

`for (k = t * C; k < t * C + C; k++)` becomes `for (k = (t - tx) * C + tx; …; k += blockDim.x)`, and the element
`t * C + j` of a loop over j becomes `(t - tx) * C + tx + j * blockDim.x`, with tx for `threadIdx.x`: the block
has the same elements as before, and neighbouring threads have neighbouring ones. The iterations have to be
independent, and nothing but the element may tell them apart. That the block still has the same elements is not
assumed: both kernels are executed, and every access compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from cudalint.lint.analysis.memory import Site, Verdict, sites
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.rewrite_independent import Body, outermost
from cudalint.lint.analysis.rewrite_uniform import Names, names_of, plain, same
from cudalint.lint.analysis.trace import AccessKind, LaunchShape, ShapeSource, Space, Taint
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import (
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Const,
    Expr,
    IncDec,
    Index,
    Storage,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Block, Decl, For, If, Return, Stmt
from cudalint.lint.model.types import UINT, IntType, Type
from cudalint.lint.model.walk import Node, rebuilt, unwrapped, walk

BLOCKS = 3
"""Blocks of the small grid on which both kernels are compared."""
CHUNKS = (3, 5)
"""Elements of a thread in the comparison: loops of so few iterations are executed as they are."""
THREADS = (64, 96)
"""Threads of a block in the comparison, for each of the chunks."""

_VAGUE = Taint.APPROXIMATE | Taint.UNKNOWN | Taint.UNDEFINED
_Rows = npt.NDArray[np.float64]
_Key = tuple[tuple[str, int, int], AccessKind, int]
_Work = dict[_Key, _Rows]


@dataclass(slots=True)
class _Chunk:
    """A loop over a thread's chunk: what to replace by what, in the model and in the source."""

    loop: For
    width: Expr
    elements: set[int] = field(default_factory=set)
    changed: dict[int, Expr] = field(default_factory=dict)
    edits: dict[Span, str] = field(default_factory=dict)
    widths: set[int] = field(default_factory=set)
    starts: set[str] = field(default_factory=set)
    uses: set[int] = field(default_factory=set)
    limited: bool = False


class _NoFitError(Exception):
    """The loop has not the form that can be rewritten."""


def interleave_chunks(unit: Unit, site: Site) -> Rewrite | None:
    """The edits that let a block's threads take the elements of their chunks in turn, or None.

    `site` is a wasteful access in a kernel's own loop; none of the loop's accesses is wasteful afterwards.
    """
    found: Rewrite | None = None
    for kernel in [k for k in unit.kernels if k.pattern == site.trace.kernel.pattern]:
        made = _one(unit, kernel, site.span)
        if made is None or (found is not None and made != found):
            return None
        found = made
    return found


def _one(unit: Unit, kernel: Function, place: Span) -> Rewrite | None:
    loop = _loop_at(kernel, place)
    if loop is None:
        return None
    names = names_of(kernel)
    try:
        chunk = _Form(unit.program, kernel, names, loop).chunk()
    except _NoFitError:
        return None
    body = Body(names, frozenset(chunk.elements), loop.body)
    if not body.independent(kernel, loop) or not _everyone_comes(kernel, names, chunk):
        return None
    after = replace(kernel, body=rebuilt(kernel.body, lambda node: chunk.changed.get(id(node))))
    if not _same_work(unit.program, kernel, after, chunk) or not _gains(unit, kernel, after, names, loop.span):
        return None
    return tuple(chunk.edits.items())


def _loop_at(kernel: Function, place: Span) -> For | None:
    """The outermost loop around a place, where the kernel's own body has it."""
    for node in walk(kernel.body) if kernel.body is not None else ():
        if isinstance(node, For) and _within(place, node.span):
            return node
    return None


def _within(place: Span, whole: Span) -> bool:
    return place.file == whole.file and whole.offset <= place.offset and place.end_offset <= whole.end_offset


@dataclass(slots=True)
class _Form:
    """Takes a loop apart, in the form of a count from 0 or of a range from the chunk's start."""

    program: TranslationUnit
    kernel: Function
    names: Names
    loop: For

    def chunk(self) -> _Chunk:
        """The loop's edits; raises `_NoFitError` where it has another form."""
        match self.loop:
            case For(init=(Decl(symbol=counter, init=start),), condition=condition, step=step) if (
                start is not None and condition is not None and step is not None and _by_one(step, counter.key)
            ):
                writes = [n for n in walk(self.loop.body) if isinstance(n, Assign | IncDec)]
                if any(isinstance(n.target, Var) and n.target.symbol.key == counter.key for n in writes):
                    raise _NoFitError
                if isinstance(plain(start), Const):
                    return self._counted(counter.key, start, condition)
                return self._ranged(counter.key, start, condition, step)
        raise _NoFitError

    def _counted(self, counter: str, start: Expr, condition: Expr) -> _Chunk:
        """`for (j = 0; j < C; j++)` with elements `t * C + j`."""
        match plain(start), condition:
            case Const(value=0), Binary(op="<", left=left, right=width) if _is(left, counter) and self.names.uniform(
                width
            ):
                chunk = _Chunk(self.loop, width, widths={id(plain(width))})
            case _:
                raise _NoFitError
        for node in walk(self.loop.body):
            if isinstance(node, Binary) and node.op == "+":
                for one, other in ((node.left, node.right), (node.right, node.left)):
                    if _is(one, counter) and self._start(chunk, other):
                        chunk.elements.add(id(node))
                        turn = plain(one)
                        turns = Binary("*", turn, _built("blockDim", turn), turn.type, turn.span)
                        text = f"{self._text(turn)} * {_spelled('blockDim.x', turn.type)}"
                        self._replace(chunk, turn, turns, text)
                        break
        if not chunk.elements:
            raise _NoFitError
        self._only_here(chunk)
        return chunk

    def _ranged(self, counter: str, start: Expr, condition: Expr, step: Expr) -> _Chunk:
        """`for (k = t * C; k < t * C + C && k < n; k++)`."""
        product = self._product(start)
        if product is None:
            raise _NoFitError
        chunk = _Chunk(self.loop, product[1])
        self._start(chunk, start)
        for limit in _limits(condition, counter):
            self._limit(chunk, limit)
        if not chunk.limited:
            raise _NoFitError
        chunk.elements |= {id(n) for n in walk(self.loop.body) if isinstance(n, Var) and n.symbol.key == counter}
        self._only_here(chunk)
        assert isinstance(step, IncDec | Assign)
        by = Assign("+=", step.target, _built("blockDim", step.target), step.type, step.span)
        self._replace(chunk, step, by, f"{self._text(step.target)} += blockDim.x")
        return chunk

    def _limit(self, chunk: _Chunk, limit: Expr) -> None:
        """The end of a range: the chunk's, or a bound for all, or the smaller of the two."""
        bare = plain(limit)
        if isinstance(bare, Var) and bare.symbol.key in self.names.values and not self.names.uniform(bare):
            chunk.starts.add(bare.symbol.key)
            chunk.uses.add(id(bare))
            bare = plain(self.names.values[bare.symbol.key])
        match bare:
            case Call(name="min", args=(one, other)):
                self._limit(chunk, one)
                self._limit(chunk, other)
            case Binary(op="+", left=left, right=right) if not self.names.uniform(bare):
                for start, width in ((left, right), (right, left)):
                    if same(width, chunk.width) and self._start(chunk, start):
                        self._widen(chunk, width)
                        return
                raise _NoFitError
            case Binary(op="*", left=left, right=right) if not self.names.uniform(bare):
                self._next_start(chunk, left, right)
            case _ if not self.names.uniform(bare):
                raise _NoFitError

    def _widen(self, chunk: _Chunk, width: Expr) -> None:
        """Let the end of a range be as many elements behind its start as the block has."""
        bare = plain(width)
        chunk.widths.add(id(bare))
        chunk.limited = True
        wide = Binary("*", bare, _built("blockDim", bare), bare.type, bare.span)
        self._replace(chunk, bare, wide, f"{self._factor(bare)} * {_spelled('blockDim.x', bare.type)}")

    def _next_start(self, chunk: _Chunk, left: Expr, right: Expr) -> None:
        """`(t + 1) * C`: the start of the next thread's chunk."""
        for after, width in ((plain(left), plain(right)), (plain(right), plain(left))):
            if not same(width, chunk.width) or not isinstance(after, Binary) or after.op != "+":
                continue
            one = plain(after.right)
            if isinstance(one, Const) and one.value == 1 and self.names.thread(after.left):
                thread = unwrapped(after.left)
                first, text = self._first_thread(thread)
                chunk.widths.add(id(width))
                chunk.limited = True
                self._replace(chunk, thread, first, text)
                self._replace(chunk, one, _built("blockDim", one), _spelled("blockDim.x", one.type))
                return
        raise _NoFitError

    def _product(self, expr: Expr) -> tuple[Expr, Expr, Expr] | None:
        """The thread, the width and the product in the start of a chunk, through a variable of that value."""
        bare = plain(expr)
        if isinstance(bare, Var) and bare.symbol.key in self.names.values:
            bare = plain(self.names.values[bare.symbol.key])
        if isinstance(bare, Binary) and bare.op == "*":
            for thread, width in ((bare.left, bare.right), (bare.right, bare.left)):
                if self.names.thread(thread) and self.names.uniform(width):
                    return thread, width, bare
        return None

    def _start(self, chunk: _Chunk, expr: Expr) -> bool:
        """Note the edit of a chunk's start; False where an expression is something else."""
        found = self._product(expr)
        if found is None or not same(found[1], chunk.width):
            return False
        thread, width, product = found
        outer = plain(expr)
        if isinstance(outer, Var):
            chunk.starts.add(outer.symbol.key)
        chunk.uses |= {id(n) for n in walk(expr)}
        chunk.widths.add(id(plain(width)))
        made = own = _built("threadIdx", product)
        text = _spelled("threadIdx.x", product.type)
        if not isinstance(plain(thread), Builtin):
            first, block = self._first_thread(unwrapped(thread))
            made = Binary("*", first, width, product.type, product.span)
            made = Binary("+", made, own, product.type, product.span)
            text = f"{block} * {self._factor(plain(width))} + {text}"
        self._replace(chunk, product, made, text)
        return True

    def _first_thread(self, thread: Expr) -> tuple[Expr, str]:
        """What a thread's number is for the first thread of its block."""
        first = Binary("-", thread, _built("threadIdx", thread), thread.type, thread.span)
        if isinstance(thread, Binary) and thread.span.macro is None:
            for own, rest in ((thread.right, thread.left), (thread.left, thread.right)):
                if isinstance(plain(own), Builtin) and self.names.uniform(rest):
                    return first, self._factor(unwrapped(rest))
        text = self._text(thread)
        text = text if isinstance(thread, Var) else f"({text})"
        return first, f"({text} - {_spelled('threadIdx.x', thread.type)})"

    def _factor(self, expr: Expr) -> str:
        """The text of an expression, fit to stand in a product."""
        text = self._text(expr)
        product = isinstance(expr, Binary) and expr.op == "*" and expr.span.macro is None
        return text if product or isinstance(expr, Const | Var | Builtin) else f"({text})"

    def _replace(self, chunk: _Chunk, node: Expr, by: Expr, text: str) -> None:
        """Put an expression in the place of another one, in the model and in the source."""
        span = node.span
        if span.macro is not None and span.macro != self.program.text(span):
            raise _NoFitError
        if span.file != self.kernel.span.file:
            raise _NoFitError
        chunk.changed[id(node)] = by
        if chunk.edits.setdefault(replace(span, macro=None), text) != text:
            raise _NoFitError

    def _text(self, expr: Expr) -> str:
        text = self.program.text(expr.span)
        if not text or (expr.span.macro is not None and expr.span.macro != text):
            raise _NoFitError
        return text

    def _only_here(self, chunk: _Chunk) -> None:
        """Refuse a start or end with other uses, in the loop or elsewhere."""
        for node in walk(self.kernel.body) if self.kernel.body is not None else ():
            if isinstance(node, Var) and node.symbol.key in chunk.starts and id(node) not in chunk.uses:
                raise _NoFitError


def _built(name: str, like: Expr) -> Expr:
    """`threadIdx.x` or another triple's x, as a value of the type of an expression."""
    return Cast(Builtin(name, "x", UINT, like.span), like.type, like.span)


def _spelled(name: str, of: Type) -> str:
    """A triple's x in the source, where what it is combined with has a type that is to stay."""
    return f"int({name})" if isinstance(of, IntType) and of.signed and of.bits <= 32 else name


def _is(expr: Expr, key: str) -> bool:
    bare = plain(expr)
    return isinstance(bare, Var) and bare.symbol.key == key


def _by_one(step: Expr, key: str) -> bool:
    match step:
        case IncDec(op="++", target=target):
            return _is(target, key)
        case Assign(op="+=", target=target, value=value):
            by = plain(value)
            return _is(target, key) and isinstance(by, Const) and by.value == 1
    return False


def _limits(condition: Expr, key: str) -> list[Expr]:
    """What a range's variable has to be less than; raises `_NoFitError` where the condition says anything else."""
    match condition:
        case Binary(op="&&", left=left, right=right):
            return [*_limits(left, key), *_limits(right, key)]
        case Binary(op="<", left=left, right=right) if _is(left, key):
            return [right]
    raise _NoFitError


def _everyone_comes(kernel: Function, names: Names, chunk: _Chunk) -> bool:
    """Whether all threads of a block reach the loop, or none: only uniform conditions stand before it."""
    return kernel.body is not None and _reached(kernel.body, names, chunk.loop)


def _reached(stmt: Stmt, names: Names, loop: For) -> bool:
    if stmt is loop:
        return True
    match stmt:
        case Block(body=body):
            for inner in body:
                if any(n is loop for n in walk(inner)):
                    return _reached(inner, names, loop)
                if any(isinstance(n, Return) for n in walk(inner)) and not _leaves_together(inner, names):
                    return False
            return False
        case If(condition=condition, then=then, otherwise=otherwise):
            sides = [s for s in (then, otherwise) if s is not None and any(n is loop for n in walk(s))]
            return names.uniform(condition) and all(_reached(s, names, loop) for s in sides)
    return False


def _leaves_together(stmt: Stmt, names: Names) -> bool:
    """Whether a statement with a return is `if (uniform) return;`."""
    match stmt:
        case If(condition=condition, then=Return() | Block(body=(Return(),)), otherwise=None):
            return names.uniform(condition)
    return False


def _same_work(program: TranslationUnit, before: Function, after: Function, chunk: _Chunk) -> bool:
    """Whether both kernels make the same accesses, over all threads of each block of some small grids."""
    for width, threads in zip(CHUNKS, THREADS, strict=True):
        shape = LaunchShape((threads, 1, 1), (BLOCKS, 1, 1), ShapeSource.ASSUMED)
        whole = threads * BLOCKS * width
        for size in (whole - width // 2 - 1, whole // 2 + 1, whole + 7):
            old = _work(program, _sampled(before, chunk, width, size), shape, chunk.loop.span)
            new = _work(program, _sampled(after, chunk, width, size), shape, chunk.loop.span)
            if old is None or new is None or not _alike(old, new):
                return False
    return True


def _sampled(kernel: Function, chunk: _Chunk, width: int, size: int) -> Function:
    """The kernel with numbers for its integer parameters: the width of the chunks, and a size for all others."""
    bare = plain(chunk.width)
    own = bare.symbol.key if isinstance(bare, Var) else ""

    def number(node: Node) -> Node | None:
        match node:
            case Const(type=kind, span=span) if id(node) in chunk.widths:
                return Const(width, kind, span)
            case Var(symbol=symbol, type=IntType() as kind, span=span) if symbol.storage is Storage.PARAM:
                return Const(width if symbol.key == own else size, kind, span)
        return None

    return replace(kernel, body=rebuilt(kernel.body, number))


def _work(program: TranslationUnit, kernel: Function, shape: LaunchShape, loop: Span) -> _Work | None:
    """Every access in a loop by place, kind and object: block, address and value; None where not all was executed."""
    from cudalint.lint.analysis.execute import execute

    trace = execute(program, kernel, shape, where=[(block, 0, 0) for block in range(BLOCKS)])
    if not trace.complete or trace.unknown:
        return None
    parts: dict[_Key, list[_Rows]] = defaultdict(list)
    for access in trace.accesses(Space.GLOBAL, Space.SHARED):
        if not _within(access.span, loop) or access.calls:
            continue
        if access.address_taint & _VAGUE or access.mask_taint & _VAGUE or any(f.truncated for f in access.frames):
            return None
        here = access.mask
        known = access.value is not None and access.value.dtype.kind in "iufb" and not access.value_taint & _VAGUE
        value = access.value if known and access.value is not None else np.zeros(len(here))
        columns = (trace.lanes.cta, access.address, np.broadcast_to(value, here.shape))
        rows = np.stack([np.asarray(c, np.float64)[here] for c in columns])
        parts[access.span.start, access.kind, access.object.id].append(rows)
    return {key: _sorted(np.concatenate(rows, axis=1)) for key, rows in parts.items()}


def _sorted(rows: _Rows) -> _Rows:
    return rows[:, np.lexsort(rows[::-1])]


def _alike(one: _Work, other: _Work) -> bool:
    rows = [(r, other[k]) for k, r in one.items() if k in other]
    return (
        bool(one)
        and len(one) == len(rows) == len(other)
        and all(a.shape == b.shape and np.array_equal(a, b, equal_nan=True) for a, b in rows)
    )


def _gains(unit: Unit, kernel: Function, after: Function, names: Names, loop: Span) -> bool:
    """Whether none of the loop's accesses is wasteful any more, under each launch, whose blocks are one row."""
    from cudalint.lint.analysis.execute import execute

    for shape in unit.shapes(kernel):
        trace = execute(unit.program, after, shape, blocks=BLOCKS)
        found = [s for s in sites(trace, Space.GLOBAL) if _within(s.span, loop)]
        if shape.block[1:] != (1, 1) or not found or any(s.verdict is Verdict.BAD for s in found):
            return False
        if _one_buffer_twice(found, names):
            return False
    return True


def _one_buffer_twice(found: Sequence[Site], names: Names) -> bool:
    """Whether a buffer that is written has two names, since a launch gives it for two parameters."""
    roots: dict[int, set[str | None]] = defaultdict(set)
    for site in found:
        place = next((n for n in walk(site.access.expr) if isinstance(n, Index)), None)
        root = None if place is None else names.root(outermost(place).base)
        roots[site.object.id].add(None if root is None else root.key)
    written = {s.object.id for s in found if s.access.kind is not AccessKind.LOAD}
    return any(len(roots[buffer]) != 1 for buffer in written)
