// The sum is atomic, and the smoothing writes to another buffer.
#include <cuda_runtime.h>

__global__ void total(const float* in, float* sum, float* smoothed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(sum, in[i]);
    smoothed[i] = i > 0 ? 0.5f * (in[i] + in[i - 1]) : in[i];
}

void run(const float* in, float* sum, float* smoothed, int n)
{
    total<<<(n + 255) / 256, 256>>>(in, sum, smoothed, n);
}
