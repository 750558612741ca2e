"""What functions outside the unit do, as far as host flow needs it: allocation, containers, arithmetic."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from cudalint.lint.analysis.hostdevice import Device
from cudalint.lint.analysis.hosteffects import ApiCall, Store
from cudalint.lint.analysis.hostloops import COPY_OUT
from cudalint.lint.analysis.hoststate import State
from cudalint.lint.analysis.hostvalues import AtomKind, Memory, Object, Path, Pointer, Record, Value, parts
from cudalint.lint.model.expressions import AddressOf, Call, Cast, Deref, Expr, Index, Member, Var
from cudalint.lint.model.source import NOWHERE
from cudalint.lint.model.types import IntType, OpaqueType, PointerType, RecordType, Type
from cudalint.lint.model.walk import uncast


@dataclass(frozen=True, slots=True)
class Maker:
    """A function that allocates: through argument `out` (None: as its result), of the product of `sizes`."""

    kind: Memory
    out: int | None
    sizes: tuple[int, ...] = ()


def _resources(*names: str, out: int = 0) -> dict[str, Maker]:
    return {name: Maker(Memory.RESOURCE, out) for name in names}


MAKERS: dict[str, Maker] = {
    "cudaMalloc": Maker(Memory.DEVICE, 0, (1,)),
    "cuMemAlloc": Maker(Memory.DEVICE, 0, (1,)),
    "cuMemAlloc_v2": Maker(Memory.DEVICE, 0, (1,)),
    "cudaMallocPitch": Maker(Memory.DEVICE, 0, (2, 3)),
    "cudaMalloc3D": Maker(Memory.DEVICE, 0),
    "cudaMallocArray": Maker(Memory.DEVICE, 0),
    "cudaMalloc3DArray": Maker(Memory.DEVICE, 0),
    "cudaMallocMipmappedArray": Maker(Memory.DEVICE, 0),
    "cudaMallocAsync": Maker(Memory.DEVICE_ASYNC, 0, (1,)),
    "cudaMallocFromPoolAsync": Maker(Memory.DEVICE_ASYNC, 0, (1,)),
    "cudaMallocManaged": Maker(Memory.MANAGED, 0, (1,)),
    "cudaMallocHost": Maker(Memory.PINNED, 0, (1,)),
    "cudaHostAlloc": Maker(Memory.PINNED, 0, (1,)),
    "cuMemAllocHost": Maker(Memory.PINNED, 0, (1,)),
    "cuMemHostAlloc": Maker(Memory.PINNED, 0, (1,)),
    "malloc": Maker(Memory.MALLOC, None, (0,)),
    "calloc": Maker(Memory.MALLOC, None, (0, 1)),
    "realloc": Maker(Memory.MALLOC, None, (1,)),
    "aligned_alloc": Maker(Memory.MALLOC, None, (1,)),
    "memalign": Maker(Memory.MALLOC, None, (1,)),
    "_mm_malloc": Maker(Memory.MALLOC, None, (0,)),
    "strdup": Maker(Memory.MALLOC, None),
    "posix_memalign": Maker(Memory.MALLOC, 0, (2,)),
    **_resources("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate"),
    **_resources("cudaEventCreate", "cudaEventCreateWithFlags", "cuEventCreate"),
    **_resources("cublasXtCreate", "cusolverSpCreate", "curandCreateGeneratorHost"),
    **_resources("cublasCreate", "cublasCreate_v2", "cublasLtCreate", "cusparseCreate", "cudnnCreate"),
    **_resources("cusolverDnCreate", "curandCreateGenerator", "cufftCreate", "cufftPlan1d", "cufftPlan2d"),
    **_resources("cufftPlan3d", "cufftPlanMany", "cudaGraphCreate", "cudaGraphInstantiate"),
    **_resources("cudaCreateTextureObject", "cudaCreateSurfaceObject"),
}
"""Functions that make memory or a handle. cudaMallocPitch: width in bytes times height, without padding."""

LEAVES = frozenset({"exit", "abort", "_exit", "_Exit", "quick_exit", "terminate", "__assert_fail", "err", "errx"})
"""Functions that do not return."""

_NUMERIC = {
    "min": "min",
    "max": "max",
    "fmin": "min",
    "fmax": "max",
    "fminf": "min",
    "fmaxf": "max",
    "ceil": "ceil",
    "ceilf": "ceil",
    "floor": "floor",
    "floorf": "floor",
    "round": "round",
    "roundf": "round",
    "sqrt": "sqrt",
    "sqrtf": "sqrt",
    "log2": "log2",
    "log2f": "log2",
    "pow": "pow",
    "powf": "pow",
    "abs": "abs",
    "fabs": "abs",
}
_SAME = frozenset({"move", "forward", "raw_pointer_cast", "addressof", "as_const", "launder", "assume_aligned"})
_READS_ONLY = frozenset(
    {
        "printf",
        "fprintf",
        "puts",
        "putchar",
        "fputs",
        "fwrite",
        "fflush",
        "fclose",
        "strcmp",
        "strncmp",
        "memcmp",
        "strlen",
        "atoi",
        "atol",
        "atof",
        "free",
        "delete",
        "cudaFree",
        "cudaFreeHost",
        "cudaMemcpyToSymbol",
        "usleep",
        "sleep",
        "srand",
        "rand",
    }
)
_COPIES = frozenset({"memset", "memcpy", "memmove"})
_VECTORS = ("std::vector", "thrust::host_vector", "thrust::device_vector", "std::array")
_SIZED = frozenset({"resize", "assign", "reserve", "push_back", "emplace_back", "clear", "insert", "pop_back"})
_CLOCK_FIELDS = ("tv_sec", "tv_usec", "tv_nsec")
_QUIET_PREFIXES = ("operator", "make_")
_AXES = "xyzw"


class Library(Device):
    """Models of functions whose body is not in the unit."""

    @abstractmethod
    def record(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> ApiCall:
        """Note the call."""

    @abstractmethod
    def made_by(self, made: Object, event: ApiCall) -> None:
        """Remember which call made an object."""

    @abstractmethod
    def leave_process(self, call: Call, state: State) -> None:
        """The call does not return."""

    def external(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> Value:
        """The effect and result of a call outside the unit."""
        simple = self._value_call(call, args, receiver, state)
        if simple is None:
            simple = self.text_call(call, args, receiver, state)
        if simple is not None:
            return simple
        if call.name.startswith(_QUIET_PREFIXES) and call.name != "operator()":
            return self._operator_call(call, args, receiver, state)
        event = self.record(call, args, receiver, state)
        for arg in args:
            self.use(arg)
        maker = MAKERS.get(call.name)
        if maker is not None and call.receiver is None:
            return self._make(maker, event, args, state)
        if call.name == "swap" and len(args) == 2 and self._swap(call, args, state):
            return 0
        self._side_effects(event, args, receiver, state)
        if call.name in LEAVES:
            self.leave_process(call, state)
        return self._result_pointer(call) or event.result

    def _operator_call(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> Value:
        """An overloaded operator, or a small maker, of a library: not worth an event."""
        if "thrust" in call.qualified:
            self.record(call, args, receiver, state).used = True
        if call.name == "operator-" and args:
            whole = (receiver, *args) if receiver is not None else args
            self.subtracted(self._content(whole[0], state), self._content(whole[-1], state))
        for arg in args:
            self.use(arg)
        return self._result_pointer(call) or self.values.fresh(AtomKind.READ, call.name)

    def _side_effects(self, event: ApiCall, args: tuple[Value, ...], receiver: Value | None, state: State) -> None:
        """What a call does to memory that its arguments lead to."""
        if event.name == "cudaHostRegister" and args and isinstance(args[0], Pointer):
            args[0].object.registered = True
        if event.name not in _READS_ONLY:
            self._lose_arguments(event.call, args, receiver, state)
        self.asked(event.name, args, state)
        if event.is_timer:
            self._read_clock(event, args, state)
        if event.name in COPY_OUT and args and isinstance(args[0], Pointer):
            self.copied_to.add(args[0].object)

    def _content(self, value: Value, state: State) -> Value:
        """What a reference argument refers to."""
        if isinstance(value, Pointer) and value.object.kind is Memory.STACK and value.object.type is not None:
            cells = state.cells.get(value.object, {})
            return cells.get(_path(value), value)
        return value

    def _read_clock(self, event: ApiCall, args: tuple[Value, ...], state: State) -> None:
        """A clock that is read into a structure: each of its fields is a reading."""
        for arg in args:
            if isinstance(arg, Pointer):
                for name in _CLOCK_FIELDS:
                    self.store(state, Pointer(arg.object, (*_path(arg), name)), event.result)

    def _result_pointer(self, call: Call) -> Value | None:
        if isinstance(call.type, PointerType):
            return Pointer(self.object(Memory.UNKNOWN, call.name, api=call.name, site=call.span))
        return None

    def _lose_arguments(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> None:
        skip = 1 if call.name in _COPIES or call.name.startswith("cudaMemcpy") else None
        for position, arg in enumerate(args):
            if position != skip:
                self.lose(arg, state, call.name)
        if isinstance(receiver, Pointer) and not call.arrow:
            self.lose(receiver, state, call.name)

    def lose(self, value: Value, state: State, name: str = "") -> None:
        """Something unknown was given this pointer: what it leads to is no longer known."""
        if not isinstance(value, Pointer) or value.object in self.command_line:
            return
        path = _path(value)
        for cell, held in state.cells.get(value.object, {}).items():
            if cell[: len(path)] == path and isinstance(held, Pointer) and held.object.api:
                outside = Pointer(self.object(Memory.UNKNOWN, name))
                self.items.append(Store(outside, held, None, NOWHERE, self.frame.function.key))
        self.forget(state, value)
        of = value.object.type
        if isinstance(of, IntType) and not value.path and value.offset == 0:
            self.store(state, value, self.values.fresh(AtomKind.READ, name or value.object.name))

    # -- allocation ----------------------------------------------------------------------------

    def _make(self, maker: Maker, event: ApiCall, args: tuple[Value, ...], state: State) -> Value:
        size: Value | None = None
        for index in maker.sizes:
            if index < len(args):
                size = args[index] if size is None else self.values.op("*", size, args[index])
        made = self.object(
            maker.kind,
            "",
            api=event.name,
            bytes=size,
            site=event.span,
            function=event.function,
            type=self._pointee(event.call, maker),
        )
        event.made = made
        self.made_by(made, event)
        if maker.out is None:
            return Pointer(made)
        out = args[maker.out] if maker.out < len(args) else None
        if isinstance(out, Pointer) and event.name == "cudaMalloc3D":
            out = Pointer(out.object, (*_path(out), "ptr"))
        if isinstance(out, Pointer):
            made.name = _spelled(event.call.args[maker.out])
            event.out = out
            self.keep(out, Pointer(made), event.span, state)
        for index, arg in enumerate(args):
            if index != maker.out and index not in maker.sizes:
                self.lose(arg, state, event.name)
        return event.result

    @staticmethod
    def _pointee(call: Call, maker: Maker) -> Type | None:
        if maker.out is None or maker.out >= len(call.args):
            return None
        arg: Expr = call.args[maker.out]
        arg = uncast(arg)
        of = arg.type
        if isinstance(of, PointerType) and isinstance(of.pointee, PointerType):
            return of.pointee.pointee
        return None

    def _swap(self, call: Call, args: tuple[Value, ...], state: State) -> bool:
        a, b = args
        if not isinstance(a, Pointer) or not isinstance(b, Pointer):
            return False
        of = _referred(call.args[0])
        one, two = self.load(state, a, of), self.load(state, b, of)
        self.keep(a, two, call.span, state)
        self.keep(b, one, call.span, state)
        return True

    # -- values --------------------------------------------------------------------------------

    def _value_call(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> Value | None:
        """Calls that only compute: None when the call is none of them."""
        name = call.name
        if call.constructor:
            return self._construct(call, args, receiver, state)
        if name in _NUMERIC and args:
            numbers = [self._scalar(v, e, state) for v, e in zip(args, call.args, strict=False)]
            return self.values.op(_NUMERIC[name], *numbers[:2])
        if name in _SAME and len(args) == 1:
            if name == "raw_pointer_cast" or isinstance(call.type, PointerType):
                return args[0]
            return self._scalar(args[0], call.args[0], state)
        if name.startswith("make_") and isinstance(call.type, RecordType):
            return Record(tuple(((axis,), v) for axis, v in zip(_AXES, args, strict=False)))
        if isinstance(receiver, Pointer) and call.receiver is not None:
            of = _object_type(call.receiver, arrow=call.arrow)
            if _is_container(of, call):
                return self._container_call(call, args, receiver, of, state)
            if name in {"get", "release"} and not args:
                return self._smart(receiver, call, state)
        return None

    def _scalar(self, value: Value, expr: Expr, state: State) -> Value:
        """The number behind a reference argument."""
        if isinstance(value, Pointer) and isinstance(expr, AddressOf):
            return self.load(state, value, expr.operand.type)
        if isinstance(value, Pointer) and isinstance(expr.type, PointerType) and expr.type.reference:
            return self.load(state, value, expr.type.pointee)
        return value

    def _smart(self, receiver: Pointer, call: Call, state: State) -> Value:
        return self.load(state, Pointer(receiver.object, (*_path(receiver), "#held")), call.type)

    def _construct(self, call: Call, args: tuple[Value, ...], into: Value | None, state: State) -> Value | None:
        of = call.type
        name = of.name if isinstance(of, (RecordType, OpaqueType)) else ""
        if name == "dim3":
            if len(args) == 1 and isinstance(args[0], (Record, Pointer)):
                return self._copied(args[0], call.args[0], of, state)
            filled = [*args, 1, 1, 1][:3]
            return Record(tuple(((axis,), v) for axis, v in zip(_AXES, filled, strict=False)))
        if _is_container(of, call):
            return self._construct_container(call, args, into, state)
        if len(args) == 1 and _same_record(call):
            return self._copied(args[0], call.args[0], of, state)
        if name.startswith(("std::unique_ptr", "unique_ptr", "std::shared_ptr", "shared_ptr")) and args:
            return Record(((("#held",), args[0]),))
        text = self.constructed_text(of, args, state)
        if text is not None:
            return text
        if name.startswith(("std::", "thrust::")):
            held = [self._scalar(v, e, state) for v, e in zip(args, call.args, strict=False)]
            for value in held:
                self.use(value)
            return Record(tuple(((f"#{at}",), v) for at, v in enumerate(held) if isinstance(v, Pointer)))
        return None

    def _construct_container(self, call: Call, args: tuple[Value, ...], into: Value | None, state: State) -> Value:
        of = call.type
        place = into if isinstance(into, Pointer) else self.temporary(0, of, state)
        self.store(state, place, Record(()))
        made = self._container(place, of, state, call)
        if args and isinstance(call.args[0].type, IntType):
            self.store(state, _size_place(place), args[0])
        if "thrust" in _type_name(of):
            event = self.record(call, args, place, state)
            event.used = True
            event.made = made if args and made.kind is Memory.DEVICE else None
        return self.load(state, place, of) if isinstance(of, RecordType) else Record(())

    def _copied(self, value: Value, expr: Expr, of: Type, state: State) -> Value:
        if isinstance(value, Pointer):
            return self.load(state, value, of)
        return value if not isinstance(expr, AddressOf) else self.values.fresh()

    # -- containers ----------------------------------------------------------------------------

    def _container(self, place: Pointer, of: Type, state: State, call: Call) -> Object:
        """The buffer of a std::vector and its kin, made when it is first asked for."""
        data = Pointer(place.object, (*_path(place), "#data"))
        found = state.cells.get(data.object, {}).get(data.path)
        if isinstance(found, Pointer):
            return found.object
        made = self.object(
            _container_kind(of, call),
            ".".join([place.object.name or "vector", *(str(s) for s in place.path)]),
            api=_type_name(of) or "std::vector",
            site=call.span,
            function=self.frame.function.key,
        )
        self.store(state, data, Pointer(made))
        return made

    def _container_call(
        self, call: Call, args: tuple[Value, ...], receiver: Pointer, of: Type, state: State
    ) -> Value | None:
        name = call.name
        made = self._container(receiver, of, state, call)
        if name in {"data", "begin", "c_str", "cbegin"}:
            return Pointer(made)
        if name in {"end", "cend"}:
            return Pointer(made, (), self.values.fresh())
        if name in {"operator[]", "at"} and args:
            size = call.type.pointee.size if isinstance(call.type, PointerType) else call.type.size
            place = self.moved(Pointer(made), self._scalar(args[0], call.args[0], state), size)
            if made.kind is not Memory.DEVICE:
                self.touched(place, call, write=False)
            return place if isinstance(call.type, PointerType) else self.load(state, place, call.type)
        if name == "size" and not args:
            return self.load(state, _size_place(receiver), call.type)
        if name == "empty" and not args:
            return self.values.op("==", self.load(state, _size_place(receiver), call.type), 0)
        return self._resize(call, args, receiver, made, state) if name in _SIZED else None

    def _resize(self, call: Call, args: tuple[Value, ...], receiver: Pointer, made: Object, state: State) -> Value:
        """A container changes its size, or takes something in."""
        if made.kind is Memory.DEVICE and args:
            event = self.record(call, args, receiver, state)
            event.made, event.used = made, True
        fixed = call.name in {"resize", "assign"} and args and isinstance(call.args[0].type, IntType)
        for arg in args:
            self.use(arg)
            if any(isinstance(p, Pointer) for p in parts(arg)):
                self.items.append(Store(Pointer(made), arg, None, call.span, self.frame.function.key))
        if call.name != "reserve":
            size_now = args[0] if fixed else self.values.fresh(AtomKind.READ, f"{receiver.object.name}.size()")
            self.store(state, _size_place(receiver), size_now)
        return self.values.fresh()


def _path(place: Pointer) -> Path:
    return place.path if place.offset == 0 else (*place.path, place.offset)


def _size_place(place: Pointer) -> Pointer:
    return Pointer(place.object, (*_path(place), "#size"))


def _type_name(of: Type) -> str:
    return of.name if isinstance(of, (RecordType, OpaqueType)) else ""


def _object_type(expr: Expr, *, arrow: bool) -> Type:
    of = expr.type
    return of.pointee if isinstance(of, PointerType) and (arrow or of.reference) else of


def _is_container(of: Type, call: Call) -> bool:
    name = _type_name(of)
    base = name.split("<")[0]
    named = base in _VECTORS or base in {"vector", "device_vector", "host_vector"}
    return named or call.qualified.startswith(_VECTORS)


def _container_kind(of: Type, call: Call) -> Memory:
    """How a container's buffer is allocated: an allocator that is not the standard's is not known."""
    name = _type_name(of) or call.qualified
    if "device_vector" in name:
        return Memory.DEVICE
    if "array" in name.split("<")[0]:
        return Memory.STACK
    inner = name.partition("<")[2]
    depth = 0
    for position, letter in enumerate(inner):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and depth == 0:
            standard = inner[position + 1 :].strip().startswith(("std::allocator", "allocator"))
            return Memory.VECTOR if standard else Memory.UNKNOWN
    return Memory.VECTOR


def _same_record(call: Call) -> bool:
    of = call.args[0].type
    while isinstance(of, PointerType):
        of = of.pointee
    return isinstance(of, RecordType) and isinstance(call.type, RecordType) and of.key == call.type.key


def _referred(expr: Expr) -> Type:
    if isinstance(expr, AddressOf):
        return expr.operand.type
    if isinstance(expr.type, PointerType) and expr.type.reference:
        return expr.type.pointee
    return expr.type


def _spelled(expr: Expr) -> str:
    """A short name of the place that an out-argument names: `d_x`, `slot.dev`, `d[i]`."""
    while isinstance(expr, (Cast, AddressOf, Deref)):
        expr = expr.pointer if isinstance(expr, Deref) else expr.operand
    match expr:
        case Var(symbol=symbol):
            return symbol.name
        case Member(base=base, field=name, arrow=arrow):
            outer = _spelled(base)
            return f"{outer}{'->' if arrow else '.'}{name}" if outer and outer != "this" else name
        case Index(base=base):
            return f"{_spelled(base)}[…]"
        case _:
            return getattr(expr, "name", "") or "the allocation"
