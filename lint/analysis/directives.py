"""The groups of preprocessor conditions in a file, as far as analyses ask about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w*")


@dataclass(slots=True)
class _Condition:
    """An open `#if`: where its current group starts, and its finished groups."""

    start: int
    groups: list[tuple[int, int]] = field(default_factory=list)


def _conditions(data: bytes) -> Iterator[list[tuple[int, int]]]:
    """The groups (byte ranges) of each condition that has at least two."""
    open_: list[_Condition] = []
    for match in _DIRECTIVE.finditer(data):
        if match[1] in {b"if", b"ifdef", b"ifndef"}:
            open_.append(_Condition(match.end()))
        elif open_:
            condition = open_[-1]
            condition.groups.append((condition.start, match.start()))
            condition.start = match.end()
            if match[1] == b"endif":
                open_.pop()
                if len(condition.groups) > 1:
                    yield condition.groups


def chosen_by_the_build(data: bytes, offset: int, newer: Collection[str]) -> bool:
    """Whether code stands in one group of a condition of which another group uses any of some newer names.

    Then a macro chooses between the two ways, and which of them is compiled is for the build to say.
    """
    wanted = {name.encode() for name in newer}
    for groups in _conditions(data):
        if any(start <= offset < end for start, end in groups):
            others = (data[start:end] for start, end in groups if not start <= offset < end)
            if any(word in wanted for other in others for word in _WORD.findall(other)):
                return True
    return False
