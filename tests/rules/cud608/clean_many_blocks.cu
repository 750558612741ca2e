// As many blocks as there are elements for.
#include <cuda_runtime.h>

__global__ void scale(float* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2.0f;
}

void run(float* a)
{
    const int n = 1 << 20;
    scale<<<(n + 255) / 256, 256>>>(a, n);
}
