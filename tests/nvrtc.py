"""NVRTC without a GPU, through ctypes: does a source compile?"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest


@cache
def _library() -> ctypes.CDLL | None:
    for base in map(Path, sys.path):
        for path in sorted((base / "nvidia").glob("**/libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def errors(source: str, options: Sequence[str], expression: str = "") -> list[str]:
    """The compiler's errors, none when it compiles. Skips the test where NVRTC is not installed."""
    nvrtc = _library()
    if nvrtc is None:
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    if expression:
        nvrtc.nvrtcAddNameExpression(program, expression.encode())
    given = [option.encode() for option in (*options, "-arch=sm_90")]
    failed = nvrtc.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    lines = [line for line in log.value.decode(errors="replace").splitlines() if "error" in line]
    return (lines or ["failed without a message"]) if failed else []
