// Two barriers in a row, and one before the end of the kernel.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) reverse(const float* in, float* out)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    __syncthreads();  // expect: CUD406@5
    out[blockIdx.x * 256 + t] = tile[255 - t];
    __syncthreads();  // expect: CUD406@5
}
