// Exponents that are not small integers, unknown ones, and host code.
#include <cmath>
#include <cuda_runtime.h>

__global__ void gamma_curve(float* v, float gamma, int degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = powf(v[i], 2.2f);
    x = powf(x, gamma);
    v[i] = powf(2.0f, x) + powf(x, float(degree));
}

double host_square(double x) { return std::pow(x, 2); }
