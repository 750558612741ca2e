// Each thread scales a chunk of 16 elements, so neighbouring threads are 64 bytes apart in every iteration.
// CUD101 uncoalesced-global-access; the fix lets the threads of a block take the elements in turn.
#include "common.cuh"

__global__ void scale(const float* in, float* out, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    int end = min(start + 16, n);
    for (int k = start; k < end; ++k)
        out[k] = 2.0f * in[k];
}

int main()
{
    const int n = 1 << 24;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (n + 16 * block - 1) / (16 * block);
    scale<<<grid, block>>>(in, out, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    scale<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int i = 0; i < n; ++i)
        correct = correct && result[i] == 2.0f * source[i];
    return report("chunk_per_thread", correct, 2.0 * bytes, milliseconds);
}
