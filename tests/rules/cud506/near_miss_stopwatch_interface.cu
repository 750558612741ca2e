#include <cuda_runtime.h>

__global__ void step(float* u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] *= 0.99f;
}

struct Stopwatch {
    virtual ~Stopwatch() = default;
    virtual void start() = 0;
    virtual void stop() = 0;
};

// Each step is measured: the watch has to be stopped when the work is done.
void measured(float* u, int n, int steps, Stopwatch& watch)
{
    for (int s = 0; s < steps; ++s) {
        watch.start();
        step<<<(n + 255) / 256, 256>>>(u, n);
        cudaDeviceSynchronize();
        watch.stop();
    }
}
