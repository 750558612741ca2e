"""Which CUDA devices there are, asked of the driver without CuPy."""

from __future__ import annotations

import ctypes
import ctypes.util
from dataclasses import dataclass
from importlib.util import find_spec

_CAPABILITY = (75, 76)
"""CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR of cuda.h."""


@dataclass(frozen=True, slots=True)
class Device:
    """A CUDA device. `driver` is the driver's CUDA version, 13000 for 13.0; `arch` nvcc's name, such as sm_90."""

    index: int
    name: str
    driver: int
    arch: str = "native"


def devices() -> list[Device]:
    """The devices that the driver shows; none when there is no driver."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1" if ctypes.util.find_library("cuda") is None else "libcuda.so")
    except OSError:
        try:
            cuda = ctypes.CDLL("nvcuda.dll")
        except OSError:
            return []
    count, driver = ctypes.c_int(), ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        return []
    cuda.cuDriverGetVersion(ctypes.byref(driver))
    found = []
    for index in range(count.value):
        handle, name = ctypes.c_int(), ctypes.create_string_buffer(256)
        if not cuda.cuDeviceGet(ctypes.byref(handle), index) and not cuda.cuDeviceGetName(name, 256, handle):
            arch = "sm_" + "".join(str(_attribute(cuda, which, handle)) for which in _CAPABILITY)
            found.append(Device(index, name.value.decode(errors="replace"), driver.value, arch))
    return found


def _attribute(cuda: ctypes.CDLL, which: int, device: ctypes.c_int) -> int:
    value = ctypes.c_int()
    cuda.cuDeviceGetAttribute(ctypes.byref(value), which, device)
    return value.value


def missing() -> str:
    """Why nothing can be verified here; empty when it can."""
    if not devices():
        return "no CUDA device was found"
    if find_spec("cupy") is None:
        return "CuPy is not installed (pip install 'cudalint[verify]')"
    return ""
