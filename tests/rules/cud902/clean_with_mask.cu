// The same with the lanes named.
#include <cuda_runtime.h>

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void sums(const float* in, float* out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = warp_sum(in[i]);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = v;
}
