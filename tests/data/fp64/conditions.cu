// Comparisons, choices and conversions to integers.
#include <cmath>
#include <cuda_runtime.h>

__global__ void greater_zero(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] > 0.0 ? y[i] : 1.0f;
}

__global__ void greater_half(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] > 0.5 ? y[i] : 1.0f;
}

__global__ void equals_zero(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] == 0.0)
        o[i] = 1.0f;
}

__global__ void greater_tenth(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] > 0.1 ? y[i] : 1.0f;
}

__global__ void small_magnitude(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (fabsf(x[i]) < 1e-6)
        o[i] = 0.0f;
}

__global__ void product_compared(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] * 0.5 > y[i])
        o[i] = 1.0f;
}

__global__ void sum_compared(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] + y[i] > 1.0)
        o[i] = 1.0f;
}

__global__ void choose_zero(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = i % 3 ? x[i] : 0.0;
}

__global__ void choose_tenth(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = i % 3 ? x[i] : 0.1;
}

__global__ void add_choice(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] += i % 3 ? x[i] : 0.0;
}

__global__ void choose_product(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = i % 3 ? x[i] * 0.5 : y[i];
}

__global__ void to_integer_half(const float* x, int* m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    m[i] = (int)(x[i] * 0.5);
}

__global__ void to_integer_plus_half(const float* x, int* m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    m[i] = x[i] + 0.5;
}

__global__ void to_integer_plain(const float* x, int* m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    m[i] = (int)x[i];
}

__global__ void integer_times_half(const int* k, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = k[i] * 0.5;
}

__global__ void integer_to_float(const int* k, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = k[i] * 0.5f;
}
