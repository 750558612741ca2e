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

inline void must(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::abort();
    }
}

float* zeros(size_t n)
{
    float* dev = nullptr;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    must(cudaMemset(dev, 0, n * sizeof(float)), "memset");
    return dev;
}

cudaError_t finish(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}
