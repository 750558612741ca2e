#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                       \
    do {                                                  \
        cudaError_t status = (call);                      \
        if (status != cudaSuccess) {                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                 \
        }                                                 \
    } while (0)

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

float read_after_the_wait(const float* dev, int n, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaMemcpyAsync(pinned, dev, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    float first = pinned[0];
    CHECK(cudaFreeHost(pinned));
    return first;
}

float managed(int n)
{
    float* x = nullptr;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    for (int i = 0; i < n; ++i) x[i] = 1.0f;
    scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    CHECK(cudaDeviceSynchronize());
    float first = x[0];
    CHECK(cudaFree(x));
    return first;
}
