// One double constant, and the whole call is computed in double precision.
#include <cuda_runtime.h>

__global__ void shape(float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = max(v[i], 0.0);  // expect: CUD802@15
    x = pow(x, 0.25);  // expect: CUD802@9
    v[i] = min(x, -1.5);  // expect: CUD802@12
}
