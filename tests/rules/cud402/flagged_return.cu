// The threads beyond the end return, and the rest of their block waits for them at the barrier.
#include <cuda_runtime.h>

__global__ void reverse(const float* in, float* out, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads();  // expect: CUD402@5
    int last = min(255, n - 1 - (int)blockIdx.x * 256);
    out[i] = tile[last - threadIdx.x];
}

void run(const float* in, float* out, int n)
{
    reverse<<<(n + 255) / 256, 256>>>(in, out, n);
}
