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

// A copy to pageable memory returns when it is done, one from it when the source may change.
float pageable(float* dev, int n, cudaStream_t stream)
{
    float* host = new float[n];
    CHECK(cudaMemcpyAsync(host, dev, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    float first = host[0];
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    host[0] = 0.0f;
    CHECK(cudaStreamSynchronize(stream));
    delete[] host;
    return first;
}

// Two halves: the host fills one while the other is copied.
void two_halves(float* dev, int steps, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, 2048 * sizeof(float)));
    CHECK(cudaMemcpyAsync(dev, pinned, 1024 * sizeof(float), cudaMemcpyHostToDevice, stream));
    pinned[1024] = 1.0f;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
}

// The copy only reads what the host reads too.
float both_read(float* dev, int n, cudaStream_t stream)
{
    float* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    for (int i = 0; i < n; ++i) pinned[i] = i;
    CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    float last = pinned[n - 1];
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
    return last;
}

// The slot is waited for by its event before it is filled again.
void ring(float* dev, int n, int steps, cudaStream_t stream)
{
    float* pinned = nullptr;
    cudaEvent_t copied;
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    for (int s = 0; s < steps; ++s) {
        CHECK(cudaEventSynchronize(copied));
        for (int i = 0; i < n; ++i) pinned[i] = s + i;
        CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(copied, stream));
        scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, 0.5f, n);
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaFreeHost(pinned));
}
