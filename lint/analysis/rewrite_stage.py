"""Rows that threads walk one by one, moved by the whole warp through a tile in shared memory.

`for (j = 0; j < n; ++j) sum += x[t * n + j];` with a row for each thread t becomes two loops, over pieces of the
rows and over the elements of a piece. Before each piece the lanes of a warp load the piece of every lane's row
together, neighbours next to each other, into a padded tile of their own; a row that is written is stored after each
piece in the same way. Each thread still takes the same elements in the same order, so every result stays the same to
the bit.

Only kernels that store to such rows are worth it: what a lane loads stays in the L1 cache for its next iterations,
while each of its stores moves a sector. On an H200 four kernels that store gained (up to 4.9 times), and all eleven
that only load, or whose rows have 21 elements, lost (docs/verification.md).

Here it is decided whether that is so; `rewrite_stage_text` writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cudalint.lint.analysis.memory import Site, Verdict, global_sites, of_record
from cudalint.lint.analysis.memory_shared import STATIC_LIMIT
from cudalint.lint.analysis.rewrite import Rewrite
from cudalint.lint.analysis.rewrite_paths import NoFitError, breaks_out, guard_of, path_to
from cudalint.lint.analysis.rewrite_stage_text import Cell, Row, Staging, written
from cudalint.lint.analysis.rewrite_uniform import Names, names_of, plain
from cudalint.lint.analysis.trace import Access, AccessKind, CallEvent, ShapeSource, Space, Sync, Trace
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.model.expressions import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Const,
    Expr,
    IncDec,
    Index,
    Member,
    Storage,
    Symbol,
    Unary,
    Unknown,
    Var,
)
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import Asm, Decl, ExprStmt, For, If, Return, Stmt, Switch, UnknownStmt, While
from cudalint.lint.model.types import FloatType, IntType, PointerType
from cudalint.lint.model.walk import Node, children, terms, unwrapped, walk

WIDTHS = (32, 16, 8)
"""Elements of a row that a tile holds: as many as fit in shared memory."""
LONG = 64
"""Elements of a row from which on it is worth a tile, where their number is known."""
MOST_WARPS = 32
"""Warps of the largest block."""

_PURE = (Var, Const, Builtin, Unary, Binary, Cast, Index, Member, AddressOf)


def worth_staging(unit: Unit, site: Site) -> bool:
    """Whether the kernel of an access stores to rows in a loop: rows that are only loaded lose by being staged."""
    kernels = (k for k in unit.kernels if k.pattern == site.trace.kernel.pattern)
    return all(any(s.access.kind is AccessKind.STORE and s.loops for s in _wasteful(unit, k)) for k in kernels)


def stage_rows(unit: Unit, site: Site) -> Rewrite | None:
    """The edits that stage the rows which a kernel's threads walk, that of `site` among them, or None.

    All loops behind the same guard are edited at once, so that they share their tiles.
    """
    found: Rewrite | None = None
    for kernel in [k for k in unit.kernels if k.pattern == site.trace.kernel.pattern]:
        try:
            made = _one(unit, kernel, site)
        except NoFitError:
            return None
        if found is not None and made != found:
            return None
        found = made
    return found


def _one(unit: Unit, kernel: Function, site: Site) -> Rewrite:
    _refuse(kernel)
    names = names_of(kernel)
    wasteful = _wasteful(unit, kernel)
    own = _row(unit, kernel, names, site, wasteful)
    rows = [own]
    for other in wasteful:
        if not any(_within(other.span, r.loop.span) for r in rows):
            try:
                row = _row(unit, kernel, names, other, wasteful)
            except NoFitError:
                continue
            if row.guard.condition is own.guard.condition:
                rows.append(row)
    warps = _warps(unit, kernel)
    alone = replace(own, cells=tuple(c for c in own.cells if any(u.span == site.span for u in c.uses)))
    for chosen in (rows, [own], [alone]):
        for width in WIDTHS:
            staging = Staging(kernel, tuple(chosen), width, warps)
            if staging.bytes + _shared_already(unit, kernel) <= STATIC_LIMIT:
                return written(unit.program, staging)
    raise NoFitError("too large")


def _refuse(kernel: Function) -> None:
    """Raise `NoFitError` for a kernel whose warps or element types are not what its text says."""
    if kernel.template_args or kernel.body is None:
        raise NoFitError("template")
    for node in walk(kernel.body):
        if isinstance(node, Builtin) and node.name == "threadIdx" and node.axis != "x":
            raise NoFitError("more than one axis")
        if isinstance(node, Unknown | UnknownStmt | Asm):
            raise NoFitError("not understood")


def _wasteful(unit: Unit, kernel: Function) -> list[Site]:
    """The accesses of a kernel's own text that are worth staging, in source order."""
    own = [s for s in unit.once(global_sites) if s.trace.kernel.key == kernel.key and not s.access.calls]
    return [s for s in own if s.verdict is Verdict.BAD and of_record(s) is None]


def _warps(unit: Unit, kernel: Function) -> int:
    """Warps of the largest block; the largest there is where the block is not known."""
    warps = 0
    for shape in unit.shapes(kernel):
        if shape.source is ShapeSource.ASSUMED or not shape.block_known:
            warps = MOST_WARPS
        elif shape.block[1:] != (1, 1) or shape.block[0] % 32:
            raise NoFitError("block")
        else:
            warps = max(warps, shape.block[0] // 32)
    return warps


def _shared_already(unit: Unit, kernel: Function) -> int:
    """Bytes of shared memory that the kernel has; more than there is where its launch gives an unknown amount."""
    most = 0
    for trace in unit.traces(kernel):
        arrays = [o for o in trace.objects if o.space is Space.SHARED]
        given = trace.shape.shared_bytes or 0
        if not given and any(o.dynamic for o in arrays):
            return STATIC_LIMIT
        most = max(most, given + sum(o.size or 0 for o in arrays if not o.dynamic))
    return most


def _row(unit: Unit, kernel: Function, names: Names, site: Site, wasteful: Sequence[Site]) -> Row:
    """The loop around an access with the cells that it walks; raises `NoFitError` where it has another form."""
    assert kernel.body is not None
    if site.access.calls or site.span.macro is not None:
        raise NoFitError("not in the kernel's text")
    path = path_to(kernel.body, site.span)
    loops = [n for n in path if isinstance(n, For | While)]
    if not loops or not isinstance(loops[-1], For):
        raise NoFitError("no loop")
    loop = loops[-1]
    guard = guard_of(path[: path.index(loop) + 1], names)
    form = _Form(unit.program, names, loop)
    form.check(kernel)
    cells = form.cells([s.span for s in wasteful if _within(s.span, loop.span)])
    if not any(u.span == site.span for c in cells for u in c.uses):
        raise NoFitError("other index")
    for trace in unit.traces(kernel):
        _separate(trace, loop, cells)
    return Row(loop, form.counter, form.start, guard, tuple(cells))


def _within(place: Span, whole: Span) -> bool:
    return place.file == whole.file and whole.offset <= place.offset and place.end_offset <= whole.end_offset


@dataclass(slots=True)
class _Form:
    """Takes a loop over a row's elements apart."""

    program: TranslationUnit
    names: Names
    loop: For
    counter: Var = field(init=False)
    start: Expr = field(init=False)

    def check(self, kernel: Function) -> None:
        """Raise `NoFitError` unless the loop counts by one between bounds that all threads share."""
        loop = self.loop
        if loop.unroll or loop.span.macro is not None or b"#" in self._source():
            raise NoFitError("unrolled, or in a macro")
        match loop.condition:
            case Binary(op="<" | "<=", left=left, right=bound) if self.names.uniform(bound):
                counter = plain(left)
            case _:
                raise NoFitError("condition")
        if not isinstance(counter, Var):
            raise NoFitError("condition")
        self.counter = counter
        key = self.counter.symbol.key
        match loop.init:
            case (Decl(symbol=symbol, init=start),) if symbol.key == key and start is not None:
                self.start = start
            case (ExprStmt(expr=Assign(op="=", target=Var(symbol=symbol), value=start)),) if symbol.key == key:
                self.start = start
                self._only_in_loops(kernel)
            case _:
                raise NoFitError("init")
        if not self.names.uniform(self.start) or not self._by_one():
            raise NoFitError("start or step")
        if key in self._changed() or _leaves(loop.body) or self.counter.span.macro is not None:
            raise NoFitError("leaves or changes the counter")

    def _source(self) -> bytes:
        return self.program.files[self.loop.span.file][self.loop.span.offset : self.loop.span.end_offset]

    def _by_one(self) -> bool:
        match self.loop.step:
            case IncDec(op="++", target=Var(symbol=symbol)):
                return symbol.key == self.counter.symbol.key
            case Assign(op="+=", target=Var(symbol=symbol), value=value):
                by = plain(value)
                return symbol.key == self.counter.symbol.key and isinstance(by, Const) and by.value == 1
        return False

    def _only_in_loops(self, kernel: Function) -> None:
        """Refuse a counter that is read outside of loops that set it: it may not have been set in a piece."""
        assert kernel.body is not None
        key = self.counter.symbol.key
        inside: set[int] = set()
        for node in walk(kernel.body):
            match node:
                case For(init=(ExprStmt(expr=Assign(op="=", target=Var(symbol=symbol))),)) if symbol.key == key:
                    inside |= {id(n) for n in walk(node)}
        if any(isinstance(n, Var) and n.symbol.key == key and id(n) not in inside for n in walk(kernel.body)):
            raise NoFitError("counter is used elsewhere")

    def _changed(self) -> set[str]:
        """The variables that an iteration sets."""
        changed: set[str] = set()
        for node in walk(self.loop.body):
            match node:
                case Decl(symbol=symbol):
                    changed.add(symbol.key)
                case Assign(target=target) | IncDec(target=target) | AddressOf(operand=target, decay=False):
                    changed |= _root(target)
                case Call(receiver=receiver) if receiver is not None:
                    changed |= _root(receiver)
        return changed

    def cells(self, wanted: Sequence[Span]) -> list[Cell]:
        """The elements of rows that the loop accesses at the wanted places, each with all its uses."""
        taken = {id(n.operand) for n in walk(self.loop.body) if isinstance(n, AddressOf)}
        found: dict[tuple[str, str], Cell] = {}
        changed = self._changed()
        certain = set(map(id, _certain(self.loop.body)))
        for node in walk(self.loop.body):
            if not isinstance(node, Index) or node.span.macro is not None:
                continue
            index, buffer = self._index(node), self._buffer(node)
            if index is None or buffer is None or not self._fixed(node.base, changed) or id(node) in taken:
                continue
            text = " ".join(self.program.text(node.base.span).split()), "".join(self.program.text(index.span).split())
            cell = found.setdefault(text, Cell(node, index, buffer, self.names.uniform(node.base)))
            cell.uses.append(node)
        self._kinds(found.values(), certain)
        return [c for c in found.values() if c.fits and any(u.span in wanted for u in c.uses)]

    def _buffer(self, node: Index) -> Symbol | None:
        """The parameter that an element lies in, as an array of such elements."""
        root = self.names.root(node.base)
        if root is None or root.storage is not Storage.PARAM or root.key in self.names.changed:
            return None
        kind = root.type
        fits = (
            isinstance(kind, PointerType) and kind.pointee == node.type and not kind.reference and not kind.volatile
        )
        return root if fits else None

    def _index(self, node: Index) -> Expr | None:
        """The index as a sum with the counter as one term, through a variable of the iteration."""
        index = node.index
        bare = plain(index)
        if isinstance(bare, Var) and bare.symbol.key in self.names.values and bare.symbol.key in self._changed():
            index = self.names.values[bare.symbol.key]
        kind = unwrapped(index).type
        if not isinstance(kind, IntType) or kind.bits < 32 or index.span.macro is not None:
            return None
        if not isinstance(node.type, IntType | FloatType) or node.type.size > 8:
            return None
        parts = [plain(t) for t in terms(index, plain)]
        key = self.counter.symbol.key
        own = [p for p in parts if isinstance(p, Var) and p.symbol.key == key]
        rest = [p for p in parts if p not in own]
        fixed = all(self._fixed(p, self._changed()) for p in rest)
        return index if len(own) == 1 and len(rest) == len(parts) - 1 and fixed else None

    def _fixed(self, part: Expr, changed: set[str]) -> bool:
        """Whether a part of an access is the same in all iterations, and may be written twice."""
        for node in walk(part):
            if not isinstance(node, _PURE) or (isinstance(node, AddressOf) and not node.decay):
                return False
            if node.span.macro is not None and node.span.macro != self.program.text(node.span):
                return False
            if isinstance(node, Var) and (
                node.symbol.key in changed or node.symbol.key == self.counter.symbol.key or node.symbol.volatile
            ):
                return False
        return True

    def _kinds(self, cells: Iterable[Cell], certain: set[int]) -> None:
        """Note which cells are loaded and stored, and which of them in every iteration."""
        targets: dict[int, Assign | IncDec] = {}
        for node in walk(self.loop.body):
            if isinstance(node, Assign | IncDec):
                targets[id(node.target)] = node
        for cell in cells:
            stores = [u for u in cell.uses if id(u) in targets]
            whole = [
                targets[id(u)].span
                for u in stores
                if id(u) in certain and isinstance(t := targets[id(u)], Assign) and t.op == "="
            ]
            cell.stores = bool(stores)
            reads = [u for u in cell.uses if id(u) not in targets or targets[id(u)].span not in whole]
            cell.loads = any(not any(w.end_offset <= u.span.offset for w in whole) for u in reads)
            sure = any(id(u) in certain for u in (stores if stores else cell.uses))
            cell.fits = sure


def _root(target: Expr) -> set[str]:
    """The variable whose content an assignment changes, as far as it is one."""
    while True:
        match target:
            case Member(base=base, arrow=False) | Index(base=AddressOf(operand=base, decay=True)):
                target = base
            case Index(base=Var(symbol=symbol)) if not isinstance(symbol.type, PointerType):
                return {symbol.key}
            case Var(symbol=symbol):
                return {symbol.key}
            case _:
                return set()


def _leaves(body: Stmt) -> bool:
    """Whether an iteration can end early."""
    return any(isinstance(n, Return) for n in walk(body)) or breaks_out(body)


def _certain(node: Node) -> Iterator[Node]:
    """What every iteration evaluates."""
    yield node
    match node:
        case If(condition=condition):
            yield from _certain(condition)
        case Conditional(condition=condition):
            yield from _certain(condition)
        case Binary(op="&&" | "||", left=left):
            yield from _certain(left)
        case For() | While() | Switch():
            return
        case _:
            for part in children(node):
                yield from _certain(part)


def _separate(trace: Trace, loop: For, cells: Sequence[Cell]) -> None:
    """Raise `NoFitError` where anything in the loop but the cells' own uses meets what they move, or waits."""
    spans = {u.span: c for c in cells for u in c.uses}
    inside = [e for e in trace.events if _within(e.span, loop.span) or any(_within(c, loop.span) for c in e.calls)]
    if not trace.complete or any(isinstance(e, Sync) or (isinstance(e, CallEvent) and not e.known) for e in inside):
        raise NoFitError("waits, or is not understood")
    accesses = [e for e in inside if isinstance(e, Access)]
    objects: dict[int, set[int]] = {}
    for event in accesses:
        cell = spans.get(event.span)
        if cell is not None and not event.calls:
            trip = event.frames[-1].trip if event.frames else None
            if event.object.space is not Space.GLOBAL or event.volatile or (trip is not None and trip < LONG):
                raise NoFitError("short, volatile or not global")
            objects.setdefault(event.object.id, set()).add(id(cell))
    if not objects:
        raise NoFitError("not executed")
    stored = {e.object.id for e in accesses if e.kind is not AccessKind.LOAD}
    for event in accesses:
        moved = event.span in spans and not event.calls
        if event.kind is AccessKind.ATOMIC and event.object.id in objects:
            raise NoFitError("atomic")
        if event.object.id in stored & objects.keys() and (not moved or len(objects[event.object.id]) > 1):
            raise NoFitError("written elsewhere in the loop")
        if not moved and event.object.id in stored and any(_within(event.span, s) for s in spans):
            raise NoFitError("the row's place changes")
