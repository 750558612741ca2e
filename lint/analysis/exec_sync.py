"""Barriers, fences, shuffles, votes, asynchronous copies and inline assembly of the executor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_calls import NOTHING, Intrinsic, bytes_at
from cudalint.lint.analysis.exec_expr import as_pointer, place, poke, store
from cudalint.lint.analysis.exec_lanes import WARP
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_memory import SharedObj
from cudalint.lint.analysis.exec_values import (
    BOOL,
    EXACT,
    I32,
    LOADED,
    U32,
    UNKNOWN,
    Array,
    Ptr,
    Rec,
    Val,
    Value,
    dtype_of,
    fit,
    truth,
)
from cudalint.lint.analysis.trace import AccessKind, SyncKind
from cudalint.lint.model.expressions import Call, Expr
from cudalint.lint.model.statements import Asm
from cudalint.lint.model.types import ArrayType, PointerType, VoidType

FULL = 0xFFFFFFFF


def _as_result(expr: Call, data: Any, taint: int) -> Value:
    dt = dtype_of(expr.type) or I32
    return Val(fit(data, dt), dt, taint)


# -- barriers --------------------------------------------------------------------------------------------------


def _block_barrier(m: Machine, expr: Call) -> Value:
    m.record.sync(m, SyncKind.BLOCK, expr.name, expr.span)
    return NOTHING


def _counting_barrier(m: Machine, expr: Call) -> Value:
    """__syncthreads_count, _and, _or: the same result for the whole block."""
    value = truth(m.eval(expr.args[0]))
    m.record.sync(m, SyncKind.BLOCK, expr.name, expr.span)
    bits = m.lanes.spread(value.data, BOOL)
    active = np.broadcast_to(m.mask.bits, m.lanes.shape)
    how = expr.name.rsplit("_", 1)[-1]
    if how == "and":
        data: Array = (bits | ~active).all(axis=1, keepdims=True)
    elif how == "or":
        data = (bits & active).any(axis=1, keepdims=True)
    else:
        data = (bits & active).sum(axis=1, keepdims=True)
    result: Any = data[0, 0].item() if (data == data[0]).all() else data
    # Reduced over the block, the result is the same for all its threads, though not known.
    taint = value.taint if not value.taint & LOADED else (value.taint & ~LOADED) | 2
    return _as_result(expr, result, taint)


def _warp_barrier(m: Machine, expr: Call) -> Value:
    members = m.number(expr.args[0]) if expr.args else None
    m.record.sync(m, SyncKind.WARP, expr.name, expr.span, _unless_full(members), WARP)
    return NOTHING


def _unless_full(members: Val | None) -> Val | None:
    """The mask argument of a warp operation, None when it names all lanes."""
    if members is None or (isinstance(members.data, int) and members.data & FULL == FULL):
        return None
    return Val(fit(members.data, U32), U32, members.taint)


def _fence(scope: str) -> Intrinsic:
    def handler(m: Machine, expr: Call) -> Value:
        m.record.sync(m, SyncKind.FENCE, expr.name, expr.span, scope=scope)
        return NOTHING

    return handler


def _named_barrier(m: Machine, expr: Call) -> Value:
    for arg in expr.args:
        m.eval(arg)
    m.record.sync(m, SyncKind.NAMED, expr.name, expr.span)
    return NOTHING if isinstance(expr.type, VoidType) else m.unknown_value(expr.type)


# -- shuffles and votes ----------------------------------------------------------------------------------------


def _shuffle(m: Machine, expr: Call) -> Value:
    synced = expr.name.endswith("_sync")
    args = list(expr.args)
    members = m.number(args.pop(0)) if synced else None
    value = m.eval(args[0])
    by = m.number(args[1])
    width = m.number(args[2]) if len(args) > 2 else Val(WARP, I32)
    size = width.data if isinstance(width.data, int) and width.data > 0 else WARP
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, _unless_full(members), size)
    how = expr.name.removesuffix("_sync").removeprefix("__shfl").strip("_") or "idx"
    return shuffled(m, value, by, how, size)


def shuffled(m: Machine, value: Value, by: Val, how: str, width: int) -> Value:
    """The value of another lane of the same warp; `how` is idx, up, down or xor."""
    if isinstance(value, Rec):
        return Rec({off: shuffled(m, cell, by, how, width) for off, cell in value.cells.items()}, value.taint)
    if not isinstance(value, Val):
        return value
    taint = value.taint | by.taint
    data = value.data
    if not isinstance(data, np.ndarray) or data.shape[1] == 1:
        return Val(data, value.dt, taint)
    lane = m.lanes.lane
    shift = fit(by.data, np.dtype(np.int64))
    base = lane // width * width
    if how == "idx":
        source = base + shift % width
    elif how == "xor":
        source = lane ^ shift
        source = np.where(source < base + width, source, lane)
    elif how == "up":
        source = np.where(lane - shift >= base, lane - shift, lane)
    else:
        source = np.where(lane + shift < base + width, lane + shift, lane)
    threads = m.lanes.threads
    position = np.minimum(m.lanes.thread - lane + source, threads - 1)
    rows = max(data.shape[0], position.shape[0])
    taken = np.take_along_axis(
        np.broadcast_to(data, (rows, threads)), np.broadcast_to(position, (rows, threads)), axis=1
    )
    return Val(taken, value.dt, taint)


def warps(m: Machine, bits: Array, fill: bool) -> Array:
    """Booleans of all lanes as (rows, warps, 32), missing lanes filled."""
    rows, threads = m.lanes.shape
    count = (threads + WARP - 1) // WARP
    padded = np.full((rows, count * WARP), fill, np.bool_)
    padded[:, :threads] = bits
    return padded.reshape(rows, count, WARP)


def spread_warps(m: Machine, per_warp: Any) -> Array:
    """One value per warp, repeated for its lanes."""
    return np.repeat(per_warp, WARP, axis=1)[:, : m.lanes.threads]


def vote(m: Machine, value: Val, how: str) -> tuple[Any, int]:
    """any, all, uni or ballot over the active lanes of each warp: data and taint."""
    active = np.broadcast_to(m.mask.bits, m.lanes.shape)
    bits = m.lanes.spread(value.data, BOOL)
    if how == "ballot":
        lanes = warps(m, bits & active, fill=False)
        words = (lanes.astype(np.int64) << np.arange(WARP)).sum(axis=2)
        data = spread_warps(m, words)
    elif how == "any":
        data = spread_warps(m, warps(m, bits & active, fill=False).any(axis=2))
    else:
        data = spread_warps(m, warps(m, bits | ~active, fill=True).all(axis=2))
        if how == "uni":
            data = data | spread_warps(m, ~warps(m, bits & active, fill=False).any(axis=2))
    single: Any = data.flat[0].item() if (data == data.flat[0]).all() else data
    return single, value.taint


def _vote(m: Machine, expr: Call) -> Value:
    args = list(expr.args)
    members = m.number(args.pop(0)) if expr.name.endswith("_sync") else None
    value = truth(m.eval(args[0]))
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, _unless_full(members), WARP)
    data, taint = vote(m, value, expr.name.removesuffix("_sync").strip("_"))
    return _as_result(expr, data, taint)


def _active_mask(m: Machine, expr: Call) -> Value:
    data, _ = vote(m, Val(True, BOOL), "ballot")
    return _as_result(expr, data, m.ctl)


def _match(m: Machine, expr: Call) -> Value:
    """__match_any_sync, __reduce_*_sync: known only to come from the warp's values."""
    members = m.number(expr.args[0])
    taint = EXACT
    for arg in expr.args[1:]:
        if isinstance(arg.type, PointerType):
            ptr = as_pointer(m, m.eval(arg), arg.type)
            poke(m, ptr, arg.type.pointee, m.unknown_value(arg.type.pointee))
        else:
            taint |= m.eval(arg).taint
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, _unless_full(members), WARP)
    return _as_result(expr, 0, taint | UNKNOWN)


# -- asynchronous copies ---------------------------------------------------------------------------------------


def copy_async(m: Machine, expr: Call, target: Expr, source: Expr, count: Expr | None) -> Value:
    """A copy from global to shared memory that completes later."""
    to, to_lvalue = bytes_at(m, target, expr)
    come, from_lvalue = bytes_at(m, source, expr)
    number = _bytes(m, count) if count is not None else Val(to_lvalue.type.size, I32)
    known = isinstance(number.data, int) and not number.taint
    size = int(number.data) if known and not isinstance(number.data, np.ndarray) else 1
    extra = EXACT if known else UNKNOWN
    m.record.access(m, from_lvalue, AccessKind.LOAD, come.moved(0, extra), size)
    m.record.access(m, to_lvalue, AccessKind.ASYNC_STORE, to.moved(0, extra), size)
    to.obj.smear(m, LOADED)
    return NOTHING


def _bytes(m: Machine, count: Expr) -> Val:
    """The size of a copy; of a `cuda::aligned_size_t`, the number in it."""
    value = m.eval(count)
    return m.as_number(value.cells.get(0, value) if isinstance(value, Rec) else value)


def _pipeline_copy(m: Machine, expr: Call) -> Value:
    return copy_async(m, expr, expr.args[0], expr.args[1], expr.args[2])


def async_wait(m: Machine, expr: Call) -> Value:
    """Waiting for asynchronous copies of the same thread."""
    for arg in expr.args:
        if not isinstance(arg.type, PointerType):
            m.eval(arg)
    m.record.sync(m, SyncKind.ASYNC_WAIT, expr.name, expr.span)
    return NOTHING if isinstance(expr.type, VoidType) else m.unknown_value(expr.type)


def _pipeline_wait(m: Machine, expr: Call) -> Value:
    """Waiting for a stage of a pipeline: of the thread's own copies, or of all threads that share the pipeline."""
    pipe = expr.receiver if expr.receiver is not None else expr.args[0]
    of = pipe.type.pointee if isinstance(pipe.type, PointerType) else pipe.type
    alone = "thread_scope_thread" in getattr(of, "name", "")
    return async_wait(m, expr) if alone else _named_barrier(m, expr)


def _library_copy(m: Machine, expr: Call) -> Value:
    """cuda::memcpy_async and cooperative_groups::memcpy_async, with or without a group."""
    args = list(expr.args)
    pointers = [i for i, arg in enumerate(args) if isinstance(arg.type, PointerType) and not arg.type.reference]
    if len(pointers) < 2:
        m.record.not_understood(expr.span, f"call of {expr.qualified}")
        return NOTHING
    target, source = pointers[0], pointers[1]
    count = args[source + 1] if len(args) > source + 1 and source == target + 1 else None
    if target > 0 or expr.name == "memcpy_async":
        # A group shares the copy out among its threads: which thread copies what is not said.
        m.record.call(m, expr.name, expr.span, known=True)
    return copy_async(m, expr, args[target], args[source], count)


def _quiet(m: Machine, expr: Call) -> Value:
    """A step of a pipeline or barrier that orders nothing by itself."""
    for arg in expr.args:
        if not isinstance(arg.type, PointerType):
            m.eval(arg)
    m.record.call(m, expr.name, expr.span, known=True)
    return NOTHING if isinstance(expr.type, VoidType) else m.unknown_value(expr.type)


_QUIET_WORDS = (
    "arrive producer_acquire producer_commit consumer_release make_pipeline init quit "
    "load_matrix_sync store_matrix_sync mma_sync fill_fragment barrier_arrive_tx"
)
_ASYNC: dict[str, Intrinsic] = {
    "memcpy_async": _library_copy,
    "consumer_wait": _pipeline_wait,
    "pipeline_consumer_wait_prior": _pipeline_wait,
    "arrive_and_wait": _named_barrier,
    "wait": _named_barrier,
    "wait_parity": _named_barrier,
    "arrive_and_drop": _named_barrier,
    "try_wait": _named_barrier,
    **dict.fromkeys(
        _QUIET_WORDS.split(),
        _quiet,
    ),
    "atomic_thread_fence": _fence("device"),
}


def find_async(expr: Call) -> Intrinsic | None:
    """Members and functions of cuda::barrier, cuda::pipeline and nvcuda::wmma."""
    if expr.name in {"load_matrix_sync", "store_matrix_sync"}:
        return _matrix
    return _ASYNC.get(expr.name)


def _matrix(m: Machine, expr: Call) -> Value:
    """A warp reads or writes a matrix fragment: which lane touches what is not said."""
    for arg in expr.args:
        if isinstance(arg.type, PointerType) and not arg.type.reference:
            ptr = as_pointer(m, m.eval(arg), arg.type)
            if expr.name == "store_matrix_sync":
                ptr.obj.smear(m, UNKNOWN)
    m.record.call(m, expr.name, expr.span, known=True)
    return NOTHING


# -- cub -------------------------------------------------------------------------------------------------------


def find_collective(expr: Call) -> Intrinsic | None:
    """Members of cub's block-wide and warp-wide collectives."""
    if expr.constructor or expr.receiver is None:
        return None
    return _collective if re.search(r"\b(Block|Warp)[A-Z]", expr.qualified) else None


def _collective(m: Machine, expr: Call) -> Value:
    """A collective synchronises inside; what it returns or writes through references is not known."""
    for arg in expr.args:
        value = place(m, arg) if isinstance(arg.type, ArrayType) else m.eval(arg)
        if isinstance(value, Ptr):
            value.obj.smear(m, UNKNOWN)
    block = "Block" in expr.qualified
    m.record.sync(m, SyncKind.NAMED if block else SyncKind.WARP, expr.name, expr.span)
    m.record.call(m, expr.name, expr.span, known=True)
    return NOTHING if isinstance(expr.type, VoidType) else m.unknown_value(expr.type)


# -- inline assembly -------------------------------------------------------------------------------------------

_REGISTERS = ("laneid", "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z")
_TOUCHES_MEMORY = re.compile(r"(^|[\s;{])(@!?%?\w+\s+)?(ld|st|red|atom|cp|tensormap|ldmatrix|stmatrix)[.\s]")

_ORDERS = re.compile(r"\.(acquire|release|acq_rel)\b")
"""Memory orders of `ld`, `st`, `red` and `atom` (PTX ISA, memory consistency model): they fence besides."""

_SYNC_INSTRUCTIONS = tuple(
    (re.compile(pattern), kind, name)
    for pattern, kind, name in (
        (r"\b(bar|barrier)(\.cta)?\.(sync|red)[\w.]*\s+0\s*(;|,|$)", SyncKind.BLOCK, "bar.sync"),
        (r"\b(bar|barrier)(\.cta)?\.(sync|red)", SyncKind.NAMED, "bar.sync"),
        (r"\bbar\.warp\.sync", SyncKind.WARP, "bar.warp.sync"),
        (r"\b(barrier\.cluster|mbarrier|bar\.arrive)", SyncKind.NAMED, "barrier"),
        (r"\b(membar|fence)\b", SyncKind.FENCE, "fence"),
        (r"\bcp\.async\.(wait|bulk\.wait)", SyncKind.ASYNC_WAIT, "cp.async.wait"),
    )
)


def assembly(m: Machine, stmt: Asm) -> None:
    """Inline assembly: barriers, fences and special registers are understood, other results are unknown."""
    text = stmt.text
    for value in stmt.inputs:
        m.eval(value)
    for pattern, kind, name in _SYNC_INSTRUCTIONS:
        if pattern.search(text):
            m.record.sync(m, kind, name, stmt.span)
            break
    else:
        _other_instruction(m, stmt)
    known = _register(m, text)
    for output in stmt.outputs:
        ptr = place(m, output)
        store(m, ptr, output.type, known or m.unknown_value(output.type), output)


def _other_instruction(m: Machine, stmt: Asm) -> None:
    text = stmt.text
    if _ORDERS.search(text):
        m.record.sync(m, SyncKind.FENCE, "fence", stmt.span, scope="device")
    if _TOUCHES_MEMORY.search(text) and "cp.async.commit" not in text:
        m.record.not_understood(stmt.span, "inline assembly that accesses memory")
        for obj in list(m.variables.values()):
            if isinstance(obj, SharedObj):
                obj.smear(m, UNKNOWN)


def _register(m: Machine, text: str) -> Val | None:
    found = re.search(r"mov\.[ub]32\s+%0\s*,\s*%+([\w.]+)\s*;", text)
    if found is None or found.group(1) not in _REGISTERS:
        return None
    name = found.group(1)
    if name == "laneid":
        return m.lanes.lane_index
    base, axis = name.split(".")
    position = "xyz".index(axis)
    if base == "tid":
        return m.lanes.thread_coordinate(position)
    return Val(m.shape.block[position], U32) if base == "ntid" else m.lanes.block_coordinate(position)


TABLE: dict[str, Intrinsic] = {
    "__syncthreads": _block_barrier,
    **dict.fromkeys(("__syncthreads_count", "__syncthreads_and", "__syncthreads_or"), _counting_barrier),
    "__syncwarp": _warp_barrier,
    "__threadfence_block": _fence("block"),
    "__threadfence": _fence("device"),
    "__threadfence_system": _fence("system"),
    "__barrier_sync": _named_barrier,
    "__barrier_sync_count": _named_barrier,
    **{f"__shfl{how}{sync}": _shuffle for how in ("", "_up", "_down", "_xor") for sync in ("", "_sync")},
    **{f"__{how}{sync}": _vote for how in ("any", "all", "ballot", "uni") for sync in ("", "_sync")},
    "__activemask": _active_mask,
    **dict.fromkeys(("__match_any_sync", "__match_all_sync"), _match),
    **{f"__reduce_{op}_sync": _match for op in ("add", "min", "max", "and", "or", "xor")},
    "__pipeline_memcpy_async": _pipeline_copy,
    "__pipeline_commit": _quiet,
    "__pipeline_wait_prior": async_wait,
}
