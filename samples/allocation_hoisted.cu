// Smooths a field in place, 100 times, with one scratch buffer that lives as long as the loop.
#include "common.cuh"

__global__ void smooth(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = in[i > 0 ? i - 1 : i], right = in[i < n - 1 ? i + 1 : i];
        out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
    }
}

int main()
{
    const int n = 1 << 22, steps = 100;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source(n, 3.0f), result(n);
    float* field;
    CHECK(cudaMalloc(&field, bytes));
    CHECK(cudaMemcpy(field, source.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (n + block - 1) / block;
    float* scratch;
    CHECK(cudaMalloc(&scratch, bytes));
    Stopwatch watch;
    watch.start();
    for (int step = 0; step < steps; ++step) {
        smooth<<<grid, block>>>(field, scratch, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(field, scratch, bytes, cudaMemcpyDeviceToDevice));
    }
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), field, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(field));
    CHECK(cudaFree(scratch));
    return report("allocation_hoisted", result == source, 4.0 * bytes * steps, milliseconds);
}
