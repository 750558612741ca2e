"""A rough count of the instructions that a piece of program takes, for the predication threshold.

The weights are of the order of issue slots: arithmetic 1, a memory access 4, an integer division by a runtime
value or a slow library function 20. Loops count their body a few times.
"""

from __future__ import annotations

from cudalint.lint.model.expressions import Assign, Binary, Call, Const, Deref, IncDec, Index, Unary
from cudalint.lint.model.program import TranslationUnit
from cudalint.lint.model.statements import For, RangeFor, While
from cudalint.lint.model.types import FloatType
from cudalint.lint.model.walk import Node, children

ACCESS, SLOW, LOOP_TURNS = 4, 20, 4
LIMIT = 1000
_CHEAP_CALLS = frozenset({"min", "max", "abs", "fabs", "fabsf", "fminf", "fmaxf", "fmin", "fmax", "fmaf", "fma"})
MAX_DEPTH = 4


class Costs:
    """Costs of nodes of one program, kept by node."""

    def __init__(self, program: TranslationUnit) -> None:
        self._program = program
        self._known: dict[int, int] = {}

    def of(self, node: Node | None, depth: int = 0) -> int:
        """The cost of a statement or expression, 0 for none, at most `LIMIT`."""
        if node is None:
            return 0
        found = self._known.get(id(node))
        if found is None:
            found = self._known[id(node)] = min(LIMIT, self._count(node, depth))
        return found

    def _count(self, node: Node, depth: int) -> int:
        inner = sum(self.of(child, depth) for child in children(node))
        if isinstance(node, For | While | RangeFor):
            return inner * LOOP_TURNS
        return inner + self._own(node, depth)

    def _own(self, node: Node, depth: int) -> int:
        if isinstance(node, Binary):
            divides = node.op in {"/", "%"} and not isinstance(node.right, Const)
            return (SLOW if not isinstance(node.type, FloatType) else 8) if divides else 1
        if isinstance(node, Unary | Assign | IncDec):
            return 1
        if isinstance(node, Index | Deref):
            return ACCESS
        if isinstance(node, Call):
            function = self._program.functions.get(node.key) if node.key else None
            if function is not None and function.body is not None:
                return self.of(function.body, depth + 1) if depth < MAX_DEPTH else SLOW
            return 1 if node.name in _CHEAP_CALLS else SLOW
        return 0
