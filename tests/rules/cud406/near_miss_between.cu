// Each barrier has work on both sides: `total` is cleared, added to, and read, in that order.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) count_positive(const float* in, int* out)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (in[blockIdx.x * 256 + threadIdx.x] > 0.0f) atomicAdd(&total, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
