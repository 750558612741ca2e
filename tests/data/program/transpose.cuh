// A transpose through a tile whose columns all lie in one bank.
#pragma once

constexpr int TILE = 32;

// The width is in constant memory: a run apart from its program does not know it.
__constant__ int width;

template <typename T>
__global__ void transpose(const T *in, T *out) {
    __shared__ T tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}
