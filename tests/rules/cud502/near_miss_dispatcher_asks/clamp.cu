#include <cuda_runtime.h>

#include "clamp.h"

__global__ void clamp(float* x, float most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(x[i], most);
}

// The wait reports no rejected launch, but the dispatcher asks behind every operation: see dispatch.cu.
void clamp_to(float* dev, float most, int n)
{
    clamp<<<(n + 255) / 256, 256>>>(dev, most, n);
    cudaDeviceSynchronize();
}
