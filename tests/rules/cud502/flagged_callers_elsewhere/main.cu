#include <cstdio>
#include <cuda_runtime.h>

#include "normalise.h"

int main()
{
    static float host[1000];
    float* dev = nullptr;
    cudaMalloc(&dev, sizeof(host));
    cudaMemcpy(dev, host, sizeof(host), cudaMemcpyHostToDevice);
    normalise(dev, 1.0f, 0.5f, 1000);
    cudaMemcpy(host, dev, sizeof(host), cudaMemcpyDeviceToHost);
    std::printf("%g\n", host[0]);
    cudaFree(dev);
}
