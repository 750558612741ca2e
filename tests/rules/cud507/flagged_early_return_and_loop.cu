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

cudaError_t load(const float* host, size_t n, float** a_out, float** b_out)
{
    float *a = nullptr, *b = nullptr;
    cudaError_t status = cudaMalloc(&a, n * sizeof(float));
    if (status != cudaSuccess) return status;
    status = cudaMalloc(&b, n * sizeof(float));
    if (status != cudaSuccess) return status;  // expect: CUD507@32
    status = cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) {
        cudaFree(a);
        cudaFree(b);
        return status;
    }
    *a_out = a;
    *b_out = b;
    return cudaSuccess;
}

void levels(int count, int n)
{
    float* grid = nullptr;
    for (int l = 0; l < count; ++l) {
        CHECK(cudaMalloc(&grid, (size_t)(n >> l) * sizeof(float)));  // expect: CUD507@15
        scale<<<((n >> l) + 255) / 256, 256>>>(grid, 0.5f, n >> l);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaFree(grid));
}

void record_only(cudaStream_t stream)
{
    cudaEvent_t mark;
    CHECK(cudaEventCreate(&mark));  // expect: CUD507@11
    CHECK(cudaEventRecord(mark, stream));
    CHECK(cudaEventSynchronize(mark));
}
