#include <cstdio>
#include <cuda_runtime.h>

#include "clamp.h"

bool run(int operation, float* dev, int n)
{
    switch (operation) {
    case 0: clamp_to(dev, 1.0f, n); break;
    case 1: clamp_to(dev, 6.0f, n); break;
    default: return false;
    }
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) std::fprintf(stderr, "operation %d: %s\n", operation, cudaGetErrorString(status));
    return status == cudaSuccess;
}
