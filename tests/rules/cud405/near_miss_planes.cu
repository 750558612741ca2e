// Planes of a buffer, and blocks with a quantity each: callers see to it that planes are long enough.
#include <cuda_runtime.h>

__global__ void split(const float4* in, float* out, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    *(float2*)&out[2 * i] = make_float2(v.x, v.y);
    *(float2*)&out[2 * stride + 2 * i] = make_float2(v.z, v.w);
}

__global__ void quantities(const float* in, float* virial, float* energy, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        switch (blockIdx.x) {
            case 0: virial[i] += in[i]; break;
            case 1: virial[n + i] += 2.0f * in[i]; break;
            case 2: virial[2 * n + i] += 3.0f * in[i]; break;
            case 3: virial[3 * n + i] += 4.0f * in[i]; break;
            case 4: virial[4 * n + i] += 5.0f * in[i]; break;
            case 5: virial[5 * n + i] += 6.0f * in[i]; break;
            case 6: energy[i] += in[i]; break;
        }
    }
}

void run(const float4* in, float* out, int stride, int n)
{
    split<<<(n + 1023) / 1024, 1024>>>(in, out, stride, n);
    quantities<<<7, 1024>>>((const float*)in, out, out + 6 * n, n);
}
