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

#include <chrono>
#include <ctime>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

// A blocking copy waits, a clock that starts after the launch measures something else, and so does a seed.
double with_copy(float* x, float* host, int n)
{
    auto t0 = std::chrono::steady_clock::now();
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost));
    auto t1 = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(t1 - t0).count();
}

double host_part(float* x, float* host, int n)
{
    auto before = std::chrono::steady_clock::now();
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    CHECK(cudaGetLastError());
    auto t0 = std::chrono::steady_clock::now();
    for (int i = 0; i < n; ++i) host[i] *= 0.5f;
    auto t1 = std::chrono::steady_clock::now();
    CHECK(cudaDeviceSynchronize());
    auto t2 = std::chrono::steady_clock::now();
    std::printf("all %g\n", std::chrono::duration<double>(t2 - before).count());
    return std::chrono::duration<double>(t1 - t0).count();
}

// A capture runs nothing, and of an empty kernel there is only the launch to measure.
double with_capture(float* x, int n, cudaStream_t stream, cudaGraph_t* graph)
{
    auto t0 = std::chrono::steady_clock::now();
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, 0.5f, n);
    CHECK(cudaStreamEndCapture(stream, graph));
    auto t1 = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(t1 - t0).count();
}

__global__ void nothing() {}

double rate_of_launches(int repeats)
{
    auto t0 = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r) nothing<<<1, 32>>>();
    auto t1 = std::chrono::steady_clock::now();
    CHECK(cudaDeviceSynchronize());
    return repeats / std::chrono::duration<double>(t1 - t0).count();
}
