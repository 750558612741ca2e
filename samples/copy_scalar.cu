// Copies n floats, one per thread. Neighbouring threads touch neighbouring words, so the 32 lanes of a
// warp share four 32-byte sectors: every byte that the memory system moves is used.
#include "common.cuh"

__global__ void copy_scalar(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
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

    const int block = 256, grid = (n + block - 1) / block;
    copy_scalar<<<grid, block>>>(in, out, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    copy_scalar<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return report("copy_scalar", result == source, 2.0 * bytes, milliseconds);
}
