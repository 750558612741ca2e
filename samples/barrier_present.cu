// Reverses each block of 256 floats through shared memory. The barrier stands between the stores and the
// loads of other threads' words.
#include "common.cuh"

const int BLOCK = 256;

__global__ void barrier_present(const float* in, float* out)
{
    __shared__ float staged[BLOCK];
    int t = threadIdx.x;
    int first = blockIdx.x * BLOCK;
    staged[t] = in[first + t];
    __syncthreads();
    out[first + t] = staged[BLOCK - 1 - t];
}

int main()
{
    const int n = 1 << 24;  // a whole number of blocks
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    barrier_present<<<n / BLOCK, BLOCK>>>(in, out);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    barrier_present<<<n / BLOCK, BLOCK>>>(in, out);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int i = 0; i < n; ++i)
        correct = correct && result[i] == source[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
    return report("barrier_present", correct, 2.0 * bytes, milliseconds);
}
