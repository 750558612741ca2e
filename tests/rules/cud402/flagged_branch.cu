// The barrier is in a helper that only the first two warps call.
#include <cuda_runtime.h>

__device__ float half_sum(float v, float* scratch)
{
    scratch[threadIdx.x] = v;
    __syncthreads();  // expect: CUD402@5
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum += scratch[k];
    return sum;
}

__global__ void __launch_bounds__(128) front(const float* in, float* out)
{
    __shared__ float scratch[64];
    float v = in[blockIdx.x * 128 + threadIdx.x];
    if (threadIdx.x < 64) {
        float sum = half_sum(v, scratch);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}
