// Thread t adds up t + 1 elements: lane 31 keeps its warp running for all.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) running_sum(const float* in, float* out)
{
    __shared__ float v[128];
    v[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k <= threadIdx.x % 32; ++k) sum += v[threadIdx.x / 32 * 32 + k];  // expect: CUD302@5
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
