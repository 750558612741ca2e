// Rounded-up grids: no guard at all, one axis of two without, and a guard that is off by one.
#include <cuda_runtime.h>

__global__ void add(int* x, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += v;  // expect: CUD605@5
}

__global__ void invert(unsigned char* img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w) img[y * w + x] = 255 - img[y * w + x];  // expect: CUD605@16
}

__global__ void tag(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    out[i] = in[i] ^ 1;  // expect: CUD605@5
}

void run(int* x, int* y, unsigned char* img, int n, int w, int h)
{
    add<<<(n + 127) / 128, 128>>>(x, 1);
    invert<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(img, w, h);
    tag<<<(n + 255) / 256, 256>>>(x, y, n);
}
