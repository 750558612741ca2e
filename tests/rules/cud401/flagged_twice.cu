// The helper is right when it is called once. Called twice in a row, its second call overwrites `scratch`
// while slow warps still add up the first result.
#include <cuda_runtime.h>

__device__ float block_sum(float v, float* scratch)
{
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;  // expect: CUD401@32
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < 8; ++w) sum += scratch[w];
    return sum;
}

__global__ void __launch_bounds__(256) moments(const float* in, float2* out)
{
    __shared__ float scratch[8];
    float v = in[blockIdx.x * 256 + threadIdx.x];
    float first = block_sum(v, scratch);
    float second = block_sum(v * v, scratch);
    if (threadIdx.x == 0) out[blockIdx.x] = make_float2(first, second);
}
