// Nothing in this file looks at a status: one finding, with the count.
#include <cuda_runtime.h>

void round_trip(float* host, size_t n)
{
    float* dev = nullptr;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&dev, bytes);  // expect: CUD501@5
    cudaMemset(dev, 0, bytes);
    cudaMemcpy(dev, host, bytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    cudaMemcpy(host, dev, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dev);
}
