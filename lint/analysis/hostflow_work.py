"""Work that host code puts on streams: which stream, and what of which buffers it reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property

from cudalint.lint.analysis.hosteffects import ApiCall, LaunchCall, Loop
from cudalint.lint.analysis.hostflow import HostFlow, is_default_stream
from cudalint.lint.analysis.hostflow_loops import is_fixed_in
from cudalint.lint.analysis.hoststate import symbolic
from cudalint.lint.analysis.hostvalues import PAGEABLE, Memory, Object, Pointer, Record, Value, integer, parts
from cudalint.lint.analysis.kernel_touch import ParameterTouch, parameter_touches
from cudalint.lint.model.expressions import Binary, Call, Cast, Const, Deref, Expr, Index, Var
from cudalint.lint.model.program import Function
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import PointerType, RecordType
from cudalint.lint.model.walk import only_value, uncast

PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
"""Where this macro is set, the default stream waits for no other."""
_STREAM_AT = {
    **dict.fromkeys(("cudaMemcpyAsync", "cudaMemcpy"), 4),
    **dict.fromkeys(("cudaMemsetAsync", "cudaMemset"), 3),
    **dict.fromkeys(("cudaMemcpy2DAsync", "cudaMemcpy2D"), 7),
    **dict.fromkeys(("cudaMemset2DAsync", "cudaMemset2D"), 5),
}
"""Calls that queue copies and fills, and the position of their stream (past the end: default)."""
ASYNC_COPIES = frozenset({"cudaMemcpyAsync", "cudaMemcpy2DAsync"})
"""Copies that do not make the host wait, unless the memory that they write can be paged out."""
_POINTERS_AT = {
    **dict.fromkeys(("cudaMemcpyAsync", "cudaMemcpy"), (0, 1)),
    **dict.fromkeys(("cudaMemcpy2DAsync", "cudaMemcpy2D"), (0, 2)),
}
"""Where a copy has its target and its source; a fill has a target, its first argument."""
_WIDTH_AT = {"cudaMemcpy2DAsync": 4, "cudaMemcpy2D": 4, "cudaMemset2DAsync": 3, "cudaMemset2D": 3}
"""Where calls for rows have the bytes of one row: of the others, only that they come later is known."""
_MAKERS = ("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate")
BUFFERS = frozenset({Memory.DEVICE, Memory.DEVICE_ASYNC, Memory.MANAGED, Memory.PINNED})
"""Memory whose identity is known: two pointers to different ones never meet."""


class StreamKind(Enum):
    """How a stream relates to the legacy default stream."""

    DEFAULT = auto()
    BLOCKING = auto()
    NONBLOCKING = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream. `key` tells created ones apart: the object, and the element where one object stands for many.

    `varies` is the loop whose counter picks the stream from an array.
    """

    kind: StreamKind
    key: tuple[int, int | None] | None = None
    name: str = "the default stream"
    varies: Loop | None = None

    @property
    def created(self) -> bool:
        """Whether it is known to be a stream that this program made."""
        return self.kind in {StreamKind.BLOCKING, StreamKind.NONBLOCKING}


@dataclass(frozen=True, slots=True)
class Touch:
    """What a piece of work reads or writes: `bytes` from `place` on, or (None) elements of a kernel's choice.

    `first`: the byte at `place` is surely among them. `atomic` writes are in order among themselves.
    """

    place: Pointer
    bytes: Value | None
    writes: bool
    first: bool
    atomic: bool = False

    @property
    def whole(self) -> bool:
        """Whether all of the buffer is touched."""
        known = self.bytes is not None and self.bytes == self.place.object.bytes
        return known and not self.place.path and self.place.offset == 0

    def meets(self, other: Touch) -> bool:
        """Whether the two surely share a byte."""
        if self.place.object is not other.place.object or (self.atomic and other.atomic):
            return False
        if self.whole or other.whole or (self.place == other.place and self.first and other.first):
            return True
        a, n = integer(self.place.offset), integer(self.bytes)
        b, m = integer(other.place.offset), integer(other.bytes)
        if self.place.path or other.place.path or a is None or n is None or b is None or m is None:
            return False
        return a < b + m and b < a + n


@dataclass(frozen=True, eq=False, slots=True)
class Work:
    """A launch, copy or fill on a stream. `complete` when `objects` are all that it can reach."""

    item: LaunchCall | ApiCall
    name: str
    stream: Stream
    touches: tuple[Touch, ...]
    objects: frozenset[Object]
    complete: bool

    @property
    def span(self) -> Span:
        """Where it is queued."""
        return self.item.span


@dataclass(eq=False)
class StreamWork:
    """Makes works of effects; knows the streams of a unit."""

    flow: HostFlow
    _kernels: dict[str, dict[tuple[str, ...], frozenset[ParameterTouch]]] = field(default_factory=dict)
    _around: tuple[Loop, ...] = ()

    @cached_property
    def per_thread(self) -> bool:
        """Whether the default stream is one per thread."""
        program = self.flow.program
        return any(PER_THREAD in flag for flag in program.flags) or any(
            PER_THREAD.encode() in data for data in program.files.values()
        )

    @cached_property
    def _made(self) -> dict[Object, ApiCall]:
        """The call that made each stream."""
        return {call.made: call for _, call in self.flow.calls(*_MAKERS) if call.made is not None}

    @cached_property
    def _made_in(self) -> dict[Object, tuple[Loop, ...]]:
        """The loops around the call that made an object: outside of them it stands for many."""
        return {call.made: visit.loops for visit, call in self.flow.calls() if call.made is not None and visit.loops}

    @cached_property
    def _exchanges(self) -> bool:
        """Whether messages are exchanged, which may be in device memory."""
        return any(call.name.startswith("MPI_") for _, call in self.flow.calls())

    def _several(self, thing: Object) -> bool:
        return any(loop not in self._around for loop in self._made_in.get(thing, ()))

    def work(self, item: LaunchCall | ApiCall, loops: Sequence[Loop], function: Function) -> Work | None:
        """What an effect queues, in a function and the loops around it; None when it queues nothing known."""
        self._around = tuple(loops)
        loop = loops[-1] if loops else None
        if isinstance(item, LaunchCall):
            stream = self._stream(item.stream, item.launch.stream, loop, function)
            touches = tuple(self._kernel_touches(item))
            return Work(item, f"`{item.launch.kernel}`", stream, touches, *self._reach(item))
        if item.name not in _STREAM_AT:
            return None
        at = _STREAM_AT[item.name]
        given = at < len(item.args)
        value, expr = (item.args[at], item.call.args[at]) if given else (0, None)
        touches = tuple(t for t in _copy_touches(item) if self._known(t.place))
        pointers = [item.args[i] for i in _POINTERS_AT.get(item.name, (0,)) if i < len(item.args)]
        objects = frozenset(a.object for a in pointers if isinstance(a, Pointer))
        complete = all(isinstance(a, Pointer) and self._told_apart(a) for a in pointers)
        return Work(item, f"`{item.name}`", self._stream(value, expr, loop, function), touches, objects, complete)

    # -- streams -------------------------------------------------------------------------------

    def stream(self, value: Value) -> Stream:
        """The stream that a call names."""
        return self._stream(value, None, None, self.flow.host.roots[0].function)

    def _stream(self, value: Value, expr: Expr | None, loop: Loop | None, function: Function) -> Stream:
        if is_default_stream(value):
            return Stream(StreamKind.DEFAULT if value in (0, 1) else StreamKind.UNKNOWN)
        made = self._made.get(value.object) if isinstance(value, Pointer) else None
        if made is None or not isinstance(value, Pointer):
            return Stream(StreamKind.UNKNOWN)
        several = self._several(value.object)
        flags = 0 if made.name == "cudaStreamCreate" else integer(made.args[1] if len(made.args) > 1 else None)
        kind = {0: StreamKind.BLOCKING, 1: StreamKind.NONBLOCKING}.get(-1 if flags is None else flags)
        index = _index(expr, function)
        element = int(index.value) if isinstance(index, Const) and isinstance(index.value, int) and several else None
        varies = loop if several and loop is not None and _picked_by(index, loop) else None
        name = f"`{value.object.name}`"
        return Stream(kind or StreamKind.UNKNOWN, (value.object.id, element), name, varies)

    # -- buffers -------------------------------------------------------------------------------

    def _told_apart(self, place: Pointer) -> bool:
        return self._known(place) or (place.object.kind in PAGEABLE and not self._several(place.object))

    def _known(self, place: Pointer) -> bool:
        """Whether a pointer leads into one buffer that this program made."""
        pinned = place.object.registered and place.object.kind is not Memory.UNKNOWN
        return (place.object.kind in BUFFERS or pinned) and not self._several(place.object)

    def _kernel_touches(self, item: LaunchCall) -> Iterator[Touch]:
        kernel = self.flow.kernel(item)
        if kernel is None or kernel.body is None or len(kernel.params) != len(item.args):
            return
        wanted = [
            ((param.key, *path), place)
            for param, value in zip(kernel.params, item.args, strict=True)
            for path, place in _pointers_in(value)
            if self._matters(place)
        ]
        if wanted and kernel.key not in self._kernels:
            self._kernels[kernel.key] = parameter_touches(self.flow.program, kernel)
        for key, value in wanted:
            for touch in self._kernels[kernel.key].get(key, ()):
                yield Touch(value, None, touch.writes, touch.first, touch.atomic)

    def _matters(self, value: Pointer) -> bool:
        """Whether another stream of the program, or the host, can meet a kernel at what it is given."""
        if not self._known(value):
            return False
        return bool(self._made) or self._exchanges or value.object.kind in {Memory.MANAGED, Memory.PINNED}

    def _reach(self, item: LaunchCall) -> tuple[frozenset[Object], bool]:
        """Every object that a kernel's arguments lead to, and whether these are all."""
        kernel = self.flow.kernel(item)
        objects = {p.object for a in item.args for p in parts(a) if isinstance(p, Pointer)}
        plain = kernel is not None and len(kernel.params) == len(item.args)
        for param, value in zip(kernel.params if kernel is not None else (), item.args, strict=False):
            opaque = isinstance(param.type, RecordType) or (
                isinstance(param.type, PointerType) and not (isinstance(value, Pointer) and self._known(value))
            )
            plain = plain and not opaque
        return frozenset(objects), plain


def _pointers_in(value: Value) -> Iterator[tuple[tuple[str, ...], Pointer]]:
    """The pointers that a kernel is given, as such or as members of a structure, with the members' names."""
    fields = value.fields if isinstance(value, Record) else (((), value),)
    for path, held in fields:
        names = tuple(step for step in path if isinstance(step, str))
        if isinstance(held, Pointer) and len(names) == len(path):
            yield names, held


def _copy_touches(call: ApiCall) -> Iterator[Touch]:
    """The ranges that copies and fills read and write; the first row where there are several."""
    at = _WIDTH_AT.get(call.name, 2)
    size = call.args[at] if len(call.args) > at else None
    for position, writes in zip(_POINTERS_AT.get(call.name, (0,)), (True, False), strict=False):
        value = call.args[position] if position < len(call.args) else None
        if isinstance(value, Pointer) and size is not None and size != 0:
            yield Touch(value, size, writes, first=True)


def _index(expr: Expr | None, function: Function) -> Expr | None:
    """The index under which a stream is taken from an array, also through a local variable that is set once."""
    while isinstance(expr, (Cast, Deref)):
        expr = expr.operand if isinstance(expr, Cast) else expr.pointer
    if isinstance(expr, Var):
        return _index(only_value(expr, function.body), function)
    if isinstance(expr, Index):
        index = expr.index
    elif isinstance(expr, Call) and expr.name == "operator[]" and expr.args:
        index = expr.args[-1]
    else:
        return None
    return uncast(index)


def _picked_by(index: Expr | None, loop: Loop) -> bool:
    """Whether an index is a loop's counter, or its remainder: then the next iteration has another one."""
    if isinstance(index, Binary) and index.op == "%":
        index = uncast(index.left)
    return isinstance(index, Var) and loop.variable is not None and index.symbol.name == loop.variable.name


def is_fixed(touch: Touch, loop: Loop) -> bool:
    """Whether every iteration of a loop touches the same place."""
    return is_fixed_in(touch.place, loop) and not symbolic(touch.place.path)
