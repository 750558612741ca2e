#include <cuda_runtime.h>

__global__ void total(float* sum, const float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

// What it computes is returned to the host, whoever calls it.
static void sum_of(float* result, float* scratch, const float* x, int n)
{
    cudaMemsetAsync(scratch, 0, sizeof(float));
    total<<<(n + 255) / 256, 256>>>(scratch, x, n);
    cudaMemcpy(result, scratch, sizeof(float), cudaMemcpyDeviceToHost);
}

void repeat(float* result, float* scratch, const float* x, int n, int times)
{
    for (int t = 0; t < times; ++t) sum_of(result, scratch, x, n);
}
