// Looks ignored and is not: a cast to void, a cleared error state, a status collected over a loop, a null test.
#include <cuda_runtime.h>

struct Buffer {
    float* data = nullptr;
    ~Buffer() { (void)cudaDeviceSynchronize(); cudaFree(data); }
};

bool any_fails(float* const* buffers, int count, size_t bytes)
{
    cudaError_t worst = cudaSuccess;
    for (int i = 0; i < count; ++i) {
        cudaError_t status = cudaMemset(buffers[i], 0, bytes);
        if (status != cudaSuccess) worst = status;
    }
    cudaGetLastError();  // clears what is reported below
    return worst != cudaSuccess;
}

float* try_alloc(size_t bytes)
{
    float* p = nullptr;
    cudaMalloc(&p, bytes);
    return p != nullptr ? p : nullptr;
}
