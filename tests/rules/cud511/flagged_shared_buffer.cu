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

void copied_elsewhere(const float* host, float* result, int n)
{
    float *pinned = nullptr, *dev = nullptr;
    cudaStream_t copies, compute;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaStreamCreate(&compute));
    for (int i = 0; i < n; ++i) pinned[i] = host[i];
    CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, copies));
    scale<<<(n + 255) / 256, 256, 0, compute>>>(dev, 2.0f, n);  // expect: CUD511@5
    CHECK(cudaStreamSynchronize(compute));
    CHECK(cudaMemcpy(result, dev, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaStreamDestroy(compute));
    CHECK(cudaFree(dev));
    CHECK(cudaFreeHost(pinned));
}

// Each iteration has a stream of its own, but all have one buffer.
void one_scratch(float* pinned, int chunk, int count)
{
    float* scratch = nullptr;
    cudaStream_t streams[4];
    CHECK(cudaMalloc(&scratch, chunk * sizeof(float)));
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamCreate(&streams[i]));
    for (int i = 0; i < count; ++i) {
        cudaStream_t mine = streams[i % 4];
        float* h = pinned + i * chunk;
        CHECK(cudaMemcpyAsync(scratch, h, chunk * sizeof(float), cudaMemcpyHostToDevice, mine));  // expect: CUD511@15
        scale<<<(chunk + 255) / 256, 256, 0, mine>>>(scratch, 2.0f, chunk);
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(scratch));
}

// The kernels of both streams update the same elements.
void two_updates(int n)
{
    float* x = nullptr;
    cudaStream_t one, two;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    scale<<<(n + 255) / 256, 256, 0, one>>>(x, 2.0f, n);
    scale<<<(n + 255) / 256, 256, 0, two>>>(x, 0.5f, n);  // expect: CUD511@5
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(x));
}

// The default stream does not wait for a non-blocking one, nor the other way round.
void not_ordered(float* pinned, int n)
{
    float* dev = nullptr;
    cudaStream_t copies;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaMemset(dev, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    scale<<<(n + 255) / 256, 256>>>(dev, 2.0f, n);
    CHECK(cudaMemcpyAsync(pinned, dev, n * sizeof(float), cudaMemcpyDeviceToHost, copies));  // expect: CUD511@11
    CHECK(cudaStreamSynchronize(copies));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaFree(dev));
}
