// A return and a break before barriers, both the same for the whole block: one depends on blockIdx alone, the
// other on the result of __syncthreads_or, which all threads get.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) settle(float* x, int rows, int rounds)
{
    __shared__ float v[256];
    int row = blockIdx.x;
    if (row >= rows) return;
    int t = threadIdx.x;
    float mine = x[row * 256 + t];
    for (int round = 0; round < rounds; ++round) {
        v[t] = mine;
        __syncthreads();
        float next = 0.5f * (mine + v[t ^ 1]);
        bool moved = fabsf(next - mine) > 1e-4f;
        mine = next;
        if (!__syncthreads_or(moved)) break;
    }
    x[row * 256 + t] = mine;
}
