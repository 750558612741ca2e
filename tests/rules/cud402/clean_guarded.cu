// Loads and stores are guarded, and every thread reaches the barrier.
#include <cuda_runtime.h>

__global__ void reverse(const float* in, float* out, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    int last = min(255, n - 1 - (int)blockIdx.x * 256);
    if (i < n) out[i] = tile[last - threadIdx.x];
}

void run(const float* in, float* out, int n)
{
    reverse<<<(n + 255) / 256, 256>>>(in, out, n);
}
