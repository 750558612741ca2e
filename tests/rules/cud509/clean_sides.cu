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

float first(int n)
{
    float* dev = nullptr;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaMemset(dev, 0, n * sizeof(float)));
    scale<<<(n + 255) / 256, 256>>>(dev, 0.5f, n);
    CHECK(cudaGetLastError());
    float result = 0.0f;
    CHECK(cudaMemcpy(&result, dev, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dev));
    return result;
}
