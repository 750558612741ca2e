// Adds two vectors and checks nothing. If an allocation fails or the kernel cannot be launched, the program
// goes on with whatever is in memory; only the comparison at the end may notice.
// CUD501 unchecked-cuda-call, CUD502 unchecked-kernel-launch
#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int n = 1 << 22;
    const size_t bytes = n * sizeof(float);
    std::vector<float> ones(n, 1.0f), twos(n, 2.0f), result(n);
    float *a, *b, *sum;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&sum, bytes);
    cudaMemcpy(a, ones.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, twos.data(), bytes, cudaMemcpyHostToDevice);

    const int block = 256, grid = (n + block - 1) / block;
    add<<<grid, block>>>(a, b, sum, n);

    cudaMemcpy(result.data(), sum, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(sum);
    bool correct = true;
    for (float value : result)
        correct = correct && value == 3.0f;
    std::printf("%-28s %s\n", "errors_unchecked", correct ? "ok" : "WRONG");
    return correct ? 0 : 1;
}
