#include <cuda_runtime.h>

__constant__ float weights[64];
__device__ float sums[8];

void upload(const float* source)
{
    float host[64];
    for (int i = 0; i < 64; ++i) host[i] = source[i];
    cudaMemcpyToSymbol(weights, host, 64);  // expect: CUD508@5
}

void upload_longer(const float* source)
{
    float host[128];
    for (int i = 0; i < 128; ++i) host[i] = source[i];
    cudaMemcpyToSymbol(weights, host, sizeof(host));  // expect: CUD508@5
}

float download()
{
    float host[8];
    cudaMemcpyFromSymbol(sums, host, sizeof(host));  // expect: CUD508@5
    return host[0] + host[7];
}
