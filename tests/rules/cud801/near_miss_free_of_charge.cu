// Double constants that compile to float instructions, and double precision on purpose.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void cheap(float* v, const float* w, double* total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = v[i] * 0.5;
    x += 1.0;
    x = x > 0.0 ? x : 0.0;
    x = fmaxf(x, 0.0) / 3.0;
    v[i] = (x + w[i]) * 0.25;

    double sum = 0.0;
    for (int k = 0; k < 8; ++k)
        sum += 0.1 * w[k];
    total[i] = sum;
    v[i + n] = (double)x * 0.1 + 0.2;
    if (i == 0)
        printf("%f\n", x * 0.1);
}

float host(float x) { return x * 0.1 + 0.2; }
