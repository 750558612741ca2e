// Both barriers are there: one before the tile is used, one before it is refilled.
#include <cuda_runtime.h>

constexpr int TILE = 128;

__global__ void all_dots(const float* rows, const float* vec, float* out, int cols)
{
    __shared__ float part[TILE];
    int row = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int c = 0; c < cols; c += TILE) {
        part[threadIdx.x] = vec[c + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += rows[(size_t)(c + k) * gridDim.x * TILE + row] * part[k];
        __syncthreads();
    }
    out[row] = sum;
}

void run(const float* rows, const float* vec, float* out, int cols, int blocks)
{
    all_dots<<<blocks, TILE>>>(rows, vec, out, cols);
}
