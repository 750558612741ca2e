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
    )
)
_NAMESPACE = re.compile(r"expected namespace name")


def implied_headers(troubles: Iterable[Trouble], spans: Spans) -> tuple[str, ...]:
    """The headers that declare what the errors say is unknown, in a fixed order, none twice."""
    names = {_name(trouble, spans) for trouble in troubles}
    return tuple(header for pattern, header in _HEADERS if any(pattern.fullmatch(name) for name in names))


def _name(trouble: Trouble, spans: Spans) -> str:
    if _NAMESPACE.search(trouble.message) and trouble.span is not NOWHERE:
        file = spans.files.get(trouble.span.file)
        return (file.identifier(trouble.span.offset) or "") if file else ""
    return trouble.subject
