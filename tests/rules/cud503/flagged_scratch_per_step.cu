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

void smooth(float* u, int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        float* tmp = nullptr;
        CHECK(cudaMalloc(&tmp, n * sizeof(float)));  // expect: CUD503@15
        CHECK(cudaMemcpy(tmp, u, n * sizeof(float), cudaMemcpyDeviceToDevice));
        scale<<<(n + 255) / 256, 256>>>(tmp, 0.5f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(u, tmp, n * sizeof(float), cudaMemcpyDeviceToDevice));
        CHECK(cudaFree(tmp));
    }
}
