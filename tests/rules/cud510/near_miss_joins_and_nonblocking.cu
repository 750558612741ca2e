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

__global__ void add(float* out, const float* a, const float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

// The default stream joins the two: it needs what they made, and they need what it made.
void joined(int n)
{
    float *a = nullptr, *b = nullptr, *sum = nullptr;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&sum, n * sizeof(float)));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    scale<<<(n + 255) / 256, 256, 0, first>>>(a, 2.0f, n);
    scale<<<(n + 255) / 256, 256, 0, second>>>(b, 2.0f, n);
    add<<<(n + 255) / 256, 256>>>(sum, a, b, n);
    scale<<<(n + 255) / 256, 256, 0, first>>>(sum, 0.5f, n);
    scale<<<(n + 255) / 256, 256, 0, second>>>(b, 0.5f, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sum));
}

// These streams do not wait for the default stream.
void non_blocking(float* host, int chunk, int count)
{
    float *dev = nullptr, *other = nullptr;
    cudaStream_t streams[4];
    CHECK(cudaMalloc(&dev, count * chunk * sizeof(float)));
    CHECK(cudaMalloc(&other, chunk * sizeof(float)));
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < count; ++i) {
        scale<<<(chunk + 255) / 256, 256, 0, streams[i % 4]>>>(dev + i * chunk, 2.0f, chunk);
        scale<<<(chunk + 255) / 256, 256>>>(other, 2.0f, chunk);
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(dev));
    CHECK(cudaFree(other));
}

// The host waits in every iteration: there is no overlap to lose.
void waited(float* dev, int chunk, int count)
{
    cudaStream_t streams[4];
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamCreate(&streams[i]));
    for (int i = 0; i < count; ++i) {
        scale<<<(chunk + 255) / 256, 256, 0, streams[i % 4]>>>(dev + i * chunk, 2.0f, chunk);
        CHECK(cudaStreamSynchronize(streams[i % 4]));
        scale<<<(chunk + 255) / 256, 256>>>(dev, 2.0f, chunk);
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamDestroy(streams[i]));
}
