// The last steps of a reduction, left to one warp that is trusted to run in lockstep.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) block_sum(const float* in, float* out)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];  // expect: CUD403@17
        s[t] += s[t + 8];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
