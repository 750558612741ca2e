"""Options that a program hands to the run-time compiler, as string constants in its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cudalint.lint.buildfiles.names import is_debug
from cudalint.lint.model.expressions import Call, Conditional, Const, Expr, InitList
from cudalint.lint.model.program import FunctionKind, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.statements import If
from cudalint.lint.model.walk import Node, children, walk

_DEBUG = frozenset({"--device-debug", "-device-debug", "-G"})
_KIN = re.compile(
    r"--?(std|gpu-architecture|arch|use_fast_math|fmad|include-path|I|D|dopt|maxrregcount|lineinfo|generate-line-info|rdc|relocatable-device-code|default-device)\b"
)
"""Options of NVRTC's documentation: a list that has one of them is a list of options for it."""

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|endif)", re.MULTILINE)


def debug_options(program: TranslationUnit) -> Iterator[tuple[Span, str]]:
    """Constants that ask for device debugging among others for the run-time compiler, and their spelling.

    Code that runs, or is compiled, only under a condition makes no claim: the condition is the switch.
    """
    for function in program.functions.values():
        if function.kind is FunctionKind.HOST and function.body is not None and not is_debug(function.name):
            for constants in _lists(function.body):
                yield from _judge(program, constants)
    for variable in program.globals:
        if variable.init is not None:
            for constants in _lists(variable.init):
                yield from _judge(program, constants)


def _judge(program: TranslationUnit, constants: Sequence[Const]) -> Iterator[tuple[Span, str]]:
    texts = [str(c.value).split() for c in constants]
    known = any(_KIN.match(word) for words in texts for word in words)
    for constant, words in zip(constants, texts, strict=True):
        found = next((w for w in words if w in _DEBUG), None)
        if found and (known or found != "-G") and not _conditional(program, constant.span):
            yield constant.span, found


def _lists(node: Node) -> Iterator[list[Const]]:
    """The strings that stand together: items of one list, or arguments of one call, outside conditions."""
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, If | Conditional):
            continue
        if isinstance(top, InitList | Call):
            strings = list(_strings(top.items if isinstance(top, InitList) else top.args))
            if strings:
                yield strings
                continue
        stack.extend(children(top))


def _strings(items: Sequence[Expr]) -> Iterator[Const]:
    for item in items:
        for node in walk(item):
            if isinstance(node, Const) and isinstance(node.value, str):
                yield node


def _conditional(program: TranslationUnit, span: Span) -> bool:
    """Whether a preprocessor condition other than an include guard holds the place."""
    data = program.files.get(span.file, b"")
    depth = 0
    for match in _DIRECTIVE.finditer(data, 0, span.offset):
        depth += 1 if match[1] == b"if" else -1
    return depth > 0
