// A warp reduction and a vote from before CUDA 13 (and before Volta).
#include <cuda_runtime.h>

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);  // expect: CUD902@14
    return v;
}

__global__ void sums(const float* in, float* out, int* any)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = warp_sum(in[i]);
    int found = __any(v > 1.0f);  // expect: CUD902@17
    if (threadIdx.x % 32 == 0) {
        out[i / 32] = v;
        any[i / 32] = found;
    }
}

void run(const float* in, float* out, int* any) { sums<<<64, 256>>>(in, out, any); }
