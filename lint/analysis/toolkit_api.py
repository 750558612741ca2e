"""What CUDA toolkits have deprecated, removed and changed.

Sources: the runtime headers of CUDA 11.8.89, 12.0.146, 12.9.79 and 13.0.88, compared name by name (declarations,
their deprecation attributes, and the members of cudaDeviceProp), and the toolkits' release notes for when a
deprecation began.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cudalint.lint.model.expressions import Expr
from cudalint.lint.model.source import NOWHERE
from cudalint.lint.model.types import IntType

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Retired:
    """A name that is deprecated from one toolkit on and gone from another (None: still there in 13.0).

    `instead` says what to use; `same` is a name that takes the same arguments, for a fix.
    """

    deprecated: Version
    removed: Version | None
    instead: str
    same: str | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """A function whose parameters changed in a toolkit. `old` tells a call in the old form by its arguments."""

    since: Version
    old: Callable[[Sequence[Expr]], bool]
    now: str


_THREAD = {"Synchronize": "DeviceSynchronize", "Exit": "DeviceReset", "SetLimit": "DeviceSetLimit"} | {
    "GetLimit": "DeviceGetLimit",
    "SetCacheConfig": "DeviceSetCacheConfig",
    "GetCacheConfig": "DeviceGetCacheConfig",
}
_TEXTURE = "texture objects (cudaCreateTextureObject)"
_SURFACE = "surface objects (cudaCreateSurfaceObject)"
_BANKS = "nothing: GPUs since compute capability 5.0 have one bank width"

FUNCTIONS: dict[str, Retired] = {
    **{f"cudaThread{old}": Retired((4, 0), (13, 0), f"cuda{new}", same=f"cuda{new}") for old, new in _THREAD.items()},
    **{
        name: Retired((11, 3), (12, 0), _TEXTURE)
        for name in (
            *("cudaBindTexture", "cudaBindTexture2D", "cudaBindTextureToArray", "cudaBindTextureToMipmappedArray"),
            *("cudaUnbindTexture", "cudaGetTextureReference", "cudaGetTextureAlignmentOffset"),
        )
    },
    "cudaBindSurfaceToArray": Retired((11, 3), (12, 0), _SURFACE),
    "cudaGetSurfaceReference": Retired((11, 3), (12, 0), _SURFACE),
    "cudaLaunchCooperativeKernelMultiDevice": Retired((11, 3), (13, 0), "one cooperative launch for each device"),
    "cudaSetDoubleForDevice": Retired((7, 5), (13, 0), "nothing: devices have had double precision for long"),
    "cudaSetDoubleForHost": Retired((7, 5), (13, 0), "nothing: devices have had double precision for long"),
    "cudaMemcpyToArray": Retired((10, 1), None, "cudaMemcpy2DToArray"),
    "cudaMemcpyToArrayAsync": Retired((10, 1), None, "cudaMemcpy2DToArrayAsync"),
    "cudaMemcpyFromArray": Retired((10, 1), None, "cudaMemcpy2DFromArray"),
    "cudaMemcpyFromArrayAsync": Retired((10, 1), None, "cudaMemcpy2DFromArrayAsync"),
    "cudaMemcpyArrayToArray": Retired((10, 1), None, "cudaMemcpy2DArrayToArray"),
    "cudaDeviceSetSharedMemConfig": Retired((12, 4), None, _BANKS),
    "cudaDeviceGetSharedMemConfig": Retired((12, 4), None, _BANKS),
    "cudaFuncSetSharedMemConfig": Retired((12, 4), None, _BANKS),
    "cudaGetDriverEntryPoint": Retired((13, 0), None, "cudaGetDriverEntryPointByVersion"),
}
"""Functions of the runtime."""

PROPERTIES: dict[str, Retired] = {
    name: Retired((12, 0), (13, 0), f"cudaDeviceGetAttribute with {attribute}" if attribute else "nothing")
    for name, attribute in {
        "clockRate": "cudaDevAttrClockRate",
        "memoryClockRate": "cudaDevAttrMemoryClockRate",
        "computeMode": "cudaDevAttrComputeMode",
        "deviceOverlap": "cudaDevAttrAsyncEngineCount (asyncEngineCount of the properties)",
        "kernelExecTimeoutEnabled": "cudaDevAttrKernelExecTimeout",
        "singleToDoublePrecisionPerfRatio": "cudaDevAttrSingleToDoublePrecisionPerfRatio",
        "maxTexture1DLinear": "cudaDeviceGetTexture1DLinearMaxWidth",
        "cooperativeMultiDeviceLaunch": "",
    }.items()
}
"""Members of cudaDeviceProp."""

REFERENCES = {"texture": Retired((11, 3), (12, 0), _TEXTURE), "surface": Retired((11, 3), (12, 0), _SURFACE)}
"""Class templates of texture and surface references."""


def _given(arguments: Sequence[Expr]) -> int:
    """How many arguments the source has; defaulted ones stand nowhere."""
    return sum(a.span != NOWHERE for a in arguments)


def _count(number: int) -> Callable[[Sequence[Expr]], bool]:
    return lambda arguments: _given(arguments) == number


def _integer_at(position: int) -> Callable[[Sequence[Expr]], bool]:
    return lambda arguments: len(arguments) > position and isinstance(arguments[position].type, IntType)


CHANGED: dict[str, Changed] = {
    "cudaMemPrefetchAsync": Changed((13, 0), _integer_at(2), "a cudaMemLocation and flags instead of a device"),
    "cudaMemAdvise": Changed((13, 0), _integer_at(3), "a cudaMemLocation instead of a device"),
    "cudaGraphAddDependencies": Changed((13, 0), _count(4), "edge data before the count"),
    "cudaGraphRemoveDependencies": Changed((13, 0), _count(4), "edge data before the count"),
    "cudaGraphGetEdges": Changed((13, 0), _count(4), "edge data before the count"),
    "cudaGraphNodeGetDependencies": Changed((13, 0), _count(3), "edge data before the count"),
    "cudaGraphNodeGetDependentNodes": Changed((13, 0), _count(3), "edge data before the count"),
    "cudaGraphAddNode": Changed((13, 0), _count(5), "edge data before the count"),
    "cudaStreamUpdateCaptureDependencies": Changed((13, 0), _integer_at(2), "edge data before the count"),
}
"""Functions of the runtime whose old form no longer compiles."""

LEGACY_WARP = {
    "__shfl": "__shfl_sync",
    "__shfl_up": "__shfl_up_sync",
    "__shfl_down": "__shfl_down_sync",
    "__shfl_xor": "__shfl_xor_sync",
    "__any": "__any_sync",
    "__all": "__all_sync",
    "__ballot": "__ballot_sync",
}
"""Warp intrinsics without a mask: deprecated since CUDA 9.0, not available for compute capability 7.0 and later."""
