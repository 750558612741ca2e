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

void decay(float* x, float* d_norm, float* norms, int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());  // expect: CUD506@15
    }
    for (int s = 0; s < steps; ++s) {
        scale<<<(n + 255) / 256, 256>>>(x, 0.9f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&norms[s], d_norm, sizeof(float), cudaMemcpyDeviceToHost));  // expect: CUD506@15
    }
}
