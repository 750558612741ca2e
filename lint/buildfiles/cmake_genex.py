"""CMake's generator expressions, for the CUDA sources of a release build."""

from __future__ import annotations

import re
from collections.abc import Callable

from cudalint.lint.buildfiles.traced import EMPTY, UNKNOWN, Traced, join

_PASS = frozenset({"BUILD_INTERFACE", "BUILD_LOCAL_INTERFACE", "DEVICE_LINK", "HOST_LINK", "1"})
_NONE = frozenset({"INSTALL_INTERFACE", "0"})
_VERSIONS = frozenset(
    {"VERSION_LESS", "VERSION_GREATER", "VERSION_EQUAL", "VERSION_LESS_EQUAL", "VERSION_GREATER_EQUAL"}
)


def evaluate(text: Traced, toolkit: str) -> Traced:
    """The text with its generator expressions replaced; what cannot be known becomes UNKNOWN."""
    if "$<" not in text.text:
        return text
    parts: list[Traced] = []
    i = 0
    while i < len(text):
        start = text.text.find("$<", i)
        if start < 0:
            parts.append(text[i:])
            break
        end = _closing(text.text, start)
        parts += [text[i:start], _expression(text[start + 2 : end], toolkit)]
        i = end + 1
    return join(parts, "")


def _closing(text: str, start: int) -> int:
    depth = 0
    i = start
    while i < len(text):
        if text.startswith("$<", i):
            depth += 1
            i += 1
        elif text[i] == ">":
            depth -= 1
            if depth == 0:
                return i
        i += 1
    return len(text)


def _separate(body: Traced, separator: str) -> list[Traced]:
    """Split at a separator outside nested expressions."""
    parts: list[Traced] = []
    depth = start = 0
    for i, char in enumerate(body.text):
        if body.text.startswith("$<", i):
            depth += 1
        elif char == ">":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(body[start:i])
            start = i + 1
    return [*parts, body[start:]]


def _expression(body: Traced, toolkit: str) -> Traced:
    first, *rest = _separate(body, ":")
    name = evaluate(first, toolkit).known().strip()
    content = join(rest, ":") if rest else EMPTY
    if name in _PASS:
        return evaluate(content, toolkit)
    if name in _NONE:
        return EMPTY
    if name == "CONFIG" and not rest:
        return Traced.made("Release")
    if name in {"CUDA_COMPILER_VERSION", "CUDA_COMPILER_ID", "COMPILE_LANGUAGE"} and not rest:
        return Traced.made({"CUDA_COMPILER_VERSION": toolkit, "CUDA_COMPILER_ID": "NVIDIA"}.get(name, "CUDA"))
    arguments = [evaluate(a, toolkit) for a in _separate(content, ",")]
    if name == "IF" and len(arguments) == 3:
        choice = arguments[0].known()
        return arguments[1] if choice == "1" else arguments[2] if choice == "0" else Traced.made(UNKNOWN)
    if name in {"SEMICOLON", "COMMA", "ANGLE-R", "QUOTE"}:
        return Traced.made({"SEMICOLON": ";", "COMMA": ",", "ANGLE-R": ">", "QUOTE": '"'}[name])
    verdict = _condition(name, [a.known().strip() for a in arguments], toolkit)
    return Traced.made(UNKNOWN if verdict is None else str(int(verdict)))


def _condition(name: str, arguments: list[str], toolkit: str) -> bool | None:
    if name in _LOGIC:
        return _LOGIC[name](arguments)
    match name:
        case "CONFIG":
            return "release" in [a.lower() for a in arguments]
        case "COMPILE_LANGUAGE":
            return "CUDA" in arguments
        case "COMPILE_LANG_AND_ID":
            return arguments[0] == "CUDA" and "NVIDIA" in arguments[1:]
        case "CUDA_COMPILER_ID":
            return "NVIDIA" in arguments
        case "CUDA_COMPILER_VERSION":
            return compare_versions(toolkit, "VERSION_EQUAL", arguments[0])
        case _ if name in _VERSIONS and len(arguments) == 2:
            return compare_versions(arguments[0], name, arguments[1])
    return None


def _not(arguments: list[str]) -> bool | None:
    return None if arguments[0] not in {"0", "1"} else arguments[0] == "0"


def _and(arguments: list[str]) -> bool | None:
    return False if "0" in arguments else None if any(a != "1" for a in arguments) else True


def _or(arguments: list[str]) -> bool | None:
    return True if "1" in arguments else None if any(a != "0" for a in arguments) else False


def _equal(arguments: list[str]) -> bool | None:
    return None if len(arguments) != 2 or UNKNOWN in "".join(arguments) else arguments[0] == arguments[1]


def _bool(arguments: list[str]) -> bool | None:
    return None if UNKNOWN in arguments[0] else truth(arguments[0])


_LOGIC: dict[str, Callable[[list[str]], bool | None]] = {
    "NOT": _not,
    "AND": _and,
    "OR": _or,
    "BOOL": _bool,
    "STREQUAL": _equal,
    "EQUAL": _equal,
}


def truth(value: str) -> bool:
    """What a string means as a CMake boolean: the constants that are false, else true."""
    upper = value.upper()
    return not (upper in {"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"} or upper.endswith("-NOTFOUND"))


def compare_versions(left: str, operator: str, right: str) -> bool | None:
    """A version comparison by CMake's operator name, or None where a side is no version."""
    versions = [re.match(r"\s*(\d+(?:\.\d+)*)", side) for side in (left, right)]
    if versions[0] is None or versions[1] is None:
        return None
    a, b = ([int(n) for n in v[1].split(".")] for v in versions if v)
    size = max(len(a), len(b))
    a, b = a + [0] * (size - len(a)), b + [0] * (size - len(b))
    wanted = operator.removeprefix("VERSION_")
    return (
        (wanted.startswith("LESS") and a < b)
        or (wanted.startswith("GREATER") and a > b)
        or ("EQUAL" in wanted and a == b)
    )
