#include <cuda_runtime.h>

constexpr int TILE = 32;

__global__ void multiply(float* c, const float* a, const float* b, int n)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        int k = t * TILE + threadIdx.x;
        as[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0.0f;
        k = t * TILE + threadIdx.y;
        bs[threadIdx.y][threadIdx.x] = k < n && column < n ? b[k * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];  // expect: CUD607@20, CUD607@41
        }
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

void run(float* c, const float* a, const float* b, int n)
{
    // A quarter of the threads that the tiles were made for.
    dim3 block(TILE / 2, TILE / 2);
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    multiply<<<grid, block>>>(c, a, b, n);
}
