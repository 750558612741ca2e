// One barrier between the stores and the loads.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) reverse(const float* in, float* out)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = tile[255 - t];
}
