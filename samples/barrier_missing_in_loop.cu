// Sums the distances of each value to all others, tile by tile. One barrier per round is not enough: a fast
// warp comes round the loop and overwrites the tile while a slow one still reads it.
// CUD401 missing-syncthreads, between the loads and the next round's store
#include "common.cuh"

const int BLOCK = 256;

__global__ void barrier_missing_in_loop(const float* x, float* sums, int n)
{
    __shared__ float tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float mine = x[i], sum = 0.0f;
    for (int first = 0; first < n; first += BLOCK) {
        tile[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; ++k)
            sum += fabsf(mine - tile[k]);
        // wrong: no barrier before the next round stores to tile[]
    }
    sums[i] = sum;
}

int main()
{
    const int n = 1 << 15;  // a whole number of blocks
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> source = test_data(n), result(n);
    float *x, *sums;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&sums, bytes));
    CHECK(cudaMemcpy(x, source.data(), bytes, cudaMemcpyHostToDevice));

    barrier_missing_in_loop<<<n / BLOCK, BLOCK>>>(x, sums, n);  // warm-up
    CHECK(cudaGetLastError());
    Stopwatch watch;
    watch.start();
    barrier_missing_in_loop<<<n / BLOCK, BLOCK>>>(x, sums, n);
    CHECK(cudaGetLastError());
    float milliseconds = watch.stop();

    CHECK(cudaMemcpy(result.data(), sums, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(sums));
    bool correct = true;
    for (int i = 0; i < n; i += 97) {  // a sample of the elements, in double precision
        double sum = 0.0;
        for (int k = 0; k < n; ++k)
            sum += std::fabs(double(source[i]) - source[k]);
        correct = correct && std::fabs(result[i] - sum) <= 1e-4 * sum;
    }
    return report("barrier_missing_in_loop", correct, 2.0 * bytes, milliseconds);
}
