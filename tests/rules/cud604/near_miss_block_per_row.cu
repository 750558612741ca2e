#include <cuda_runtime.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

// One block per row indexes with blockIdx alone; one thread per block makes the grid a count of threads.
__global__ void per_row(float* x, int rows, int width)
{
    if (blockIdx.x < rows)
        for (int k = threadIdx.x; k < width; k += blockDim.x) x[blockIdx.x * width + k] = 0.0f;
}

void run(float* x, int n, int width)
{
    per_row<<<n, 128>>>(x, n, width);
    scale<<<n, 1>>>(x, 0.5f, n);
    scale<<<(n + 255) / 256 * 2, 128>>>(x, 0.5f, n);
}
