"""Device-only source for NVRTC: the project's files with their host functions blanked out.

NVRTC has no host standard library. Host function definitions become blanks (line numbers stay), standard
headers become a small shim, project headers are written beside the main file in the same layout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from cudalint.lint.frontend.hostparts import HostPart, host_parts
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.types import Type, spelled

SHIM = """\
#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned int uint; typedef unsigned char uchar;
typedef unsigned short ushort; typedef unsigned long ulong; typedef unsigned long uintptr_t;
struct FILE;
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::exp; using ::log; using ::pow; using ::sin; using ::cos;
using ::floor; using ::ceil; using ::size_t; using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
class string {}; class ifstream {}; class ofstream {};
template <class...> class vector {}; template <class...> class map {}; template <class...> class unordered_map {};
template <class...> class set {}; template <class...> class list {}; template <class...> class function {};
template <class...> class unique_ptr {}; template <class...> class shared_ptr {};
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }
}
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#define M_PI 3.14159265358979323846
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef NULL
#define NULL 0
#endif
#ifndef assert
#define assert(condition) ((void)0)
#endif
"""
"""Names that device code takes from standard headers; host types that stay in declarations are empty."""

_TOOLKIT = re.compile(
    r"^(cooperative_groups|cuda/|cub/|thrust/|cuda_fp|cuda_bf16|mma\.h|curand_kernel|math_constants)"
)
"""Headers that device code needs for real, from the toolkit's include folder."""

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DeviceSource:
    """A main text and the folders to search for what it includes."""

    text: str
    include_dirs: tuple[Path, ...]


def device_source(program: TranslationUnit, folder: Path) -> DeviceSource:
    """Write the blanked project files below `folder` and give the main file's text.

    Raises:
        OSError: the folder cannot be written.
    """
    blanked = blank_host_parts(program.files, host_parts(program))
    shim = folder / "shim"
    main = write_tree(blanked, program.path, folder / "tree")
    dirs = dict.fromkeys(path.parent for path in sorted((folder / "tree").rglob("*")) if path.is_file())
    for data in blanked.values():
        for quote, header in _INCLUDE.findall(data):
            _shim_header(shim, header.decode(errors="replace"), quoted=quote == b'"')
    (shim / "cudalint_shim.h").parent.mkdir(parents=True, exist_ok=True)
    (shim / "cudalint_shim.h").write_text(SHIM)
    text = blanked.get(program.path, b"").decode("utf-8", "replace")
    return DeviceSource(f'#include "cudalint_shim.h"\n#line 1\n{text}', (main.parent, *dirs, shim))


def write_tree(files: Mapping[str, bytes], main: str, folder: Path) -> Path:
    """Write files below `folder` in the layout that they have; the place of the main one is returned."""
    plain = {name: PurePath(os.path.normpath(name)) for name in files}
    root = _common_root(plain.values())
    for name, data in files.items():
        target = folder / plain[name].relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / plain[main].relative_to(root)


def _common_root(files: Iterable[PurePath]) -> PurePath:
    parts = [f.parent.parts for f in files]
    common = []
    for level in zip(*parts, strict=False):
        if len(set(level)) != 1:
            break
        common.append(level[0])
    return PurePath(*common)


def _shim_header(shim: Path, header: str, *, quoted: bool) -> None:
    """An empty stand-in for a standard header; project headers are found before it."""
    if _TOOLKIT.match(header) or ".." in PurePath(header).parts or PurePath(header).is_absolute():
        return
    if quoted and "/" in header:
        return
    target = shim / header
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("#pragma once\n")


def blank_host_parts(files: Mapping[str, bytes], parts: Iterable[HostPart]) -> dict[str, bytes]:
    """The files with host-only definitions replaced by blanks, bodies of members by `{}`; line breaks stay."""
    out = {name: bytearray(data) for name, data in files.items()}
    for part in parts:
        span = part.body or part.span
        piece = out[span.file][span.offset : span.end_offset]
        blank = bytearray(c if c in b"\r\n" else 0x20 for c in piece)
        if part.body is not None and len(blank) >= 2:
            blank[0], blank[-1] = b"{"[0], b"}"[0]
        out[span.file][span.offset : span.end_offset] = blank
    return {name: bytes(data) for name, data in out.items()}


def name_expression(kernel: Function) -> str:
    """`ns::kernel<float, 32>` for a template instance, empty for an ordinary kernel."""
    if not kernel.template_args:
        return ""
    values = ", ".join(_argument(a.value) for a in kernel.template_args)
    return f"{kernel.qualified}<{values}>"


def _argument(value: Type | int | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | str) else spelled(value)


def original_tree_options(program: TranslationUnit) -> list[str]:
    """Include options for nvcc so that a copy of the main file elsewhere still finds its headers."""
    dirs = {str(Path(name).resolve().parent): None for name in (program.path, *program.files)}
    return [f"-I{d}" for d in dirs]
