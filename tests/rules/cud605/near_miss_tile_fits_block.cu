#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8

__global__ void transpose(float* out, const float* in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

// The first 64 threads of a block fill the table, and a table of two dimensions is filled as one.
__global__ void look_up(float* out, const float* table, const unsigned char* codes, int n)
{
    __shared__ float values[64];
    __shared__ float square[16][16];
    if (threadIdx.x < 64) values[threadIdx.x] = table[threadIdx.x];
    square[0][threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = values[codes[i] % 64] + square[codes[i] % 16][codes[i] / 16];
}

void run(float* out, const float* in, const unsigned char* codes, int n)
{
    dim3 block(TILE, ROWS);
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    transpose<<<grid, block>>>(out, in, n);
    look_up<<<(n + 255) / 256, 256>>>(out, in, codes, n);
}
