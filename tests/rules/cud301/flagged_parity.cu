// Odd and even lanes take different sides, and both sides are long.
#include <cuda_runtime.h>

__global__ void waves(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (threadIdx.x % 2 == 0) {  // expect: CUD301@9
        for (int k = 0; k < 32; ++k) x = sinf(x) * 1.5f;
    } else {
        for (int k = 0; k < 32; ++k) x = cosf(x) * 0.5f;
    }
    out[i] = x;
}

void run(const float* in, float* out, int n)
{
    waves<<<(n + 255) / 256, 256>>>(in, out, n);
}
