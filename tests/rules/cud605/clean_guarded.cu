#include <cuda_runtime.h>

__device__ bool outside(int i, int n) { return i >= n; }

__global__ void add(int* x, int v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (outside(i, n)) return;
    x[i] += v;
}

__global__ void fill(int* x, int v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = v;
}

void run(int* x, int n)
{
    add<<<(n + 127) / 128, 128>>>(x, 1, n);
    fill<<<(n + 127) / 128, 128>>>(x, 1, n);
}
