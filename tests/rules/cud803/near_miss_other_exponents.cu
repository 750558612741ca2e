// Exponents that are not small integers, unknown ones, powers of constants, and host code.
#include <cmath>
#include <cuda_runtime.h>

__global__ void gamma_curve(float* v, float gamma, int degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float half = 0.5f;
    float x = powf(v[i], 2.2f) + powf(half, 2.0f);
    x = powf(x, gamma);
    v[i] = powf(2.0f, x) + powf(x, float(degree));
}

double host_square(double x) { return std::pow(x, 2); }
