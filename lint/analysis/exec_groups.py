"""Cooperative groups of the executor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from cudalint.lint.analysis.exec_calls import NOTHING, Intrinsic
from cudalint.lint.analysis.exec_expr import load, place
from cudalint.lint.analysis.exec_lanes import WARP, grid_extent
from cudalint.lint.analysis.exec_machine import Machine
from cudalint.lint.analysis.exec_sync import async_wait, find_async, shuffled, vote
from cudalint.lint.analysis.exec_values import (
    EXACT,
    U32,
    U64,
    UNKNOWN,
    Group,
    Rec,
    Val,
    Value,
    arithmetic,
    convert,
    dtype_of,
    fit,
    tainted,
    truth,
)
from cudalint.lint.analysis.trace import SyncKind
from cudalint.lint.model.expressions import Call, Expr
from cudalint.lint.model.types import VoidType

_SYNC_KINDS = {"block": SyncKind.BLOCK, "grid": SyncKind.GRID, "tile": SyncKind.TILE, "coalesced": SyncKind.TILE}


def find(expr: Call) -> Intrinsic | None:
    """What to do for a function or member of cooperative_groups."""
    if expr.name == "memcpy_async":
        return find_async(expr)
    maker = _MAKERS.get(expr.name)
    if maker is not None and expr.receiver is None:
        return maker
    return _on_group


def _this_block(m: Machine, expr: Call) -> Value:
    return Group("block", m.lanes.threads)


def _this_grid(m: Machine, expr: Call) -> Value:
    return Group("grid", 0)


def _coalesced(m: Machine, expr: Call) -> Value:
    for arg in expr.args:
        m.eval(arg)
    return Group("coalesced", WARP, UNKNOWN)


def _tile(m: Machine, expr: Call) -> Value:
    """tiled_partition<N>(group) or tiled_partition(group, N)."""
    for arg in expr.args[:1]:
        m.eval(arg)
    size = expr.template_args[0] if expr.template_args and isinstance(expr.template_args[0], int) else None
    if size is None and len(expr.args) > 1:
        number = m.number(expr.args[1])
        size = number.data if isinstance(number.data, int) and not number.taint else None
    return Group("tile", size, EXACT) if size else Group("coalesced", WARP, UNKNOWN)


_MAKERS: dict[str, Intrinsic] = {
    "this_thread_block": _this_block,
    "this_grid": _this_grid,
    "this_multi_grid": _this_grid,
    "this_cluster": _coalesced,
    "coalesced_threads": _coalesced,
    "binary_partition": _coalesced,
    "labeled_partition": _coalesced,
    "tiled_partition": _tile,
    "experimental_tiled_partition": _tile,
}


def _group_of(m: Machine, expr: Call) -> tuple[Group, list[Expr]]:
    """The group that a member or function works on, and the other arguments."""
    source = expr.receiver
    rest = list(expr.args)
    if source is None and rest and "cooperative_groups" in getattr(rest[0].type, "name", ""):
        source = rest.pop(0)
    value: Value | None = None
    if source is not None:
        value = m.eval(source) if isinstance(source, Call) else load(m, place(m, source), source.type, source)
        if isinstance(value, Rec):
            value = value.cells.get(0)
    if isinstance(value, Group):
        return value, rest
    name = getattr(source.type, "name", "") if source is not None else expr.qualified
    return _by_name(m, f"{name} {expr.qualified}"), rest


def _by_name(m: Machine, name: str) -> Group:
    tile = re.search(r"thread_block_tile<(\d+)", name)
    if tile:
        return Group("tile", int(tile.group(1)))
    if "grid_group" in name:
        return Group("grid", 0)
    if "thread_block_tile" in name or "coalesced" in name or "thread_group" in name:
        return Group("coalesced", WARP, UNKNOWN)
    if "thread_block" in name:
        return Group("block", m.lanes.threads)
    return Group("coalesced", WARP, UNKNOWN)


def _on_group(m: Machine, expr: Call) -> Value:
    group, args = _group_of(m, expr)
    handler = _MEMBERS.get(expr.name)
    if handler is None:
        for arg in args:
            m.eval(arg)
        m.record.not_understood(expr.span, f"call of {expr.qualified}")
        return m.unknown_value(expr.type)
    result = handler(m, expr, group, args)
    dt = dtype_of(expr.type)
    if isinstance(result, Val) and dt is not None:
        result = convert(result, dt)
    return tainted(result, group.taint) if not isinstance(expr.type, VoidType) else NOTHING


def _sync(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    width = group.size if group.kind == "tile" else None
    m.record.sync(m, _SYNC_KINDS[group.kind], expr.name, expr.span, width=width)
    return NOTHING


def _arrive(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    m.record.call(m, expr.name, expr.span, known=True)
    return m.unknown_value(expr.type)


def _wait(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    """Waiting for a group's asynchronous copies is a barrier of the group as well."""
    async_wait(m, expr)
    return _sync(m, expr, group, args)


def _rank(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    thread = m.lanes.thread_index
    if group.kind == "tile":
        return arithmetic("%", thread, Val(group.size, U32), U32)
    if group.kind == "coalesced":
        return m.lanes.lane_index
    if group.kind == "block":
        return thread
    return arithmetic("+", arithmetic("*", _block_rank(m), Val(m.lanes.threads, U64), U64), convert(thread, U64), U64)


def _block_rank(m: Machine) -> Val:
    rank = convert(m.lanes.block_coordinate(2), U64)
    for axis in (1, 0):
        extent = convert(grid_extent(m.lanes, m.shape, axis), U64)
        rank = arithmetic("*", rank, extent, U64)
        rank = arithmetic("+", rank, convert(m.lanes.block_coordinate(axis), U64), U64)
    return rank


def _size(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    if group.kind != "grid":
        return Val(group.size, U32)
    total = Val(m.lanes.threads, U64)
    for axis in range(3):
        total = arithmetic("*", total, convert(grid_extent(m.lanes, m.shape, axis), U64), U64)
    return total


def _meta_rank(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    return arithmetic("/", m.lanes.thread_index, Val(max(1, group.size), U32), U32)


def _meta_size(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    return Val(-(-m.lanes.threads // max(1, group.size)), U32)


def _triple(what: Callable[[Machine, int], Val]) -> Callable[[Machine, Call, Group, list[Expr]], Value]:
    def handler(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
        return Rec({4 * axis: what(m, axis) for axis in range(3)})

    return handler


def _shuffle(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    value, by = m.eval(args[0]), m.number(args[1])
    width = group.size if group.kind == "tile" and group.size <= WARP else WARP
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, width=width)
    return shuffled(m, value, by, expr.name.removeprefix("shfl").strip("_") or "idx", width)


def _vote(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    value = truth(m.eval(args[0]))
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, width=min(WARP, group.size or WARP))
    data, taint = vote(m, value, expr.name)
    return Val(data, np.dtype(np.int64), taint | (EXACT if group.size == WARP else UNKNOWN))


def _reduce(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    values: list[Any] = [m.eval(arg) for arg in args]
    m.record.sync(m, SyncKind.SHUFFLE, expr.name, expr.span, width=min(WARP, group.size or WARP))
    dt = dtype_of(expr.type)
    taint = values[0].taint if values else EXACT
    if dt is None:
        return tainted(m.unknown_value(expr.type), taint)
    return Val(fit(0, dt), dt, taint | UNKNOWN)


def _true(m: Machine, expr: Call, group: Group, args: list[Expr]) -> Value:
    return Val(True, np.dtype(np.bool_))


_MEMBERS: dict[str, Callable[[Machine, Call, Group, list[Expr]], Value]] = {
    "sync": _sync,
    "synchronize": _sync,
    "barrier_arrive": _arrive,
    "barrier_wait": _sync,
    "wait": _wait,
    "wait_prior": _wait,
    "thread_rank": _rank,
    **dict.fromkeys(("size", "num_threads"), _size),
    "meta_group_rank": _meta_rank,
    "meta_group_size": _meta_size,
    "block_rank": lambda m, expr, group, args: _block_rank(m),  # noqa: ARG005
    **dict.fromkeys(("group_index", "block_index"), _triple(lambda m, axis: m.lanes.block_coordinate(axis))),
    "thread_index": _triple(lambda m, axis: m.lanes.thread_coordinate(axis)),
    **dict.fromkeys(("group_dim", "dim_threads"), _triple(lambda m, axis: Val(m.shape.block[axis], U32))),
    **dict.fromkeys(("grid_dim", "dim_blocks"), _triple(lambda m, axis: grid_extent(m.lanes, m.shape, axis))),
    **dict.fromkeys(("shfl", "shfl_up", "shfl_down", "shfl_xor"), _shuffle),
    **dict.fromkeys(("any", "all", "ballot"), _vote),
    **dict.fromkeys(("reduce", "inclusive_scan", "exclusive_scan"), _reduce),
    "is_valid": _true,
}
