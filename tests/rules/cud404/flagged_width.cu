// The width of a shuffle has to be a power of two.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) groups(const float* in, float* out)
{
    float v = in[blockIdx.x * 32 + threadIdx.x];
    v += __shfl_xor_sync(0xffffffffu, v, 1, 12);  // expect: CUD404@10
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
