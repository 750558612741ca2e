// A million elements, by one thread and by one block.
#include <cuda_runtime.h>

__global__ void scale(float* a, int n)
{
    for (int i = 0; i < n; i++) a[i] *= 2.0f;
}

__global__ void scale_by_block(float* a, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] *= 2.0f;
}

void run(float* a)
{
    const int n = 1 << 20;
    scale<<<1, 1>>>(a, n);             // expect: CUD608@5
    scale_by_block<<<1, 256>>>(a, n);  // expect: CUD608@5
}
