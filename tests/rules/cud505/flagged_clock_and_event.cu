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
#include <sys/time.h>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

static double now_ms()
{
    timeval t;
    gettimeofday(&t, nullptr);
    return t.tv_sec * 1e3 + t.tv_usec * 1e-3;
}

double with_helper(float* x, int n)
{
    double begin = now_ms();
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    CHECK(cudaGetLastError());
    return now_ms() - begin;  // expect: CUD505@12
}

double with_chrono(float* x, int n)
{
    CHECK(cudaDeviceSynchronize());
    auto t0 = std::chrono::steady_clock::now();
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    CHECK(cudaGetLastError());
    auto t1 = std::chrono::steady_clock::now();  // expect: CUD505@15
    return std::chrono::duration<double, std::milli>(t1 - t0).count();
}

float with_events(cudaEvent_t start, cudaEvent_t stop, float* x, int n)
{
    float ms = 0.0f;
    CHECK(cudaEventRecord(start));
    scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));  // expect: CUD505@11
    return ms;
}
