#include <cuda_runtime.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

void run(float* x, int n)
{
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    scale<<<dim3(1 << 20, 1, 64), dim3(32, 32)>>>(x, 0.5f, n);
}
