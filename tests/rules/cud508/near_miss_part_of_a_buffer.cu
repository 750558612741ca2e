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


// A part of a buffer, bytes of a byte buffer, and managed memory, which fits any direction.
void parts(const float* host, const unsigned char* image, int n)
{
    float *dev = nullptr, *both = nullptr;
    unsigned char* pixels = nullptr;
    CHECK(cudaMalloc(&dev, 2 * n * sizeof(float)));
    CHECK(cudaMalloc(&pixels, n));
    CHECK(cudaMallocManaged(&both, n * sizeof(float)));
    CHECK(cudaMemcpy(dev, host, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dev + n, host, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(pixels, image, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(both, dev, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dev));
    CHECK(cudaFree(pixels));
    CHECK(cudaFree(both));
}
