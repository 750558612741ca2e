// All threads add to one element, without an atomic: most of the sum is lost.
#include <cuda_runtime.h>

__global__ void total(const float* in, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += in[i];  // expect: CUD405@16
}

void run(const float* in, float* sum, int n)
{
    total<<<(n + 255) / 256, 256>>>(in, sum, n);
}
