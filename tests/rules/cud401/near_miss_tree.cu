// One barrier per step is enough: in each step the threads that write touch the lower half, and what they
// read lies in the upper half.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) block_max(const float* in, float* out)
{
    __shared__ float best[256];
    int t = threadIdx.x;
    best[t] = in[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) best[t] = fmaxf(best[t], best[t + half]);
    }
    if (t == 0) out[blockIdx.x] = best[0];
}
