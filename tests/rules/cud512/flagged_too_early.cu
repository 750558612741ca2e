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

float read_too_early(const float* dev, int n, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaMemcpyAsync(pinned, dev, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    float first = pinned[0];  // expect: CUD512@19
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
    return first;
}

// The next iteration fills the buffer while the copy of this one may not have begun.
void refilled_too_early(float* dev, int n, int steps, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < n; ++i) pinned[i] = s + i;  // expect: CUD512@37
        CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
        scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, 0.5f, n);
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
}

void released_too_early(const float* values, float* dev, int n, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    for (int i = 0; i < n; ++i) pinned[i] = values[i];
    CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaFreeHost(pinned));  // expect: CUD512@11
}

float managed_too_early(int n)
{
    float* x = nullptr;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    for (int i = 0; i < n; ++i) x[i] = 1.0f;
    scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    float first = x[0];  // expect: CUD512@19
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
    return first;
}
