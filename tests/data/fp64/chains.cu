// Chains of operations after a promotion.
#include <cmath>
#include <cuda_runtime.h>

__global__ void twice_plus_one(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 2.0 * x[i] + 1.0;
}

__global__ void half_square(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 0.5 * x[i] * x[i];
}

__global__ void twice_product(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * 2.0 * y[i];
}

__global__ void add_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] += 0.5 * x[i];
}

__global__ void subtract_twice(const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] -= y[i] * 2.0;
}

__global__ void logistic(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 1.0 / (1.0 + expf(-x[i]));
}

__global__ void grouped_floats(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = (x[i] + y[i]) * 0.25;
}

__global__ void literal_cast_first(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = float(0.1) * x[i] + 1.0f;
}

__global__ void step_narrowed(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = x[i] * 0.5;
    o[i] = t + 1.0;
}

__global__ void two_halves(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = (x[i] * 0.5) + (y[i] * 0.5);
}

__global__ void negated_then_chain(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = -(x[i] * 0.5) + 1.0;
}

__global__ void float_suffix_chain(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 0.1f * x[i] * x[i] + 0.3f;
}
