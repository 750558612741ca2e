"""What names say in build files: which variables hold nvcc's flags, which switches mean debugging or CUDA."""

from __future__ import annotations

import re

_NVCC_FLAGS = re.compile(
    r"(?:^|_)(?:NVCC_?(?:C|CXX|CC|CU)?_?FLAGS|CUDA_?(?:C|NVCC|CC|CXX)?_?FLAGS|CUFLAGS|NVFLAGS)$", re.IGNORECASE
)
_DEBUG = re.compile(r"(?:^|[^a-z])(?:debug|dbg|gdb)(?:$|[^a-z])|debug", re.IGNORECASE)
_CUDA = re.compile(r"(?:^|_)(?:CUDA|GPU|NVCC)(?:_FOUND|_ENABLED|_SUPPORT)?$", re.IGNORECASE)
_OPPOSITE = {"0": "1", "no": "yes", "off": "on", "false": "true", "n": "y"}


def is_nvcc_flags(name: str) -> bool:
    """Whether a variable holds flags for nvcc, by the names that build files share."""
    return bool(_NVCC_FLAGS.search(name)) and not is_debug(name)


def is_debug(name: str) -> bool:
    """Whether a target, option or variable is about debugging."""
    return bool(_DEBUG.search(name))


def enables_cuda(name: str) -> bool:
    """Whether a switch turns CUDA on: with it off no flag reaches nvcc, so readers take it as on."""
    return bool(_CUDA.search(name)) and not is_debug(name)


def assume_cuda(name: str, value: str) -> str | None:
    """The value that turns CUDA on where a switch for it is off by default; else None."""
    turned = _OPPOSITE.get(value.lower()) if enables_cuda(name) else None
    return turned.upper() if turned and value.isupper() else turned
