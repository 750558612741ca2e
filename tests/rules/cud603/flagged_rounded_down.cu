#include <cuda_runtime.h>
#include <vector>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

void run(float* x, int n)
{
    int threads = 256;
    int blocks = n / threads;
    scale<<<blocks, threads>>>(x, 0.5f, n);  // expect: CUD603@5
    scale<<<1000 / 128, 128>>>(x, 0.5f, 1000);  // expect: CUD603@5
}

void run_all(const std::vector<float>& host, float* x)
{
    int n = (int)host.size();
    scale<<<(n + 127) / 128, 128>>>(x, 0.5f, n);  // expect: CUD603@5
}
