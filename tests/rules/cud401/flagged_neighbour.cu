// A three-point mean over a tile: the neighbours' elements are read before their threads have stored them.
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void mean3(const float* in, float* out, int n)
{
    __shared__ float tile[BLOCK + 2];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    tile[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == BLOCK - 1) tile[BLOCK + 1] = i + 1 < n ? in[i + 1] : 0.0f;
    float sum = tile[t] + tile[t + 1] + tile[t + 2];  // expect: CUD401@17
    if (i < n) out[i] = sum / 3.0f;
}

void run(const float* in, float* out, int n)
{
    mean3<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
