// Smoothing in place: thread i reads what thread i - 1 writes.
#include <cuda_runtime.h>

__global__ void smooth(float* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) a[i] = 0.5f * (a[i] + a[i - 1]);  // expect: CUD405@25
}

void run(float* a, int n)
{
    smooth<<<(n + 255) / 256, 256>>>(a, n);
}
