#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// Each thread waits for its copy, then all meet.
__global__ void reverse(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[127 - t];
}

// What a thread copied itself it may read right after its wait.
__global__ void own(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[blockIdx.x * 128 + t] = s[t];
}

// The wait of a group is a barrier too.
__global__ void reverse_together(const float* in, float* out) {
    __shared__ float s[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(s));
    cg::wait(block);
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

// Copies that are bound to a barrier are complete when the barrier is.
__global__ void reverse_bound(const float* in, float* out) {
    __shared__ float s[128];
    __shared__ alignas(8) unsigned char room[sizeof(cuda::barrier<cuda::thread_scope_block>)];
    auto& all = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>&>(room);
    int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(float), all);
    all.arrive_and_wait();
    out[blockIdx.x * 128 + t] = s[127 - t];
}

// Two stages in two buffers: the wait leaves the one under way that is read in the next round.
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
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        v += s[r % 2][127 - t];
        __syncthreads();
    }
    out[t] = v;
}

// Threads that share a pipeline wait for one another in it.
__global__ void reverse_shared(const float* in, float* out) {
    __shared__ float s[128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(s), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
    pipe.consumer_release();
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 128 * 128 * sizeof(float));
    cudaMalloc(&out, 128 * 128 * sizeof(float));
    cudaMemset(in, 0, 128 * 128 * sizeof(float));
    reverse<<<128, 128>>>(in, out);
    own<<<128, 128>>>(in, out);
    reverse_together<<<128, 128>>>(in, out);
    reverse_bound<<<128, 128>>>(in, out);
    sum_rows<<<1, 128>>>(in, out, 128);
    reverse_shared<<<128, 128>>>(in, out);
    cudaDeviceSynchronize();
}
