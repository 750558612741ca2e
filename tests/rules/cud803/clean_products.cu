// Products.
#include <cuda_runtime.h>

__device__ float square(float x) { return x * x; }

__global__ void energy(const float* v, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = square(v[i]) + sqrtf(v[i]);
}
