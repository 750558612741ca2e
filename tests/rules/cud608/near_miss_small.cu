// Last steps on few elements, one element many times, a chain of pointers, and lengths that are not known.
#include <cuda_runtime.h>

__global__ void total(const float* parts, float* sum, int n)
{
    float mine = 0.0f;
    for (int i = 0; i < n; i++) mine += parts[i];
    *sum = mine;
}

__global__ void wait(int* flag, int times)
{
    for (int i = 0; i < times; i++) *flag += 1;
}

__global__ void chase(const int* next, int* out, int times)
{
    int at = 0;
    for (int i = 0; i < times; i++) at = next[at];
    *out = at;
}

void run(const float* parts, float* sum, int* words, int n)
{
    total<<<1, 1>>>(parts, sum, 256);
    total<<<1, 1>>>(parts, sum, n);
    wait<<<1, 1>>>(words, 1 << 20);
    chase<<<1, 1>>>(words, words, 1 << 20);
}
