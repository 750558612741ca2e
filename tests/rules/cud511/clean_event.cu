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

void copied_elsewhere(const float* pinned, float* result, int n)
{
    float* dev = nullptr;
    cudaStream_t copies, compute;
    cudaEvent_t arrived;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaStreamCreate(&compute));
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(dev, pinned, n * sizeof(float), cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(arrived, copies));
    CHECK(cudaStreamWaitEvent(compute, arrived, 0));
    scale<<<(n + 255) / 256, 256, 0, compute>>>(dev, 2.0f, n);
    CHECK(cudaStreamSynchronize(compute));
    CHECK(cudaMemcpy(result, dev, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(arrived));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaStreamDestroy(compute));
    CHECK(cudaFree(dev));
}
