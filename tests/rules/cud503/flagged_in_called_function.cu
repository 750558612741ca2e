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

// The loop is in another function than the allocations: one finding for all that this function allocates.
static void step(float* u, int n)
{
    cudaEvent_t done;
    float* tmp = nullptr;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));  // expect: CUD503@11
    CHECK(cudaMalloc(&tmp, n * sizeof(float)));
    scale<<<(n + 255) / 256, 256>>>(u, 0.5f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaFree(tmp));
    CHECK(cudaEventDestroy(done));
}

void run(float* u, int n, int steps)
{
    for (int s = 0; s < steps; ++s) step(u, n);
}
