// Calls of math functions.
#include <cmath>
#include <cuda_runtime.h>

__global__ void sqrt_of_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = sqrt(0.5 * x[i]);
}

__global__ void sqrt_of_float(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = sqrt(x[i]);
}

__global__ void exp_of_float(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = exp(-x[i]);
}

__global__ void fmax_double_zero(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = fmax(x[i], 0.0);
}

__global__ void fmaxf_double_zero(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = fmaxf(x[i], 0.0);
}

__global__ void max_double_zero(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = max(x[i], 0.0);
}

__global__ void min_float_one(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = min(x[i], 1.0f);
}

__global__ void pow_two(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = pow(x[i], 2.0);
}

__global__ void pow_integer_two(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = pow(x[i], 2);
}

__global__ void std_pow_integer_three(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = std::pow(x[i], 3);
}

__global__ void powf_two(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = powf(x[i], 2.0f);
}

__global__ void pow_float_two(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = pow(x[i], 2.0f);
}

__global__ void fmod_one(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = fmod(x[i], 1.0);
}

__global__ void atan2_one(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = atan2(x[i], 1.0);
}

__global__ void fabs_of_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = fabs(x[i] * 0.5);
}

__global__ void floor_of_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = floor(x[i] + 0.5);
}

__global__ void exp_of_half_square(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = exp(-0.5 * x[i] * x[i]);
}

__global__ void pow_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = pow(x[i], 0.5);
}

__global__ void pow_float_exponent(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = pow(x[i], y[i]);
}
