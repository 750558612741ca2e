// Float data, double constants: FP64 where a constant is inexact or operations follow each other.
#include <cuda_runtime.h>

constexpr double DAMPING = 0.97;

__global__ void relax(float* v, const float* w, int* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = v[i] * 0.1;  // expect: CUD801@22
    x = x * DAMPING + w[i];  // expect: CUD801@13
    x += 0.5 * w[i];  // expect: CUD801@10
    if (x < 1e-6)  // expect: CUD801@13
        x = sqrt(0.5 * x);  // expect: CUD801@18
    bins[i] = x + 0.5;  // expect: CUD801@19
    v[i] = 1.0 / (1.0 + expf(-x));  // expect: CUD801@12
}
