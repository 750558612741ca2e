"""The fix of CUD504: what it writes, and where pinning a buffer would not be right as it is."""

from __future__ import annotations

import pytest
from cudalint.rules.cud504_pageable_async_copy import PageableAsyncCopy
from test_host_fixes import fixed

UP = "TRY(cudaMemcpyAsync(d, h, b, cudaMemcpyHostToDevice, s));"
DOWN = "TRY(cudaMemcpyAsync(h, d, b, cudaMemcpyDeviceToHost, s));"
WAIT = "TRY(cudaStreamSynchronize(s));"
HEADER = "void f(float* d, float* w, size_t b, int n, cudaStream_t s, cudaStream_t t) {\n"
MAKE = "    float* h = (float*)malloc(b);\n"
FREE = "    free(h);\n}\n"


def made(body: str, make: str = MAKE, free: str = FREE) -> str | None:
    """The function after the fix, without its header; None where there is no fix."""
    text = fixed(PageableAsyncCopy(), HEADER + make + body + free)
    return text.removeprefix(HEADER) if text is not None else None


def test_malloc_and_free_become_the_runtimes() -> None:
    assert made(f"    h[0] = 1;\n    {UP}\n    {WAIT}\n") == (
        "    float* h = nullptr;\n"
        "    TRY(cudaMallocHost(&h, b));\n"
        f"    h[0] = 1;\n    {UP}\n    {WAIT}\n"
        "    TRY(cudaFreeHost(h));\n}\n"
    )


def test_calloc_new_and_assignments() -> None:
    use = f"    {UP}\n    {WAIT}\n"
    assert made(use, "    float* h = (float*)calloc(n + 1, sizeof(float));\n") == (
        "    float* h = nullptr;\n"
        "    TRY(cudaMallocHost(&h, (n + 1) * sizeof(float))); memset(h, 0, (n + 1) * sizeof(float));\n"
        f"{use}    TRY(cudaFreeHost(h));\n}}\n"
    )
    assert made(use, "    float *h = new float[n];\n", "    delete[] h;\n}\n") == (
        f"    float *h = nullptr;\n    TRY(cudaMallocHost(&h, n * sizeof(*h)));\n{use}    TRY(cudaFreeHost(h));\n}}\n"
    )
    assert made(use, "    float *h;\n    h = static_cast<float*>(std::malloc(b));\n", "    std::free(h);\n}\n") == (
        f"    float *h;\n    TRY(cudaMallocHost(&h, b));\n{use}    TRY(cudaFreeHost(h));\n}}\n"
    )


def test_without_a_macro_of_its_own_nothing_is_checked() -> None:
    plain = "    cudaMemcpyAsync(d, h, b, cudaMemcpyHostToDevice, s);\n    cudaDeviceSynchronize();\n"
    text = made(plain)
    assert text == f"    float* h = nullptr;\n    cudaMallocHost(&h, b);\n{plain}    cudaFreeHost(h);\n}}\n"


def test_all_buffers_of_many_copies_are_pinned_or_none() -> None:
    make = MAKE + "    float* g = (float*)malloc(b);\n"
    body = (
        f"    {UP}\n    {DOWN}\n"
        "    TRY(cudaMemcpyAsync(w, g, b, cudaMemcpyHostToDevice, s));\n"
        "    TRY(cudaMemcpyAsync(g, w, b, cudaMemcpyDeviceToHost, s));\n"
        f"    {WAIT}\n"
    )
    text = made(body, make, "    free(g);\n" + FREE)
    assert text is not None
    assert text.count("cudaMallocHost") == 2
    assert "free(" not in text.lower().replace("cudafreehost(", "")
    assert made(body, make, "    if (n) free(g);\n" + FREE) is None


GOOD = {
    "each iteration waits": f"    for (int i = 0; i < n; ++i) {{ h[i] = 1; {UP} {WAIT} }}\n",
    "the device is waited for": f"    {DOWN}\n    TRY(cudaDeviceSynchronize());\n    n = int(h[0]);\n",
    "an error path frees": f"    if (!h) {{ free(h); return; }}\n    {UP}\n    {WAIT}\n",
    "copies in one stream follow each other": f"    {UP}\n    {DOWN}\n    {WAIT}\n    n = int(h[1]);\n",
    "a part is copied": "    TRY(cudaMemcpyAsync(d, h + n, b, cudaMemcpyHostToDevice, s));\n    " + WAIT + "\n",
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_code_that_waits_is_fixed(body: str) -> None:
    text = made(body)
    assert text is not None
    assert "TRY(cudaMallocHost(&h, b));" in text


BAD = {
    "nothing waits": f"    {UP}\n",
    "it is read before the wait": f"    {DOWN}\n    n = int(h[0]);\n    {WAIT}\n",
    "it is written before the wait": f"    {UP}\n    h[0] = 1;\n    {WAIT}\n",
    "the next iteration writes it": f"    for (int i = 0; i < n; ++i) {{ h[i] = 1; {UP} }}\n    {WAIT}\n",
    "another stream is waited for": f"    {UP}\n    TRY(cudaStreamSynchronize(t));\n",
    "it waits on one path only": f"    {UP}\n    if (n) {WAIT}\n",
    "another stream copies back into it": (
        f"    {UP}\n    TRY(cudaMemcpyAsync(h, w, b, cudaMemcpyDeviceToHost, t));\n"
        "    TRY(cudaDeviceSynchronize());\n"
    ),
    "a path leaves without freeing": f"    {UP}\n    {WAIT}\n    if (n) return;\n",
    "another pointer holds it": f"    float* q = h;\n    {UP}\n    {WAIT}\n    q[0] = 1;\n",
    "another pointer points into it": f"    float* q = &h[1];\n    {UP}\n    {WAIT}\n    q[0] = 1;\n",
    "a lambda holds it": f"    auto l = [&] {{ h[0] = 1; }};\n    {UP}\n    {WAIT}\n    l();\n",
    "it moves on": f"    {UP}\n    {WAIT}\n    ++h;\n",
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_code_that_is_not_plain_is_left_alone(body: str) -> None:
    assert made(body) is None


def test_allocations_that_are_not_plain_are_left_alone() -> None:
    use = f"    {UP}\n    {WAIT}\n"
    assert made(use, "    auto h = (float*)malloc(b);\n") is None
    assert made(use, "    float *h = (float*)malloc(b), *g = h;\n") is None
    assert made(use, MAKE, "}\n") is None
    assert made(use, MAKE, "    if (n) free(h);\n}\n") is None
    loop = "    for (int i = 0; i < n; ++i) {\n"
    assert made(use, loop + MAKE, "    free(h);\n    }\n}\n") is None
