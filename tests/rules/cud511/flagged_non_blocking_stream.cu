#include <cuda_runtime.h>

__global__ void scale(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

// cudaMemcpy waits for the default stream, which a non-blocking stream has nothing to do with.
void run(float* out, int n)
{
    cudaStream_t stream;
    float* d;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) return;
    scale<<<(n + 255) / 256, 256, 0, stream>>>(d, n);
    cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost);  // expect: CUD511@5
    cudaFree(d);
    cudaStreamDestroy(stream);
}
