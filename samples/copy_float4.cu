// Copies four floats per thread with one 16-byte load and one 16-byte store: the same sectors as the
// scalar copy with a quarter of the instructions.
#include "common.cuh"

__global__ void copy_float4(const float4* in, float4* out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads)
        out[i] = in[i];
}

int main()
{
    const int n = 1 << 24, quads = n / 4;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float4 *in, *out;  // cudaMalloc aligns to 256 bytes, float4 needs 16
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (quads + block - 1) / block;
    copy_float4<<<grid, block>>>(in, out, quads);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    copy_float4<<<grid, block>>>(in, out, quads);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return report("copy_float4", result == source, 2.0 * bytes, milliseconds);
}
