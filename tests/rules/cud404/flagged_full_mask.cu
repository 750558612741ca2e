// Twenty lanes shuffle, and the mask waits for thirty-two.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) differences(const float* in, float* out)
{
    float v = in[blockIdx.x * 32 + threadIdx.x];
    if (threadIdx.x < 20) {
        v -= __shfl_down_sync(0xffffffffu, v, 1);  // expect: CUD404@14
    }
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
