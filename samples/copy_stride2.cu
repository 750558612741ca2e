// Copies every second float. Half of each 32-byte sector is moved for nothing, in both directions.
// CUD101 uncoalesced-global-access
#include "common.cuh"

__global__ void copy_stride2(const float* in, float* out, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        out[2 * i] = in[2 * i];
}

int main()
{
    const int pairs = 1 << 23, n = 2 * pairs;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (pairs + block - 1) / block;
    copy_stride2<<<grid, block>>>(in, out, pairs);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    copy_stride2<<<grid, block>>>(in, out, pairs);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int i = 0; i < n; i += 2)
        correct = correct && result[i] == source[i];
    return report("copy_stride2", correct, 2.0 * bytes / 2, milliseconds);
}
