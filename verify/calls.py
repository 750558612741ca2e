"""What a kernel calls, as far as it matters for running it apart."""

from __future__ import annotations

import re

from cudalint.lint.model.expressions import Call, Expr, Index, Var
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.types import IntType, PointerType
from cudalint.lint.model.walk import unwrapped, walk
from cudalint.verify.shim import LEGACY

_FETCH = re.compile(r"^(tex|surf)(\d|Cubemap)")
"""Reads and writes through texture and surface objects, which are 64-bit integers to a compiler."""


def reached(program: TranslationUnit, kernel: Function) -> list[Function]:
    """The kernel and the functions that it calls, directly or not."""
    found = {kernel.key: kernel}
    todo = [kernel]
    while todo:
        body = todo.pop().body
        for node in walk(body) if body is not None else ():
            callee = program.functions.get(node.key or "") if isinstance(node, Call) else None
            if callee is not None and callee.key not in found:
                found[callee.key] = callee
                todo.append(callee)
    return list(found.values())


def handles(kernel: Function) -> list[str]:
    """The parameters that are texture or surface objects, or arrays of them."""
    names = {p.key: p.name for p in kernel.params if _may_be_handle(p.type)}
    found: dict[str, None] = {}
    for node in walk(kernel.body) if kernel.body is not None else ():
        if isinstance(node, Call) and _FETCH.match(node.name):
            for argument in node.args:
                base = _base(argument)
                if isinstance(base, Var) and base.symbol.key in names:
                    found[names[base.symbol.key]] = None
    return list(found)


def _may_be_handle(of: object) -> bool:
    pointee = of.pointee if isinstance(of, PointerType) else of
    return isinstance(pointee, IntType) and pointee.bits == 64 and not pointee.signed


def _base(argument: Expr) -> Expr:
    bare = unwrapped(argument)
    return unwrapped(bare.base) if isinstance(bare, Index) else bare


def without_lanes(program: TranslationUnit, kernel: Function) -> list[str]:
    """The warp intrinsics without a mask that run with the kernel; they are built with all lanes in their place."""
    bodies = [f.body for f in reached(program, kernel) if f.body is not None]
    names = {n.name for body in bodies for n in walk(body) if isinstance(n, Call)}
    return sorted(names.intersection(LEGACY))
