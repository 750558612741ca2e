// Three ways to lose a status: thrown away, never stored, and overwritten before anybody reads it.
#include <cuda_runtime.h>

float* upload(const float* host, size_t n)
{
    float* dev = nullptr;
    if (cudaMalloc(&dev, n * sizeof(float)) != cudaSuccess) return nullptr;
    cudaMemcpy(dev, host, n * sizeof(float), cudaMemcpyHostToDevice);  // expect: CUD501@5
    return dev;
}

cudaError_t clear_both(float* a, float* b, size_t bytes)
{
    cudaError_t status = cudaMemset(a, 0, bytes);  // expect: CUD501@26
    status = cudaMemset(b, 0, bytes);
    return status;
}
