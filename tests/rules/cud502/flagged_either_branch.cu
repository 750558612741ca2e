#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                  \
    do {                                             \
        if ((call) != cudaSuccess) std::abort();     \
    } while (0)

template <int Radius>
__global__ void blur(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < Radius || i >= n - Radius) return;
    float sum = 0.0f;
    for (int d = -Radius; d <= Radius; ++d) sum += in[i + d];
    out[i] = sum / (2 * Radius + 1);
}

// One query behind the choice is enough for both launches, and so is one finding.
void run(float* out, const float* in, int n, bool wide, cudaStream_t stream)
{
    if (wide)
        blur<4><<<(n + 255) / 256, 256, 0, stream>>>(out, in, n);  // expect: CUD502@9
    else
        blur<1><<<(n + 255) / 256, 256, 0, stream>>>(out, in, n);
    CHECK(cudaStreamSynchronize(stream));
}
