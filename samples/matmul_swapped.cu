// The same product with the roles of x and y exchanged. The lanes of a warp differ in threadIdx.x, which
// now selects the row: they load and store addresses that are n floats apart, a sector for each lane.
// CUD101 uncoalesced-global-access, at a[] and c[]
#include "common.cuh"

const int TILE = 16;

__global__ void matmul_swapped(const float* a, const float* b, float* c, int n)
{
    int col = blockIdx.y * TILE + threadIdx.y;
    int row = blockIdx.x * TILE + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
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
    matmul_swapped<<<grid, block>>>(a, b, c, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    matmul_swapped<<<grid, block>>>(a, b, c, n);
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
    return report("matmul_swapped", correct, 3.0 * bytes, milliseconds);
}
