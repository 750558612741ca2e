#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 256;

__device__ unsigned int blocks_done = 0;

// What the blocks leave is left by atomics, and read by an atomic.
__global__ void added(const float* in, float* sum, float* out) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0 && atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1) *out = atomicAdd(sum, 0.0f);
}

// The count itself releases and acquires.
__global__ void counted(const float* in, float* partial, float* out, unsigned int* count) {
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = in[blockIdx.x * THREADS];
    cuda::atomic_ref<unsigned int, cuda::thread_scope_device> done(*count);
    if (done.fetch_add(1u, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
    float all = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *out = all;
}

// A barrier of the grid orders the partial sums; the ticket only picks who adds them.
__global__ void met(const float* in, float* partial, float* out, unsigned int* count) {
    cg::grid_group grid = cg::this_grid();
    unsigned int ticket = 0;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x * THREADS];
        ticket = atomicAdd(count, 1u);
    }
    grid.sync();
    if (threadIdx.x == 0 && ticket == gridDim.x - 1) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) all += partial[b];
        *out = all;
    }
}

// The first block, not the last: it reads only what it wrote itself.
__global__ void first(const float* in, float* partial, float* out, unsigned int* count) {
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = in[blockIdx.x * THREADS];
    if (atomicAdd(count, 1u) == 0) *out = partial[blockIdx.x];
}

int main() {
    float *in, *partial, *out;
    unsigned int* count;
    cudaMalloc(&in, 64 * THREADS * sizeof(float));
    cudaMalloc(&partial, 64 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMalloc(&count, sizeof(unsigned int));
    cudaMemset(in, 0, 64 * THREADS * sizeof(float));
    cudaMemset(count, 0, sizeof(unsigned int));
    added<<<64, THREADS>>>(in, partial, out);
    counted<<<64, THREADS>>>(in, partial, out, count);
    cudaMemset(count, 0, sizeof(unsigned int));
    void* args[] = {&in, &partial, &out, &count};
    cudaLaunchCooperativeKernel((void*)met, dim3(64), dim3(THREADS), args);
    first<<<64, THREADS>>>(in, partial, out, count);
    cudaDeviceSynchronize();
}
