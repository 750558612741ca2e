// Lanes part at each of these branches, and none is worth a change: a swap of registers becomes selects, the tree
// packs its lanes, and the threads in the middle of a tile form a box that a guard cuts out.
#include <cuda_runtime.h>

__device__ void exchange(float& a, float& b)
{
    float t = a;
    a = b;
    b = t;
}

__global__ void __launch_bounds__(256) tree(const float* in, float* out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    float low = in[2 * t], high = in[2 * t + 1];
    if (t & 1) exchange(low, high);
    s[t] = low - 2.0f * high;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void smooth(const float* in, float* out, int width)
{
    __shared__ float tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned at = (blockIdx.y * 14 + y) * width + blockIdx.x * 14 + x;
    tile[y][x] = in[at];
    __syncthreads();
    if (x > 0 && x < 15 && y > 0 && y < 15) {
        float sum = tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
        for (int k = 0; k < 8; ++k) sum = sqrtf(sum + tile[y][x]);
        out[at] = sum;
    }
}

void run(const float* in, float* out, int width, int height)
{
    tree<<<64, 256>>>(in, out);
    smooth<<<dim3(width / 14, height / 14), dim3(16, 16)>>>(in, out, width);
}
