#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Failed calls of the runtime are kept until somebody asks for the last error.
static void stop_on_error(const char* what)
{
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void fill(float* x, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}

float* filled(int n)
{
    float* dev = nullptr;
    cudaMalloc(&dev, n * sizeof(float));
    stop_on_error("allocation");
    fill<<<(n + 255) / 256, 256>>>(dev, 1.0f, n);
    cudaDeviceSynchronize();
    stop_on_error("fill");
    return dev;
}

struct Worker {
    cudaStream_t stream = nullptr;
    float* scratch = nullptr;

    // Nothing is to be done about errors while everything is given back.
    ~Worker()
    {
        cudaStreamSynchronize(stream);
        cudaFree(scratch);
        cudaStreamDestroy(stream);
    }
};
