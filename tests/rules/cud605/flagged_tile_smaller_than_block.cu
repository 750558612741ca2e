#include <cuda_runtime.h>

constexpr int TILE = 16;

__global__ void transpose(float* out, const float* in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x < n && y < n ? in[y * n + x] : 0.0f;  // expect: CUD605@5
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void smooth(float* out, const float* in, int n)
{
    __shared__ float line[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = i < n ? in[i] : 0.0f;  // expect: CUD605@5
    __syncthreads();
    if (i < n && threadIdx.x > 0) out[i] = 0.5f * (line[threadIdx.x] + line[threadIdx.x - 1]);
}

void run(float* out, const float* in, int n)
{
    // The tile was made for 16 x 16 threads, and the line for 128.
    dim3 block(2 * TILE, 8);
    dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    transpose<<<grid, block>>>(out, in, n);
    smooth<<<(n + 255) / 256, 256>>>(out, in, n);
}
