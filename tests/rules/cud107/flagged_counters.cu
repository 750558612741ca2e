// Which counter is incremented depends on the data, so the array cannot stay in registers.
__global__ void count(const unsigned char* keys, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int counters[8] = {};
    for (int k = i; k < n; k += gridDim.x * blockDim.x)
        counters[keys[k] & 7] += 1; // expect: CUD107@9
    for (int k = 0; k < 8; ++k)
        atomicAdd(&out[k], counters[k]);
}

void launch(const unsigned char* keys, int* out, int n)
{
    count<<<64, 256>>>(keys, out, n);
}
