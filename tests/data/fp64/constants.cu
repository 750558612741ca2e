// Named constants, initialisers and casts.
#include <cmath>
#include <cuda_runtime.h>

constexpr double DAMPING = 0.97;
const double HALF = 0.5;
constexpr float RATE = 0.97;
#define STEP 0.01
#define STEP_F 0.01f
#define PI 3.14159265358979323846

__global__ void times_constexpr_double(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * DAMPING;
}

__global__ void times_const_half(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * HALF;
}

__global__ void times_constexpr_float(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * RATE;
}

__global__ void times_macro(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * STEP;
}

__global__ void times_macro_float(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * STEP_F;
}

__global__ void times_pi(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = 2 * PI * x[i];
}

__global__ void initialiser(const float* x, const float* y, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float weights[3] = {0.25, 0.1, 0.3};
    o[i] = weights[0] * x[i] + weights[1] * y[i] + weights[2];
}

__global__ void local_float_constant(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float third = 1.0 / 3.0;
    o[i] = third * x[i];
}

__global__ void local_double_constant(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double tenth = 0.1;
    o[i] = tenth * x[i];
}

__global__ void static_cast_literal(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i] * static_cast<float>(0.1);
}

__global__ void zero_accumulator(const float* x, float* o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0;
    for (int j = 0; j < 8; ++j)
        sum += x[8 * i + j];
    o[i] = sum;
}
