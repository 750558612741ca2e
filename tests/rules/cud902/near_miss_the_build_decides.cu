// The build sets HAVE_SHFL_SYNC for toolkits that have the newer form.
#include <cuda_runtime.h>

#if defined(HAVE_SHFL_SYNC)
__device__ float shuffle_down(float v, int delta)
{
    return __shfl_down_sync(0xffffffff, v, delta);
}
#else
__device__ float shuffle_down(float v, int delta)
{
    return __shfl_down(v, delta);
}
#endif

__global__ void sums(float* out, const float* in)
{
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) v += shuffle_down(v, offset);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
