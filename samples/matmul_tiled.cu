// The product with both operands staged in shared memory, so that each element is loaded from global memory
// once per tile. as[ty][k] is one word for the whole row of threads (a broadcast) and bs[k][tx] is
// contiguous: there is no bank conflict, and padding these tiles would only waste space.
#include "common.cuh"

const int TILE = 16;

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        as[ty][tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0.0f;
        bs[ty][tx] = first + ty < n && col < n ? b[(first + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();  // nobody may overwrite a tile that others still read
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

int main()
{
    const int n = 1024;
    const std::size_t count = std::size_t(n) * n, bytes = count * sizeof(float);
    std::vector<float> left = test_data(count), right = test_data(count), result(count);
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    CHECK(cudaMemcpy(a, left.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, right.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    matmul_tiled<<<grid, block>>>(a, b, c, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    matmul_tiled<<<grid, block>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    bool correct = true;
    for (int row = 0; row < n; row += 61)  // a sample of the elements, in double precision
        for (int col = 0; col < n; col += 67) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k)
                sum += double(left[row * n + k]) * right[k * n + col];
            correct = correct && std::fabs(result[row * n + col] - sum) <= 1e-4 * sum;
        }
    return report("matmul_tiled", correct, 3.0 * bytes, milliseconds);
}
