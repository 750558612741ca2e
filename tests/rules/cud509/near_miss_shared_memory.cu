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

// Managed and mapped memory can be followed on both sides; a table of device pointers is host memory.
float sum(int n, int count)
{
    float *both = nullptr, *mapped = nullptr, *alias = nullptr;
    CHECK(cudaMallocManaged(&both, n * sizeof(float)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(float), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&alias, mapped, 0));
    both[0] = mapped[0] = 1.0f;
    scale<<<(n + 255) / 256, 256>>>(both, 0.5f, n);
    scale<<<(n + 255) / 256, 256>>>(alias, 0.5f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float** table = new float*[count];
    for (int i = 0; i < count; ++i) CHECK(cudaMalloc(&table[i], n * sizeof(float)));
    for (int i = 0; i < count; ++i) CHECK(cudaFree(table[i]));
    delete[] table;
    float result = both[0] + mapped[0];
    CHECK(cudaFree(both));
    CHECK(cudaFreeHost(mapped));
    return result;
}
