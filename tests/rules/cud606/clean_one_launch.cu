#include <cuda_runtime.h>

__global__ void relax(float* u, int steps)
{
    for (int s = 0; s < steps; ++s) u[threadIdx.x] = 0.5f * (u[threadIdx.x] + s);
}

void run(float* u, int steps)
{
    relax<<<1, 256>>>(u, steps);
}
