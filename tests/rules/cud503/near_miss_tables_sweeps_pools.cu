#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                       \
    do {                                                  \
        cudaError_t status = (call);                      \
        if (status != cudaSuccess) {                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                 \
        }                                                 \
    } while (0)

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

// One buffer per device, a sweep over sizes, a stream-ordered pool, and a macro that only looks like a loop.
void per_device(float** shard, int devices, size_t bytes)
{
    for (int d = 0; d < devices; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&shard[d], bytes));
    }
}

void sweep(int rounds)
{
    for (int n = 1024; n <= 1 << 24; n *= 2) {
        float* x = nullptr;
        CHECK(cudaMalloc(&x, n * sizeof(float)));
        for (int r = 0; r < rounds; ++r) scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFree(x));
    }
}

void pooled(int n, int rounds, cudaStream_t stream)
{
    for (int r = 0; r < rounds; ++r) {
        float* x = nullptr;
        CHECK(cudaMallocAsync(&x, n * sizeof(float), stream));
        scale<<<(n + 255) / 256, 256, 0, stream>>>(x, 0.5f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(x, stream));
    }
}
