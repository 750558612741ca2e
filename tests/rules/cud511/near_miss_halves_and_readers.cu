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

__global__ void scale_from(float* x, int first, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[first + i] *= f;
}

// One buffer, but each stream has its half of it.
void halves(const float* pinned, int n)
{
    float* dev = nullptr;
    cudaStream_t one, two;
    int half = n / 2;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaMemcpyAsync(dev, pinned, half * sizeof(float), cudaMemcpyHostToDevice, one));
    CHECK(cudaMemcpyAsync(dev + half, pinned + half, half * sizeof(float), cudaMemcpyHostToDevice, two));
    scale_from<<<(half + 255) / 256, 256, 0, one>>>(dev, 0, 2.0f, half);
    scale_from<<<(half + 255) / 256, 256, 0, two>>>(dev, half, 2.0f, half);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(dev));
}

// Both streams only read.
__global__ void sum(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void two_readers(const float* host, float* results, int n)
{
    float *in = nullptr, *a = nullptr, *b = nullptr;
    cudaStream_t one, two;
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc(&a, sizeof(float)));
    CHECK(cudaMalloc(&b, sizeof(float)));
    CHECK(cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaMemsetAsync(a, 0, sizeof(float), one));
    CHECK(cudaMemsetAsync(b, 0, sizeof(float), two));
    sum<<<(n + 255) / 256, 256, 0, one>>>(a, in, n);
    sum<<<(n + 255) / 256, 256, 0, two>>>(b, in, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(results, a, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(results + 1, b, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(in));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

// Work on the legacy default stream waits for blocking streams, and they for it.
void by_default_stream(const float* pinned, float* result, int n)
{
    float* dev = nullptr;
    cudaStream_t copies;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, copies));
    scale<<<(n + 255) / 256, 256>>>(dev, 2.0f, n);
    CHECK(cudaMemcpyAsync(result, dev, n * sizeof(float), cudaMemcpyDeviceToHost, copies));
    CHECK(cudaStreamSynchronize(copies));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaFree(dev));
}
