#include <cuda_runtime.h>

constexpr int TILE = 32;

__global__ void row_sums(float* sums, const float* in, int n)
{
    __shared__ float tile[TILE][TILE];
    int row = blockIdx.x * TILE + threadIdx.y;
    // 32 x 8 threads fill 32 x 32 elements in four steps.
    for (int j = 0; j < TILE; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = row + j < n ? in[(row + j) * TILE + threadIdx.x] : 0.0f;
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0.0f;
        for (int k = 0; k < TILE; ++k) sum += tile[threadIdx.x][k];
        if (blockIdx.x * TILE + threadIdx.x < n) sums[blockIdx.x * TILE + threadIdx.x] = sum;
    }
}

__global__ void histogram(unsigned* bins, const unsigned char* in, int n)
{
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

void run(float* sums, unsigned* bins, const float* in, const unsigned char* bytes, int n)
{
    row_sums<<<(n + TILE - 1) / TILE, dim3(TILE, 8)>>>(sums, in, n);
    histogram<<<128, 96>>>(bins, bytes, n);
}
