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

bool work(int n)
{
    float* x = nullptr;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return false;
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    bool fine = cudaGetLastError() == cudaSuccess;
    if (!fine) {
        cudaFree(x);
        return false;
    }
    CHECK(cudaFree(x));
    return true;
}
