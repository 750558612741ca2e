// One thread adds up 256 elements while the block waits.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) block_sum(const float* in, float* out)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {  // expect: CUD301@9
        float sum = 0.0f;
        for (int k = 0; k < 256; ++k) sum += s[k];
        out[blockIdx.x] = sum;
    }
}
