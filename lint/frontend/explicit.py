"""Explicit instantiations: `template __global__ void k<float>(…);`, which libclang has no cursor for."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INSTANTIATION = re.compile(r"(?<![.>:\w])template\b(?!\s*<)([^;{}]*)")
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")


def explicit_arguments(content: bytes, names: list[str]) -> dict[int, str]:
    """The template arguments of explicit instantiations, by position in `names` (unqualified template names).

    Where there are several of one template, one on float is taken, else the first.
    """
    found: dict[int, str] = {}
    text = _COMMENT.sub(" ", content.decode("utf-8", "replace"))
    for declaration in _INSTANTIATION.findall(text):
        for number, arguments in _named(declaration, names):
            if number not in found or ("float" in arguments and "float" not in found[number]):
                found[number] = arguments
    return found


def _named(declaration: str, names: list[str]) -> Iterator[tuple[int, str]]:
    for number, name in enumerate(names):
        match = re.search(rf"\b{re.escape(name)}\s*<", declaration)
        arguments = _balanced(declaration, match.end()) if match else None
        if arguments is not None:
            yield number, arguments


def _balanced(text: str, start: int) -> str | None:
    """What stands between the angle bracket before `start` and the one that closes it."""
    angles, others = 1, 0
    for i in range(start, len(text)):
        others += (text[i] in _OPEN) - (text[i] in _CLOSE)
        if others == 0:
            angles += (text[i] == "<") - (text[i] == ">")
        if angles == 0:
            return text[start:i]
    return None
