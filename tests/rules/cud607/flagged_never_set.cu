#include <cuda_runtime.h>

__global__ void count_positive(int* counts, const float* in, int n)
{
    __shared__ int count;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.0f) atomicAdd(&count, 1);  // expect: CUD607@43
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

__global__ void histogram(unsigned* bins, const unsigned char* in, int n)
{
    __shared__ unsigned local[256];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);  // expect: CUD607@35
}

void run(int* counts, unsigned* bins, const float* in, const unsigned char* bytes, int n)
{
    count_positive<<<(n + 255) / 256, 256>>>(counts, in, n);
    histogram<<<128, 256>>>(bins, bytes, n);
}
