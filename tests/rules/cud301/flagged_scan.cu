// The way down of a scan begins with one thread, and ends with half the lanes of every warp.
#include <cuda_runtime.h>

__global__ void scan(const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    if (t == 255) s[255] = 0.0f;
    for (int i = 128; i >= 1; i /= 2) {
        __syncthreads();
        int n = 2 * i - 1;
        if ((t & n) == n) {  // expect: CUD301@13
            float left = s[t - i];
            s[t - i] = s[t];
            s[t] += left;
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];
}

void run(const float* in, float* out)
{
    scan<<<64, 256>>>(in, out);
}
