#include <cuda_runtime.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

__global__ void __launch_bounds__(256) bounded(float* x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

void run(float* x, int n)
{
    dim3 tile(64, 32);
    scale<<<64, tile>>>(x, 0.5f, n);  // expect: CUD602@5
    scale<<<dim3(1, 100000), 64>>>(x, 0.5f, n);  // expect: CUD602@5
    bounded<<<16, 512>>>(x);  // expect: CUD602@5
    int blocks = (n + 255) / 256;
    scale<<<256, blocks>>>(x, 0.5f, n);  // expect: CUD602@5
}
