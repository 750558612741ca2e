// The first launch parameter is a number of blocks. Passing the number of elements starts 256 times as many
// threads as there is work; the bounds check hides it, and the result is right but late. (With four times as
// many elements the index would overflow, too.)
// CUD604 grid-counted-in-threads
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

    const int block = 256;
    saxpy<<<n, block>>>(0.0f, x, y, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    saxpy<<<n, block>>>(2.0f, x, y, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    bool correct = true;
    for (int i = 0; i < n; ++i)
        correct = correct && result[i] == 2.0f * source[i];
    return report("grid_in_threads", correct, 3.0 * bytes, milliseconds);
}
