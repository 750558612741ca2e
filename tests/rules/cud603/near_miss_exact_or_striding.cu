#include <cuda_runtime.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

// A product with the block size, a tested remainder, a kernel that strides over the grid, an exact constant.
__global__ void strided(float* x, float f, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] *= f;
}

bool run(float* x, int rows, int n)
{
    int padded = rows * 256;
    scale<<<padded / 256, 256>>>(x, 0.5f, padded);
    strided<<<n / 256, 256>>>(x, 0.5f, n);
    scale<<<1024 / 256, 256>>>(x, 0.5f, 1024);
    if (n % 128 != 0) return false;
    scale<<<n / 128, 128>>>(x, 0.5f, n);
    return true;
}
