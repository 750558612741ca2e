// The old form for old toolkits only.
#include <cuda_runtime.h>

__device__ float from_below(float v, int offset)
{
#if defined(CUDART_VERSION) && CUDART_VERSION < 9000
    return __shfl_down(v, offset);
#else
    return __shfl_down_sync(0xffffffffu, v, offset);
#endif
}

__global__ void warp_total(const float* in, float* out)
{
    float v = in[blockIdx.x * 32 + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        v += from_below(v, offset);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
