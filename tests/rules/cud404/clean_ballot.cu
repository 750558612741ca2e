// The mask is made by a vote before the condition, and names the lanes that enter.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) differences(const float* in, float* out)
{
    float v = in[blockIdx.x * 32 + threadIdx.x];
    unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < 20);
    if (threadIdx.x < 20) {
        v -= __shfl_down_sync(mask, v, 1);
    }
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
