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

// The container outlives the loop: only its content changes.
void kept(const std::vector<std::vector<int>>& batches)
{
    thrust::device_vector<int> sorted;
    for (const std::vector<int>& batch : batches) {
        sorted.assign(batch.begin(), batch.end());
        thrust::sort(sorted.begin(), sorted.end());
    }
}

// What an iteration makes is kept in a table.
void table(std::vector<thrust::device_vector<int>>& all, int count, int n)
{
    for (int i = 0; i < count; ++i) {
        thrust::device_vector<int> one(n);
        thrust::sort(one.begin(), one.end());
        all.push_back(one);
    }
}

// Allocated once: the variable is static.
void once(int n, int steps)
{
    for (int s = 0; s < steps; ++s) {
        static thrust::device_vector<int> scratch(n);
        thrust::sort(scratch.begin(), scratch.end());
    }
}
