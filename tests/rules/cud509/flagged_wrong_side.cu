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
    dev[0] = 1.0f;  // expect: CUD509@5
    float* host = new float[n];
    scale<<<(n + 255) / 256, 256>>>(host, 0.5f, n);  // expect: CUD509@37
    CHECK(cudaGetLastError());
    float result = 0.0f;
    CHECK(cudaMemset(&result, 0, sizeof result));  // expect: CUD509@11
    CHECK(cudaFree(dev));
    delete[] host;
    return result;
}
