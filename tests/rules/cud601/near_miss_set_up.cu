#include <cuda_runtime.h>

__global__ void row_sums(const float* in, float* out, int width)
{
    float sum = 0.0f;
    for (int k = threadIdx.x; k < width; k += blockDim.x) sum += in[blockIdx.x * width + k];
    atomicAdd(&out[blockIdx.x], sum);
}

// A set-up kernel of one thread, a block size that is computed, and 1000 of 1024 lanes.
__global__ void reset(int* counters)
{
    counters[0] = counters[1] = 0;
}

void run(const float* in, float* out, int* counters, int rows, int width, int threads)
{
    reset<<<1, 1>>>(counters);
    row_sums<<<rows, threads>>>(in, out, width);
    row_sums<<<rows, 1000>>>(in, out, width);
}
