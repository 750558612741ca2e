// Bins are counted by plain increments: threads that meet the same bin lose counts.
#include <cuda_runtime.h>

__global__ void count(const unsigned char* data, unsigned* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[data[i]]++;  // expect: CUD405@16
}

__global__ void count_block(const unsigned char* data, unsigned* bins, int n)
{
    __shared__ unsigned part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int bin = data[i];
        part[bin] = part[bin] + 1;  // expect: CUD405@9
    }
    __syncthreads();
    bins[threadIdx.x] = part[threadIdx.x];
}

void run(const unsigned char* data, unsigned* bins, int n)
{
    count<<<(n + 255) / 256, 256>>>(data, bins, n);
    count_block<<<1, 256>>>(data, bins, n);
}
