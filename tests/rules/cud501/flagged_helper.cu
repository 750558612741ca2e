// A function that returns the status of the calls it makes hands the duty to its caller.
#include <cuda_runtime.h>

static cudaError_t grow(float** buffer, size_t bytes)
{
    cudaError_t status = cudaFree(*buffer);
    if (status == cudaSuccess) status = cudaMalloc(buffer, bytes);
    return status;
}

bool reserve(float** a, float** b, size_t bytes)
{
    grow(a, bytes);  // expect: CUD501@5
    return grow(b, bytes) == cudaSuccess;
}
