"""What host code can ask a device, and what all of them answer (CUDA C++ Programming Guide, Compute Capabilities)."""

from __future__ import annotations

from collections.abc import Mapping

from cudalint.lint.analysis.hoststate import State, place_path
from cudalint.lint.analysis.hostvalues import Atom, AtomKind, Path, Pointer, Value
from cudalint.lint.analysis.hostwords import Words

PROPERTIES = frozenset({"cudaGetDeviceProperties", "cudaGetDeviceProperties_v2"})
ATTRIBUTES = frozenset({"cudaDeviceGetAttribute", "cuDeviceGetAttribute"})

_INT_BYTES = 4
_SAME_ON_ALL: Mapping[Path, int] = {
    ("warpSize",): 32,
    ("maxThreadsPerBlock",): 1024,
    ("maxThreadsDim",): 1024,
    ("maxThreadsDim", _INT_BYTES): 1024,
    ("maxThreadsDim", 2 * _INT_BYTES): 64,
    ("maxGridSize",): 2**31 - 1,
    ("maxGridSize", _INT_BYTES): 65535,
    ("maxGridSize", 2 * _INT_BYTES): 65535,
}
"""Fields of cudaDeviceProp that have one value on all devices of compute capability 3.0 and more."""
_AT_LEAST: Mapping[Path, int] = {
    ("major",): 3,
    ("minor",): 0,
    **{
        (name,): 1
        for name in (
            *(
                "multiProcessorCount",
                "sharedMemPerBlock",
                "regsPerBlock",
                "totalGlobalMem",
                "totalConstMem",
                "memPitch",
            ),
            *("maxThreadsPerMultiProcessor", "sharedMemPerMultiprocessor", "regsPerMultiprocessor", "l2CacheSize"),
            *("sharedMemPerBlockOptin", "maxBlocksPerMultiProcessor", "clockRate"),
        )
    },
}
"""Fields that differ from device to device, with the smallest value of any."""
_BY_NUMBER: Mapping[int, Path] = {
    1: ("maxThreadsPerBlock",),
    2: ("maxThreadsDim",),
    3: ("maxThreadsDim", _INT_BYTES),
    4: ("maxThreadsDim", 2 * _INT_BYTES),
    5: ("maxGridSize",),
    6: ("maxGridSize", _INT_BYTES),
    7: ("maxGridSize", 2 * _INT_BYTES),
    8: ("sharedMemPerBlock",),
    9: ("totalConstMem",),
    10: ("warpSize",),
    11: ("memPitch",),
    12: ("regsPerBlock",),
    13: ("clockRate",),
    16: ("multiProcessorCount",),
    38: ("l2CacheSize",),
    39: ("maxThreadsPerMultiProcessor",),
    75: ("major",),
    76: ("minor",),
    81: ("sharedMemPerMultiprocessor",),
    82: ("regsPerMultiprocessor",),
    97: ("sharedMemPerBlockOptin",),
    106: ("maxBlocksPerMultiProcessor",),
}
"""The field that an attribute (cudaDeviceAttr, CUdevice_attribute) stands for."""


class Device(Words):
    """Answers queries of a device: with a number where all devices agree, else with an unknown for each device."""

    def __init__(self, argv: tuple[str, ...] = ()) -> None:
        super().__init__(argv)
        self._answers: dict[tuple[Value, Path], Atom] = {}

    def asked(self, name: str, args: tuple[Value, ...], state: State) -> None:
        """Store what a query of the runtime or of the driver answers."""
        out = args[0] if args else None
        if not isinstance(out, Pointer):
            return
        if name in PROPERTIES and len(args) == 2:
            for field in (*_SAME_ON_ALL, *_AT_LEAST):
                self.store(state, Pointer(out.object, (*place_path(out), *field)), self._answer(args[1], field))
        elif name in ATTRIBUTES and len(args) == 3 and isinstance(args[1], int) and args[1] in _BY_NUMBER:
            self.store(state, out, self._answer(args[2], _BY_NUMBER[args[1]]))

    def _answer(self, device: Value, field: Path) -> Value:
        if field in _SAME_ON_ALL:
            return _SAME_ON_ALL[field]
        key = (device, field)
        if key not in self._answers:
            self._answers[key] = self.values.fresh(AtomKind.READ, str(field[0]), least=_AT_LEAST[field])
        return self._answers[key]
