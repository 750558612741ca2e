// An exact grid, a buffer with room for whole blocks, an index that wraps, and offsets with one element more.
#include <cuda_runtime.h>

__global__ void add(int* x, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += v;
}

__global__ void wrapped(int* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i % n] = i;
}

__global__ void offsets(int* at, int width, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= rows) at[i] = i * width;
}

void run(int* x, int* at, int n, int rows)
{
    add<<<rows * 128 / 128, 128>>>(x, 1);
    int blocks = (n + 127) / 128;
    int* padded = nullptr;
    if (cudaMalloc(&padded, (size_t)blocks * 128 * sizeof(int)) != cudaSuccess) return;
    add<<<blocks, 128>>>(padded, 1);
    wrapped<<<blocks, 128>>>(padded, n);
    offsets<<<(rows + 1 + 127) / 128, 128>>>(at, 4, rows);
    cudaFree(padded);
}
