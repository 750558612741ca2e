#include <cuda_runtime.h>
#include <stdlib.h>

float* upload(const float* source, int rows, int columns)
{
    float* d;
    cudaMalloc(&d, rows * columns);
    cudaMemset(d, 0, rows * columns * sizeof(float));  // expect: CUD508@5
    cudaMemcpy(d, source, rows * columns * sizeof(float), cudaMemcpyHostToDevice);  // expect: CUD508@5
    return d;
}

float* download(const float* d, int n)
{
    float* result = (float*)malloc(n);
    cudaMemcpy(result, d, n * sizeof(float), cudaMemcpyDeviceToHost);  // expect: CUD508@5
    return result;
}
