#include <cuda_runtime.h>

__global__ void row_sums(const float* in, float* out, int width)
{
    float sum = 0.0f;
    for (int k = threadIdx.x; k < width; k += blockDim.x) sum += in[blockIdx.x * width + k];
    atomicAdd(&out[blockIdx.x], sum);
}

void run(const float* in, float* out, int rows, int width)
{
    row_sums<<<rows, 1>>>(in, out, width);  // expect: CUD601@5
    row_sums<<<rows, 48>>>(in, out, width);  // expect: CUD601@5
    dim3 block(10, 10);
    row_sums<<<rows, block>>>(in, out, width);  // expect: CUD601@5
}
