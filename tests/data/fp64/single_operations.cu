// One operation with a literal, stored straight to float.
#include <cmath>
#include <cuda_runtime.h>

__global__ void times_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * 0.5;
}

__global__ void plus_one(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] + 1.0;
}

__global__ void one_minus(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 1.0 - x[i];
}

__global__ void one_over(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 1.0 / x[i];
}

__global__ void over_three(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] / 3.0;
}

__global__ void product_times_half(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * y[i] * 0.5;
}

__global__ void minus_assign_one(float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] -= 1.0;
}

__global__ void times_assign_half(float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] *= 0.5;
}

__global__ void plus_assign_one(float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] += 1.0;
}

__global__ void negated_product(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = -(x[i] * 0.5);
}

__global__ void negative_literal(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * -2.0;
}

__global__ void times_tenth(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * 0.1;
}

__global__ void plus_tenth(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] + 0.1;
}

__global__ void over_tenth(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] / 0.1;
}

__global__ void times_assign_tenth(float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] *= 0.1;
}

__global__ void plus_assign_millionth(float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] += 1e-6;
}

__global__ void times_quotient_of_literals(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * (1.0 / 4.0);
}

__global__ void times_third(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * (1.0 / 3.0);
}

__global__ void times_big_exact(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * 16777216.0;
}

__global__ void times_big_inexact(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * 16777217.0;
}
