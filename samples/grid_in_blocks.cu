// One thread for each element: the number of elements divided by the block size, rounded up.
#include "common.cuh"

__global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 22;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *x, *y;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&y, bytes));
    CHECK(cudaMemcpy(x, source.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(y, 0, bytes));

    const int block = 256, grid = (n + block - 1) / block;
    saxpy<<<grid, block>>>(0.0f, x, y, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    saxpy<<<grid, block>>>(2.0f, x, y, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    bool correct = true;
    for (int i = 0; i < n; ++i)
        correct = correct && result[i] == 2.0f * source[i];
    return report("grid_in_blocks", correct, 3.0 * bytes, milliseconds);
}
