#include <cuda_runtime.h>

// The first warp loads 32 sums of which 8 are set; the others are dropped before they get anywhere.
__global__ void block_sums(float* sums, const float* in, int n)
{
    __shared__ float partial[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = i < n ? in[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        float mine = partial[lane];
        sum = lane < blockDim.x / 32 ? mine : 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (lane == 0) sums[blockIdx.x] = sum;
    }
}

// The border of a partial line stays unset, and the same guard keeps it from being read.
__global__ void differences(float* out, const float* in, int n)
{
    __shared__ float line[257];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) line[threadIdx.x] = in[i];
    if (threadIdx.x == 0 && i + 256 < n) line[256] = in[i + 256];
    __syncthreads();
    if (i + 1 < n) out[i] = line[threadIdx.x + 1] - line[threadIdx.x];
}

// An exchange sets the counter, whatever it held.
__global__ void count(int* counts, const float* in, int n)
{
    __shared__ int positive;
    atomicExch(&positive, 0);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.0f) atomicAdd(&positive, 1);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = positive;
}

void run(float* out, float* sums, int* counts, const float* in, int n)
{
    block_sums<<<(n + 255) / 256, 256>>>(sums, in, n);
    differences<<<(n + 255) / 256, 256>>>(out, in, n);
    count<<<(n + 255) / 256, 256>>>(counts, in, n);
}
