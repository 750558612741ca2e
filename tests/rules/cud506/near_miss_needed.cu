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

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

// The loop needs what it waits for: as its condition, as a time, in managed memory, or only now and then.
void until_small(float* x, float* d_norm, int n)
{
    float norm = 1.0f;
    while (norm > 1e-6f) {
        scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&norm, d_norm, sizeof(float), cudaMemcpyDeviceToHost));
    }
}

void timed(float* x, int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        auto t0 = std::chrono::steady_clock::now();
        scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
        CHECK(cudaDeviceSynchronize());
        auto t1 = std::chrono::steady_clock::now();
        std::printf("%g\n", std::chrono::duration<double>(t1 - t0).count());
    }
    CHECK(cudaGetLastError());
}

void host_in_turn(int n, int steps)
{
    float* shared_by_both = nullptr;
    CHECK(cudaMallocManaged(&shared_by_both, n * sizeof(float)));
    for (int s = 0; s < steps; ++s) {
        shared_by_both[0] += 1.0f;
        scale<<<(n + 255) / 256, 256>>>(shared_by_both, 0.5f, n);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaGetLastError());
    CHECK(cudaFree(shared_by_both));
}

void now_and_then(float* x, int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        scale<<<(n + 255) / 256, 256>>>(x, 0.5f, n);
        if (s % 1000 == 999) CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaGetLastError());
}
