// Transposes a square matrix in the obvious way. Reads are contiguous along a row, but the 32 lanes of a
// warp write 32 different rows: one sector each, of which 4 of 32 bytes are used.
// CUD101 uncoalesced-global-access, at the store
#include "common.cuh"

const int TILE = 32;

__global__ void transpose_naive(const float* in, float* out, int n)
{
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < n && col < n)
        out[col * n + row] = in[row * n + col];
}

int main()
{
    const int n = 4096;
    const std::size_t count = std::size_t(n) * n, bytes = count * sizeof(float);
    std::vector<float> source = test_data(count), result(count);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    transpose_naive<<<grid, block>>>(in, out, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    transpose_naive<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int row = 0; row < n; ++row)
        for (int col = 0; col < n; ++col)
            correct = correct && result[std::size_t(col) * n + row] == source[std::size_t(row) * n + col];
    return report("transpose_naive", correct, 2.0 * bytes, milliseconds);
}
