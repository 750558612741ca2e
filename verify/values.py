"""The bytes of kernel arguments that are passed by value: known, or made up."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from cudalint.lint.analysis.trace import ArgValue
from cudalint.lint.model.expressions import Symbol
from cudalint.lint.model.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
    spelled,
)

_STRUCT_CODES: Mapping[tuple[int, bool], str] = {
    (8, True): "b",
    (8, False): "B",
    (16, True): "h",
    (16, False): "H",
    (32, True): "i",
    (32, False): "I",
    (64, True): "q",
    (64, False): "Q",
}

MADE_UP_FLOAT = 0.75
"""A made-up floating-point argument: neither 0 nor 1, and exact in every format."""


class NotVerifiableError(Exception):
    """Why a finding cannot be run; the text says what to add."""


@dataclass(slots=True)
class Given:
    """An argument's bytes. `pointers` are offsets in it at which device pointers stand, with what they point to.

    `numbers` are the members of a record by path (`grid.sizes[2]`).
    """

    data: bytearray
    pointers: list[tuple[int, Type]] = field(default_factory=list)
    numbers: dict[str, int | float] = field(default_factory=dict)


def argument_bytes(param: Symbol, value: ArgValue, hint: Callable[[str], str], size: int | None) -> Given:
    """The bytes of an argument. `size` is what unknown integers in records become, None where nothing is made up.

    Raises:
        NotVerifiableError: the value is not known and cannot be made up; `hint` words what to add.
    """
    kind, number = param.type, value.number
    if isinstance(kind, FloatType):
        return Given(bytearray(_float(kind, MADE_UP_FLOAT if number is None else float(number))))
    if isinstance(kind, IntType):
        if number is None:
            raise NotVerifiableError(f"the value of {param.name} is not known: {hint(f'{param.name}=…')}")
        return Given(bytearray(_integer(kind, int(number))))
    if isinstance(kind, RecordType):
        made = Given(bytearray(max(1, kind.size)))
        _fill(made, kind, 0, dict(value.elements), "", size)
        return made
    reason = "is a handle" if isinstance(kind, OpaqueType) else "is not a number"
    raise NotVerifiableError(f"parameter {param.name} ({spelled(kind)}) {reason}: it cannot be made up")


def _fill(made: Given, of: Type, at: int, known: Mapping[str, int | float], path: str, size: int | None) -> None:
    """Put a value of a type into the bytes at an offset; `path` is its name within the argument."""
    number = known.get(path.lstrip("."))
    if isinstance(of, IntType | FloatType) and (number is not None or size is not None):
        if isinstance(of, FloatType):
            number = MADE_UP_FLOAT if number is None else float(number)
            data = _float(of, number)
        else:
            number = (size or 0 if of.bits > 8 else 1) if number is None else int(number)
            data = _integer(of, number)
        made.data[at : at + len(data)] = data
        made.numbers[path.lstrip(".")] = number
    elif isinstance(of, RecordType):
        for member in of.fields[: 1 if of.union else None]:
            _fill(made, member.type, at + member.offset, known, f"{path}.{member.name}", size)
    elif isinstance(of, ArrayType) and of.count is not None:
        for index in range(of.count):
            _fill(made, of.element, at + index * of.element.size, known, f"{path}[{index}]", size)
    elif isinstance(of, PointerType) and size is not None:
        made.pointers.append((at, of.pointee))
    else:
        raise NotVerifiableError(f"field {path.lstrip('.')} ({spelled(of)}) is not known")


def _float(of: FloatType, number: float) -> bytes:
    if "bfloat16" in of.name:
        return struct.pack("<f", number)[2:]
    if of.bits not in (16, 32, 64):
        raise NotVerifiableError(f"numbers of type {of.name} cannot be made up")
    return np.array([number], f"float{of.bits}").tobytes()


def _integer(of: IntType, number: int) -> bytes:
    wrapped = number & ((1 << of.bits) - 1)
    if of.signed and wrapped >> (of.bits - 1):
        wrapped -= 1 << of.bits
    return struct.pack("<" + _STRUCT_CODES[of.bits, of.signed], wrapped)


def number_in(of: Type, data: str) -> int | float | None:
    """The number that an argument's bytes (in hex) hold; None when it is none."""
    raw = bytes.fromhex(data)
    if isinstance(of, FloatType) and "bfloat16" in of.name:
        return float(struct.unpack("<f", b"\0\0" + raw)[0])
    if isinstance(of, FloatType):
        return float(np.frombuffer(raw, f"float{of.bits}")[0])
    if isinstance(of, IntType):
        return int(struct.unpack("<" + _STRUCT_CODES[of.bits, of.signed], raw)[0])
    return None
