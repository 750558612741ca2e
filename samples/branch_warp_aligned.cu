// The same two kinds of work, given out by warps: all lanes of a warp take the same side, and no lane waits.
#include "common.cuh"

__device__ float root_of_two(float x, int rounds)
{
    for (int k = 0; k < rounds; ++k)
        x = 0.5f * (x + 2.0f / x);  // Newton's method
    return x;
}

__device__ float fixed_point_of_cosine(float x, int rounds)
{
    for (int k = 0; k < rounds; ++k)
        x = cosf(x);
    return x;
}

__global__ void branch_warp_aligned(const float* in, float* out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (threadIdx.x / 32 % 2 == 0)
        out[i] = root_of_two(in[i] + 1.0f, rounds);
    else
        out[i] = fixed_point_of_cosine(in[i], rounds);
}

int main()
{
    const int n = 1 << 22, rounds = 64;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (n + block - 1) / block;
    branch_warp_aligned<<<grid, block>>>(in, out, n, rounds);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    branch_warp_aligned<<<grid, block>>>(in, out, n, rounds);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int i = 0; i < n; ++i) {
        float expected = i / 32 % 2 == 0 ? 1.41421356f : 0.73908513f;
        correct = correct && std::fabs(result[i] - expected) < 1e-5f;
    }
    return report("branch_warp_aligned", correct, 2.0 * bytes, milliseconds);
}
