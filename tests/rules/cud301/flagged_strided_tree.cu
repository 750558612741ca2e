// The lanes that still work are spread over all warps: half of each, then a quarter, then an eighth.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) tree(const float* in, float* out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0)  // expect: CUD301@13
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
