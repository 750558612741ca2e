// A list of elements names each of them once: nothing says that two threads meet.
#include <cuda_runtime.h>

__global__ void push(const int* members, float* force, float fx, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) force[members[i]] += fx;
}

__global__ void relax(const int* members, float* x, const float* noise, float keep, int offset, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int n = members[offset + i];
    x[n] = keep * x[n] + noise[i];
}

void run(const int* members, float* force, float* x, const float* noise, int count)
{
    push<<<(count + 255) / 256, 256>>>(members, force, 0.5f, count);
    relax<<<(count + 255) / 256, 256>>>(members, x, noise, 0.9f, 0, count);
}
