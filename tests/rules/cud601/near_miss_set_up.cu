#include <cuda_runtime.h>

__global__ void row_sums(const float* in, float* out, int width)
{
    float sum = 0.0f;
    for (int k = threadIdx.x; k < width; k += blockDim.x) sum += in[blockIdx.x * width + k];
    atomicAdd(&out[blockIdx.x], sum);
}

// A set-up kernel of one thread, a block size that is computed, 1000 of 1024 lanes, and a group of eight.
__global__ void sums_of_eight(const float* in, float* out)
{
    float v = in[blockIdx.x * 8 + threadIdx.x];
    for (int step = 4; step > 0; step /= 2) v += __shfl_down_sync(0xff, v, step, 8);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

__global__ void reset(int* counters)
{
    counters[0] = counters[1] = 0;
}

void run(const float* in, float* out, int* counters, int rows, int width, int threads)
{
    reset<<<1, 1>>>(counters);
    row_sums<<<rows, threads>>>(in, out, width);
    row_sums<<<rows, 1000>>>(in, out, width);
    sums_of_eight<<<rows, 8>>>(in, out);
}
