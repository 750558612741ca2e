#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// The barrier waits for the threads, not for their copies.
__global__ void reverse(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[127 - t];  // expect: CUD401@33
}

// The wait comes too late: other threads need a barrier after it.
__global__ void reverse_late(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[blockIdx.x * 128 + t] = s[127 - t];  // expect: CUD401@33
}

// A block that copies together waits together, and this one only meets.
__global__ void reverse_together(const float* in, float* out) {
    __shared__ float s[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(s));
    block.sync();
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // expect: CUD401@43
}

// Two stages are under way, and the wait leaves both.
__global__ void sum_rows(const float* in, float* out, int rows) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    float v = 0.0f;
    auto pipe = cuda::make_pipeline();
    cuda::memcpy_async(&s[0][t], &in[t], sizeof(float), pipe);
    pipe.producer_commit();
    for (int r = 0; r < rows; ++r) {
        if (r + 1 < rows) cuda::memcpy_async(&s[(r + 1) % 2][t], &in[(r + 1) * 128 + t], sizeof(float), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<2>(pipe);
        __syncthreads();
        v += s[r % 2][127 - t];  // expect: CUD401@14
        __syncthreads();
    }
    out[t] = v;
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 128 * 128 * sizeof(float));
    cudaMalloc(&out, 128 * 128 * sizeof(float));
    cudaMemset(in, 0, 128 * 128 * sizeof(float));
    reverse<<<128, 128>>>(in, out);
    reverse_late<<<128, 128>>>(in, out);
    reverse_together<<<128, 128>>>(in, out);
    sum_rows<<<1, 128>>>(in, out, 128);
    cudaDeviceSynchronize();
}
