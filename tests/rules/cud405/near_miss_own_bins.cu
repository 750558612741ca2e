// Loaded indices that keep threads apart: by an atomic, by bins of the thread's own, by one thread that counts,
// by the data themselves.
#include <cuda_runtime.h>

__global__ void count(const unsigned char* data, unsigned* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

__global__ void count_own(const unsigned char* data, unsigned* bins, int n)
{
    __shared__ unsigned own[16][64];
    for (int b = 0; b < 16; ++b) own[b][threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += 64) own[data[i] & 15][threadIdx.x]++;
    for (int b = 0; b < 16; ++b) atomicAdd(&bins[b], own[b][threadIdx.x]);
}

__global__ void count_alone(const unsigned char* data, unsigned* bins, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i) bins[data[i]]++;
}

__global__ void run_lengths(const unsigned char* sorted, unsigned* length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n && sorted[i] != sorted[i - 1]) length[sorted[i - 1]] = i - length[sorted[i - 1]];
}

void run(const unsigned char* data, unsigned* bins, int n)
{
    count<<<(n + 255) / 256, 256>>>(data, bins, n);
    count_own<<<1, 64>>>(data, bins, n);
    count_alone<<<1, 64>>>(data, bins, n);
    run_lengths<<<(n + 255) / 256, 256>>>(data, bins, n);
}
