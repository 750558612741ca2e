#include <cuda_runtime.h>

__device__ float table[256];

__global__ void apply(float* x, const float* factors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factors[i % 256];
}

void wrong(float* x, int n)
{
    apply<<<(n + 255) / 256, 256>>>(x, table, n);  // expect: CUD509@40
}

void right(float* x, int n)
{
    void* address = nullptr;
    cudaGetSymbolAddress(&address, table);
    apply<<<(n + 255) / 256, 256>>>(x, static_cast<float*>(address), n);
}
