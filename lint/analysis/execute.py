"""Execute a kernel on the threads of representative blocks; the result is a trace.

See `trace` for what is recorded, `exec_machine` for how lanes, masks and control work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from cudalint.lint.analysis import exec_expr, exec_intrinsics, exec_loops, exec_stmt, exec_sync
from cudalint.lint.analysis.exec_calls import call_handler, unknown_handler
from cudalint.lint.analysis.exec_lanes import INTEGER_SAMPLES, Lanes, inner_block, second_block
from cudalint.lint.analysis.exec_machine import STEP_BUDGET, FunctionFrame, Machine, OutOfBudget, Scope
from cudalint.lint.analysis.exec_memory import Disturbance
from cudalint.lint.analysis.trace import ArgValue, LaunchShape, Trace
from cudalint.lint.model.expressions import Call, Storage, Unknown
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.statements import Asm
from cudalint.lint.model.types import ArrayType, PointerType

MAX_THREADS = 1024
_EXPRESSIONS = {
    **exec_expr.HANDLERS,
    Call: call_handler(exec_intrinsics.find),
    Unknown: unknown_handler(exec_intrinsics.find),
}
_STATEMENTS = {**exec_stmt.HANDLERS, **exec_loops.HANDLERS, Asm: exec_sync.assembly}


def execute(
    program: TranslationUnit,
    kernel: Function,
    shape: LaunchShape,
    *,
    blocks: int = 2,
    where: Sequence[tuple[int, int, int]] = (),
    budget: int = STEP_BUDGET,
    contents: Mapping[str, tuple[int, int, bool]] | None = None,
    disturbed: Sequence[Disturbance] = (),
) -> Trace:
    """Run a kernel under a launch shape.

    `blocks` blocks run in each world: the first, its neighbour, one away from the edges. There is one world when
    nothing is unknown, else three.
    `where` names the blocks instead (the last one of a grid, for its border).
    `budget` bounds the expressions evaluated. `contents` says which integers the buffers of some parameters hold, by
    symbol key: the first element, by how much each is larger than the one before it, and whether that is certain
    (else both sides of what they decide are executed, as for other content). `disturbed` gives bytes of shared
    arrays another initial content. Never raises: what goes wrong is in
    the trace's `unknown`.
    """
    chosen = list(where) or [(0, 0, 0)]
    neighbour = second_block(shape.grid)
    if blocks > 1 and neighbour is not None and not where:
        chosen.append(neighbour)
        inner = inner_block(shape)
        if blocks > 2 and inner is not None:
            chosen.append(inner)
    worlds = len(INTEGER_SAMPLES) if _has_unknowns(program, kernel, shape) else 1
    lanes = Lanes(shape, worlds, chosen)
    m = Machine(program, lanes, shape, _EXPRESSIONS, _STATEMENTS, budget)
    m.contents = contents or {}
    m.disturbed = disturbed
    complete = True
    with np.errstate(all="ignore"):
        try:
            _run(m, kernel)
        except OutOfBudget:
            complete = False
        except RecursionError:
            complete = False
            m.record.quiet = 0
            m.record.not_understood(kernel.name_span, "nested too deep")
        except Exception as error:
            complete = False
            m.record.quiet = 0
            m.record.not_understood(kernel.name_span, f"internal: {type(error).__name__}: {error}")
    return Trace(
        kernel=kernel,
        shape=shape,
        lanes=lanes.grid(),
        events=tuple(m.record.events),
        objects=tuple(m.objects),
        complete=complete and not m.cut_short,
        unknown=tuple(m.record.unknown),
        samples=tuple(m.sampler.samples.items()),
    )


def _run(m: Machine, kernel: Function) -> None:
    if kernel.body is None:
        return
    m.scopes.append(Scope(m.lanes.full))
    m.functions.append(FunctionFrame(kernel.key, depth=0))
    m.bind_arguments(kernel)
    m.run(kernel.body)


def _has_unknowns(program: TranslationUnit, kernel: Function, shape: LaunchShape) -> bool:
    """Whether anything has to be sampled: an argument, the grid, a constant that the host sets."""
    if None in shape.grid:
        return True
    for position, symbol in enumerate(kernel.params):
        known = shape.args[position] if position < len(shape.args) else ArgValue()
        if not isinstance(symbol.type, PointerType) and known.number is None:
            return True
    return any(
        g.symbol.storage is Storage.CONSTANT and not isinstance(g.symbol.type, ArrayType) and g.init is None
        for g in program.globals
    )
