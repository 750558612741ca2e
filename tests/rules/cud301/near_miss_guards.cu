// A bounds guard around heavy work parts the last warp of the grid only, a leader that stores costs nothing,
// and a short odd/even choice becomes a select.
#include <cuda_runtime.h>

__global__ void shade(const float* in, float* out, float* first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        for (int k = 0; k < 64; ++k) x = sinf(x);
        out[i] = threadIdx.x % 2 == 0 ? x : -x;
        if (threadIdx.x == 0) first[blockIdx.x] = x;
    }
}

void run(const float* in, float* out, float* first, int n)
{
    shade<<<(n + 255) / 256, 256>>>(in, out, first, n);
}
