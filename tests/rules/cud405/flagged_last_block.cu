#include <cuda_runtime.h>

constexpr int THREADS = 256;

__device__ unsigned int blocks_done = 0;

// The count may be seen before the partial sum: nothing orders the two.
__global__ void total(const float* in, int n, float* partial, float* sum) {
    __shared__ float s[THREADS];
    __shared__ bool last;
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        unsigned int ticket = atomicInc(&blocks_done, gridDim.x - 1);  // expect: CUD405@42
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) all += partial[b];
        *sum = all;
    }
}

// All threads store; one of them counts behind a barrier.
__global__ void columns(const float* in, int rows, float* partial, float* out, unsigned int* count) {
    __shared__ unsigned int ticket;
    int t = threadIdx.x;
    float v = 0.0f;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) v += in[r * THREADS + t];
    partial[blockIdx.x * THREADS + t] = v;
    __syncthreads();
    if (t == 0)
        ticket = atomicAdd(count, 1u);  // expect: CUD405@28
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    float all = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b * THREADS + t];
    out[t] = all;
}

int main() {
    float *in, *partial, *out;
    unsigned int* count;
    cudaMalloc(&in, 1024 * THREADS * sizeof(float));
    cudaMalloc(&partial, 64 * THREADS * sizeof(float));
    cudaMalloc(&out, THREADS * sizeof(float));
    cudaMalloc(&count, sizeof(unsigned int));
    cudaMemset(in, 0, 1024 * THREADS * sizeof(float));
    cudaMemset(count, 0, sizeof(unsigned int));
    total<<<64, THREADS>>>(in, 64 * THREADS, partial, out);
    columns<<<64, THREADS>>>(in, 1024, partial, out, count);
    cudaDeviceSynchronize();
}
