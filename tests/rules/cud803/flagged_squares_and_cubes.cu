// Powers that are products.
#include <cmath>
#include <cuda_runtime.h>

#define SQR(x) pow(x, 2)

__global__ void energy(const float* v, const double* d, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float e = pow(v[i], 2);  // expect: CUD803@15
    e += powf(v[i], 3.0f);  // expect: CUD803@10
    e += SQR(v[i] - 1.0f);  // expect: CUD803@10
    e += pow(v[i], 0.5f);  // expect: CUD803@10
    out[i] = e + pow(d[i], 2.0);  // expect: CUD803@18
}
