// Blocks that wait for each other through instructions with a memory order, in assembly.
#include <cuda_runtime.h>

__device__ void meet(int* arrived, int blocks)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(arrived));
        for (int found = 0; found != blocks;)
            asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(found) : "l"(arrived));
    }
    __syncthreads();
}

__global__ void exchange(float* parts, float* out, int* arrived)
{
    if (threadIdx.x == 0) parts[blockIdx.x] = 1.0f + blockIdx.x;
    meet(arrived, 8);
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = parts[threadIdx.x];
}

void run(float* parts, float* out, int* arrived)
{
    exchange<<<8, 128>>>(parts, out, arrived);
}
