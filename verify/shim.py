"""What stands in for the host's standard library when device code is compiled without it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.lint.analysis.precision import MATH

BASE = """\
#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned int uint; typedef unsigned char uchar;
typedef unsigned short ushort; typedef unsigned long ulong;
typedef uint64_t uintptr_t; typedef int64_t intptr_t; typedef long ssize_t;
struct FILE;
namespace std {
using ::size_t; using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
using ::uint32_t; using ::int64_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t;
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }
}
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807L
#define LLONG_MAX 9223372036854775807LL
#define ULONG_MAX 18446744073709551615UL
#define ULLONG_MAX 18446744073709551615ULL
#define RAND_MAX 2147483647
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define HUGE_VALF (__int_as_float(0x7f800000))
#define M_E 2.71828182845904523536
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef NULL
#define NULL 0
#endif
#ifndef assert
#define assert(condition) ((void)0)
#endif
"""
"""Names that device code takes from standard headers."""

LEGACY = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot")
"""Warp intrinsics without a mask, which current cards lack: their successors take all lanes in their place."""

_BASE_STD = frozenset({"size_t", "uintptr_t", "intptr_t", "min", "max", "swap"}) | {
    f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_MATH = MATH - {"min", "max"} | {f"{name}f" for name in MATH} | {"isnan", "isinf", "isfinite", "signbit"}

_FROM_CCCL = {
    **dict.fromkeys(["numeric_limits"], "limits"),
    **dict.fromkeys(["array"], "array"),
    **dict.fromkeys(["tuple", "make_tuple", "tie", "get", "tuple_size", "tuple_element"], "tuple"),
    **dict.fromkeys(["forward", "move", "pair", "make_pair", "declval", "integer_sequence"], "utility"),
    **dict.fromkeys(["index_sequence", "make_index_sequence"], "utility"),
    **dict.fromkeys(["complex"], "complex"),
    **dict.fromkeys(["byte", "nullptr_t", "ptrdiff_t"], "cstddef"),
    **dict.fromkeys(["less", "greater", "plus", "multiplies"], "functional"),
}
"""Names that CCCL, which comes with the toolkit, has for device code too: the header in cuda/std."""

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAIT = re.compile(r"^(is_\w+|enable_if(_t)?|conditional(_t)?|remove_\w+|add_\w+|decay(_t)?|make_(un)?signed(_t)?)$")
_TRAITS = frozenset({"true_type", "false_type", "integral_constant", "bool_constant", "void_t", "common_type"})
_USED = re.compile(rb"\bstd[ \t]*::[ \t]*(\w+)(?:[ \t]*::[ \t]*(\w+))?[ \t]*(<?)")
_NAMESPACES = frozenset({"chrono", "filesystem", "this_thread", "placeholders", "literals", "experimental", "pmr"})
_OPENED = ("string", "ostream", "istream", "ifstream", "ofstream", "fstream", "stringstream")
_OPENED_TEMPLATES = ("vector", "map", "unordered_map", "set", "list", "deque", "queue", "function")
"""Host types that code under `using namespace std` may name in declarations that device code keeps."""


def shim(texts: Iterable[bytes]) -> str:
    """A header for these texts: what they take from namespace std, host types among it as empty classes."""
    own = [_COMMENT.sub(b" ", text) for text in texts]
    used = {found for text in own for found in _USED.findall(text)}
    templates = {name for name, inner, bracket in used if bracket and not inner}
    templates |= {kind.encode() for kind in _OPENED_TEMPLATES}
    headers: dict[str, None] = {}
    names: dict[str, None] = {}
    for name, inner, bracket in sorted(used):
        _provide(name.decode(), inner.decode(), bool(bracket) or (not inner and name in templates), headers, names)
    if any(re.search(rb"using\s+namespace\s+std\b", text) for text in own):
        for kind in (*_OPENED, *_OPENED_TEMPLATES):
            _provide(kind, "", kind in _OPENED_TEMPLATES, headers, names)
    lines = [f"#include <cuda/std/{header}>" for header in headers]
    lines += ["namespace std {", *names, "}"]
    if any(b"__NVCC__" in text for text in own):
        lines.append("#define __NVCC__")
    for name in LEGACY:
        if any(re.search(rf"\b{name}\b".encode(), text) for text in own):
            lines.append(f"#define {name}(...) {name}_sync(0xffffffffu, __VA_ARGS__)")
    return BASE + "\n".join(lines) + "\n"


def _provide(name: str, inner: str, template: bool, headers: dict[str, None], names: dict[str, None]) -> None:
    """Add what declares `std::name` (`std::name::inner` when that is a namespace)."""
    header = _FROM_CCCL.get(name)
    if header is None and (name in _TRAITS or _TRAIT.match(name)):
        header = "type_traits"
    if name in _BASE_STD:
        return
    if header is not None:
        headers[header] = None
        names[f"using cuda::std::{name};"] = None
    elif name in _MATH:
        names[f"using ::{name};"] = None
    elif name in _NAMESPACES:
        known = f"{'template <class...> ' if template else ''}class {inner} {{}};" if inner else ""
        names[f"namespace {name} {{ {known} }}"] = None
    elif not any(f"class {name} " in known for known in names):
        names[f"{'template <class...> ' if template else ''}class {name} {{}};"] = None
