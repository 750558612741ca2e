#include <cuda_runtime.h>

__constant__ float weights[64];
__device__ float sums[8];
__device__ float* buffer;

// The first 16 elements, which are 64 bytes, and others behind them.
void upload(const float* source)
{
    float host[64];
    for (int i = 0; i < 64; ++i) host[i] = source[i];
    cudaMemcpyToSymbol(weights, host, 16 * sizeof(float));
    cudaMemcpyToSymbol(weights, host + 16, 128, 64);
}

template <class T> void set(T& symbol, const void* value)
{
    cudaMemcpyToSymbol(symbol, value, sizeof(T));
}

float use(float* d)
{
    float host[8];
    set(buffer, &d);
    cudaMemcpyFromSymbol(host, sums, sizeof(host));
    return host[0] + host[7];
}
