// The tiled transpose with one column of padding: the words of a column are 33 apart, which puts them in
// 32 different banks.
#include "common.cuh"

const int TILE = 32;

__global__ void transpose_padded(const float* in, float* out, int n)
{
    __shared__ float tile[TILE][TILE + 1];

    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < n && col < n)
        tile[threadIdx.y][threadIdx.x] = in[row * n + col];
    __syncthreads();

    col = blockIdx.y * TILE + threadIdx.x;  // the tile's place in the transposed matrix
    row = blockIdx.x * TILE + threadIdx.y;
    if (row < n && col < n)
        out[row * n + col] = tile[threadIdx.x][threadIdx.y];
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
    transpose_padded<<<grid, block>>>(in, out, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    transpose_padded<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    bool correct = true;
    for (int row = 0; row < n; ++row)
        for (int col = 0; col < n; ++col)
            correct = correct && result[std::size_t(col) * n + row] == source[std::size_t(row) * n + col];
    return report("transpose_padded", correct, 2.0 * bytes, milliseconds);
}
