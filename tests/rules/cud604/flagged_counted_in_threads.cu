#include <cuda_runtime.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

void run(float* x, int n)
{
    scale<<<n, 256>>>(x, 0.5f, n);  // expect: CUD604@5
    dim3 block(256);
    dim3 grid((n + block.x - 1) / block.x * block.x);
    scale<<<grid, block>>>(x, 2.0f, n);  // expect: CUD604@5
}
