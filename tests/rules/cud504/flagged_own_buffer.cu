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

__global__ void scale(float* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2.0f;
}

// The buffer is allocated, waited for and freed here: the fix allocates it with cudaMallocHost.
float last_scaled(float* dev, int n, cudaStream_t stream)
{
    float* host = static_cast<float*>(std::malloc(n * sizeof(float)));
    for (int i = 0; i < n; ++i) host[i] = float(i);
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));  // expect: CUD504@11
    scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, dev, n * sizeof(float), cudaMemcpyDeviceToHost, stream));  // expect: CUD504@11
    CHECK(cudaStreamSynchronize(stream));
    float last = host[n - 1];
    std::free(host);
    return last;
}
