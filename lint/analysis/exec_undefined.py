"""Local variables that never get a value: each thread finds in them what its registers happen to hold."""

from __future__ import annotations

from collections import Counter

from cudalint.lint.model.expressions import Assign, Call, Expr, Lambda, Storage, Unknown, Var
from cudalint.lint.model.program import Function, FunctionKind, TranslationUnit
from cudalint.lint.model.statements import Decl, UnknownStmt
from cudalint.lint.model.types import ArrayType, FloatType, IntType, PointerType, RecordType, Type
from cudalint.lint.model.walk import unwrapped, walk


def undefined_locals(program: TranslationUnit) -> frozenset[str]:
    """The keys of the local variables of device code that are only ever copied, and never set.

    Anything else that is done with a variable, by name, by address or as an argument, may set it; so may a
    lambda, or what is not understood.
    """
    found: set[str] = set()
    for function in program.functions.values():
        if function.body is not None and function.kind is not FunctionKind.HOST:
            found |= _of_function(function, program)
    return frozenset(found)


def _of_function(function: Function, program: TranslationUnit) -> set[str]:
    assert function.body is not None
    bare: set[str] = set()
    seen: Counter[str] = Counter()
    copied: Counter[str] = Counter()
    nodes = tuple(walk(function.body))
    if any(isinstance(node, Lambda | Unknown | UnknownStmt) for node in nodes):
        return set()
    for node in nodes:
        if isinstance(node, Decl) and node.symbol.storage is Storage.LOCAL:
            if _without_value(node.symbol.type, node.init, program):
                bare.add(node.symbol.key)
        elif isinstance(node, Var):
            seen[node.symbol.key] += 1
        elif isinstance(node, Assign) and node.op == "=":
            value = unwrapped(node.value)
            if isinstance(value, Var):
                copied[value.symbol.key] += 1
    return {key for key in bare if seen[key] == copied[key] > 0}


def _without_value(of: Type, init: Expr | None, program: TranslationUnit) -> bool:
    """Whether a declaration leaves all of a variable as it is: none, or a constructor that does nothing."""
    if isinstance(of, IntType | FloatType):
        return init is None
    if not isinstance(of, RecordType) or not all(_plain(field.type) for field in of.fields):
        return False
    if not isinstance(init, Call) or not init.constructor or init.args or init.key is None:
        return False
    made = program.functions.get(init.key)
    return made is not None and made.body is not None and not made.initializers and len(list(walk(made.body))) == 1


def _plain(of: Type) -> bool:
    while isinstance(of, ArrayType):
        of = of.element
    return isinstance(of, IntType | FloatType | PointerType)
