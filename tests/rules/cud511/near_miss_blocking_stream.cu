#include <cuda_runtime.h>

__global__ void scale(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

// The default stream, which cudaMemcpy uses, waits for streams made without cudaStreamNonBlocking.
void run(float* out, int n)
{
    cudaStream_t stream;
    float* d;
    if (cudaStreamCreate(&stream) != cudaSuccess) return;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) return;
    scale<<<(n + 255) / 256, 256, 0, stream>>>(d, n);
    cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaStreamDestroy(stream);
}
