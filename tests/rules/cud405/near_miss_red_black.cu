// In place, and still no race: odd elements are written, even ones are read.
#include <cuda_runtime.h>

__global__ void relax_odd(float* a, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i + 1 < n) a[i] = 0.5f * (a[i - 1] + a[i + 1]);
}

void run(float* a, int n)
{
    relax_odd<<<(n / 2 + 255) / 256, 256>>>(a, n);
}
