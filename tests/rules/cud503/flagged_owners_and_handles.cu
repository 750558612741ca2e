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

#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <vector>

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

class Buffer {
    float* data_ = nullptr;

public:
    explicit Buffer(size_t n) { CHECK(cudaMalloc(&data_, n * sizeof(float))); }
    Buffer(const Buffer&) = delete;
    ~Buffer() { (void)cudaFree(data_); }
    float* data() { return data_; }
};

void owner(int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        Buffer scratch(n);  // expect: CUD503@16
        CHECK(cudaMemset(scratch.data(), 0, n * sizeof(float)));
        scale<<<(n + 255) / 256, 256>>>(scratch.data(), 2.0f, n);
        CHECK(cudaGetLastError());
    }
}

void containers(const std::vector<int>& keys, int steps)
{
    for (int s = 0; s < steps; ++s) {
        thrust::device_vector<int> sorted(keys.begin(), keys.end());  // expect: CUD503@36
        thrust::sort(sorted.begin(), sorted.end());
    }
}

void streams(float* x, int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        cudaStream_t stream;
        CHECK(cudaStreamCreate(&stream));  // expect: CUD503@15
        scale<<<(n + 255) / 256, 256, 0, stream>>>(x, 2.0f, n);
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
}

void freed_by_the_next(int n, int steps)
{
    float* scratch = nullptr;
    for (int s = 0; s < steps; ++s) {
        CHECK(cudaFree(scratch));
        CHECK(cudaMalloc(&scratch, n * sizeof(float)));  // expect: CUD503@15
        scale<<<(n + 255) / 256, 256>>>(scratch, 2.0f, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaFree(scratch));
}
