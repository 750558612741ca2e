// Small steps stay within a warp; from a step of 32 on the whole block waits, also after the last one.
#include <cuda_runtime.h>

__device__ void sort(int* values)
{
    for (unsigned size = 2; size <= 1024; size <<= 1) {
        unsigned half = size / 2;
        unsigned at = 2 * threadIdx.x - (threadIdx.x & (half - 1));
        if (at + half < 1024 && values[at] > values[at + half]) {
            int low = values[at + half];
            values[at + half] = values[at];
            values[at] = low;
        }
        if (size <= 16)
            __syncwarp();
        else
            __syncthreads();
    }
}

__global__ void mark_runs(const int* in, int* out)
{
    __shared__ int values[1024];
    values[threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    sort(values);
    bool same = threadIdx.x + 1 < 1024 && values[threadIdx.x] == values[threadIdx.x + 1];
    out[blockIdx.x * 1024 + threadIdx.x] = same;
}

void run(const int* in, int* out, int blocks)
{
    mark_runs<<<blocks, 1024>>>(in, out);
}
