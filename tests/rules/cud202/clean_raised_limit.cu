// The limit is raised before the launch.
#include <cuda_runtime.h>

__global__ void reverse(const float* in, float* out)
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

cudaError_t launch(const float* in, float* out, int blocks)
{
    cudaError_t status = cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    if (status != cudaSuccess) return status;
    reverse<<<blocks, 256, 64 * 1024>>>(in, out);
    return cudaGetLastError();
}
