// The names of today.
#include <cuda_runtime.h>

void load(cudaArray_t table, const float* values, size_t n)
{
    cudaMemcpy2DToArray(table, 0, 0, values, n * sizeof(float), n * sizeof(float), 1, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

int clock_rate(int device)
{
    int kilohertz = 0;
    cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
    return kilohertz;
}
