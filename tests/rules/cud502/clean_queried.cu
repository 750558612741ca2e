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

#define LAUNCHED() CHECK(cudaPeekAtLastError())

void twice(float* dev, int n, cudaStream_t stream)
{
    scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, 0.5f, n);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, 2.0f, n);
    LAUNCHED();
}

cudaError_t once(float* dev, int n)
{
    scale<<<(n + 255) / 256, 256>>>(dev, 3.0f, n);
    return cudaGetLastError();
}
