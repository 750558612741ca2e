#include <cuda_runtime.h>

template <typename T>
constexpr T blocks_for(T n, T block)
{
    return n / block + (n % block != 0);
}

__device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void add(float* x, float v)
{
    x[global_index()] += v;  // expect: CUD605@5
}

__global__ void clear(float* x, int n)
{
    const int i = global_index();
    if (i <= n) x[i] = 0.0f;  // expect: CUD605@17
}

void run(float* x, int n)
{
    add<<<blocks_for(n, 128), 128>>>(x, 1.0f);
    clear<<<blocks_for(n, 128), 128>>>(x, n);
}
