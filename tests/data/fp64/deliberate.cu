// Double precision on purpose: the data or an accumulator is double.
#include <cmath>
#include <cuda_runtime.h>

__global__ void double_array(const double* d, double* q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = d[i] * 0.1;
}

__global__ void double_accumulator(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int j = 0; j < 8; ++j)
        sum += x[8 * i + j];
    o[i] = sum;
}

__global__ void explicit_cast(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = (double)x[i] * 0.1 + 0.2;
}

__global__ void double_parameter(const float* x, float* o, double alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * alpha;
}
