// The float version whatever the constant's type, and double data.
#include <cuda_runtime.h>

__global__ void shape(float* v, double* d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    v[i] = fmaxf(v[i], 0.0);
    v[i] = fminf(v[i], 1.0);
    d[i] = max(d[i], 0.0);
    v[i + n] = max(d[i], 1.0);
    d[i + n] = max(v[i], 0.0);
}
