// Updates at loaded indices whose threads are told apart: by what they claim, by a bin's own owner, by a search.
#include <cuda_runtime.h>

__global__ void claimed(const int* key, float* sum, int* taken, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicCAS(&taken[key[i]], 0, 1) == 0) sum[key[i]] += 1.0f;
}

__global__ void leaders(const int* key, const int* leads, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && leads[i] != 0) sum[key[i]] += 1.0f;
}

__global__ void own_rows(const unsigned char* data, int* rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int* mine = rows + row * 256;
    for (int i = 0; i < n; ++i) mine[data[i]]++;
}

__device__ void bump(int& bin)
{
    bin += 1;
}

__global__ void own_rows_by_reference(const unsigned char* data, int* rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; ++i) bump(rows[row * 256 + data[i]]);
}

__global__ void found(const int* start, float* sum, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = 0;
    while (row < rows && start[row] < i) ++row;
    sum[row] += 1.0f;
}

__global__ void per_block(const unsigned char* data, int* tables, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i) tables[blockIdx.x * 256 + data[i]]++;
}

void run(const int* key, const unsigned char* data, float* sum, int* flags, int n)
{
    claimed<<<(n + 255) / 256, 256>>>(key, sum, flags, n);
    leaders<<<(n + 255) / 256, 256>>>(key, flags, sum, n);
    own_rows<<<8, 128>>>(data, flags, n);
    own_rows_by_reference<<<8, 128>>>(data, flags, n);
    found<<<(n + 255) / 256, 256>>>(key, sum, 1000);
    per_block<<<8, 128>>>(data, flags, n);
}
