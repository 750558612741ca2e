#include <cuda_runtime.h>

__constant__ float weights[9];

void prepare(int* labels, float* scores, const float* host, int n)
{
    cudaMemset(labels, 1, n * sizeof(int));  // expect: CUD508@5
    cudaMemset(scores, -1.0e6f, n * sizeof(float));  // expect: CUD508@5
    cudaMemcpy(weights, host, sizeof(weights), cudaMemcpyHostToDevice);  // expect: CUD508@5
    cudaMemcpyToSymbol(weights, host, sizeof(weights), 0, cudaMemcpyDeviceToHost);  // expect: CUD508@5
}
