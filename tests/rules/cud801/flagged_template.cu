// A literal that only the float instance suffers from.
#include <cuda_runtime.h>

template <typename T>
__global__ void sum_where(const T* values, const int* keys, T* out, int wanted, int n)
{
    T sum = T(0);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += keys[i] == wanted ? values[i] : 0.0;  // expect: CUD801@48
    atomicAdd(out, sum);
}

void sums(const float* f, const double* d, const int* keys, float* fsum, double* dsum, int n)
{
    sum_where<<<1, 256>>>(f, keys, fsum, 3, n);
    sum_where<<<1, 256>>>(d, keys, dsum, 3, n);
}
