"""The groups of preprocessor conditions in a file, as far as analyses ask about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(.*)$", re.MULTILINE)
_VERSIONS = (b"CUDART_VERSION", b"CUDA_VERSION", b"__CUDA_ARCH__", b"__CUDACC_VER_MAJOR__")


@dataclass(slots=True)
class _Condition:
    """An open `#if`: where its current group starts, its finished groups, and whether it asks for a version."""

    start: int
    versioned: bool
    groups: list[tuple[int, int]] = field(default_factory=list)


def alternatives(data: bytes) -> Iterator[tuple[int, int]]:
    """The groups (byte ranges) of conditions that have at least two: code that something else decides about.

    Conditions on the version of the toolkit or of the device are left out: those are decided by the target.
    """
    open_: list[_Condition] = []
    for match in _DIRECTIVE.finditer(data):
        kind = match[1]
        if kind in {b"if", b"ifdef", b"ifndef"}:
            open_.append(_Condition(match.end(), _versioned(match[2])))
        elif open_:
            condition = open_[-1]
            condition.groups.append((condition.start, match.start()))
            condition.start = match.end()
            condition.versioned = condition.versioned or _versioned(match[2])
            if kind == b"endif":
                open_.pop()
                if len(condition.groups) > 1 and not condition.versioned:
                    yield from condition.groups


def _versioned(text: bytes) -> bool:
    return any(name in text for name in _VERSIONS)
