"""Headers that a file relies on without including them: its own header that would is not there to be read.

Names of CUDA's libraries that are not known lead to the header that declares them, and the file is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.lint.frontend.notes import Trouble
from cudalint.lint.frontend.spans import Spans
from cudalint.lint.model.source import NOWHERE

_HEADERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), header)
    for pattern, header in (
        (
            r"cooperative_groups|cg|thread_block(_tile)?|grid_group|coalesced_group|this_(thread_block|grid)|"
            r"tiled_partition|coalesced_threads",
            "cooperative_groups.h",
        ),
        (r"curand(State\w*|_\w+|Direction\w+)", "curand_kernel.h"),
        (r"curand[A-Z]\w*|CURAND_\w+", "curand.h"),
        (r"__half2?|half2?|__(float2half|half2float|hadd|hmul|hfma)\w*", "cuda_fp16.h"),
        (r"__nv_bfloat16\w*|nv_bfloat16\w*|__(float2bfloat16|bfloat162float)\w*", "cuda_bf16.h"),
        (r"wmma|nvcuda", "mma.h"),
        (r"cublas\w+|CUBLAS_\w+", "cublas_v2.h"),
        (r"cufft\w+|CUFFT_\w+", "cufft.h"),
        (r"cusparse\w+|CUSPARSE_\w+", "cusparse.h"),
        (r"(u?int(8|16|32|64)|u?intptr)_t", "cstdint"),
        (r"printf|fprintf|stderr|FILE|fopen", "cstdio"),
        (r"malloc|free|exit|atoi|EXIT_\w+|rand", "cstdlib"),
        (r"memset|memcpy|strcmp|strlen", "cstring"),
        (r"cout|cerr|endl", "iostream"),
    )
)
_STANDARD: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), header)
    for pattern, header in (
        (r"(w?string|to_string|sto(i|l|ul|ll|ull|f|d))", "string"),
        (r"(i|o)?fstream", "fstream"),
        (r"(i|o)?stringstream", "sstream"),
        (r"set(w|precision|fill)", "iomanip"),
        (r"function|hash|less|greater|plus|bind", "functional"),
        (r"(unique|shared|weak)_ptr|make_(unique|shared)", "memory"),
        (r"sort|stable_sort|(min|max)(_element)?|fill(_n)?|copy|swap|transform|find|reverse|unique", "algorithm"),
        (r"accumulate|iota|reduce|partial_sum", "numeric"),
        (r"numeric_limits", "limits"),
        (r"runtime_error|logic_error|invalid_argument|out_of_range", "stdexcept"),
        (r"mt19937(_64)?|(uniform_(int|real)|normal)_distribution|default_random_engine|random_device", "random"),
        (r"pair|make_pair|move|forward", "utility"),
        (r"mutex|lock_guard|unique_lock", "mutex"),
        (
            r"vector|array|map|multimap|set|deque|list|queue|stack|tuple|optional|variant|chrono|thread|atomic",
            "\\g<0>",
        ),
        (r"(unordered_(map|set))", "\\g<0>"),
    )
)
_IN_STD = re.compile(r"in namespace 'std'|'std::\w+'")
_NAMESPACE = re.compile(r"expected namespace name")


def implied_headers(troubles: Iterable[Trouble], spans: Spans) -> tuple[str, ...]:
    """The headers that declare what the errors say is unknown, in a fixed order, none twice."""
    found = list(troubles)
    names = {_name(trouble, spans) for trouble in found}
    standard = sorted({trouble.subject for trouble in found if _IN_STD.search(trouble.message)})
    headers = [header for pattern, header in _HEADERS if any(pattern.fullmatch(name) for name in names)]
    headers += [
        m.expand(header) for pattern, header in _STANDARD for name in standard if (m := pattern.fullmatch(name))
    ]
    return tuple(dict.fromkeys(headers))


def _name(trouble: Trouble, spans: Spans) -> str:
    if _NAMESPACE.search(trouble.message) and trouble.span is not NOWHERE:
        file = spans.files.get(trouble.span.file)
        return (file.identifier(trouble.span.offset) or "") if file else ""
    return trouble.subject
