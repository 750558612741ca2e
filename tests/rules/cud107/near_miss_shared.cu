// The index is only known at run time too, but the array is in shared memory, which can be indexed.
__global__ void count(const unsigned char* keys, int* out, int n)
{
    __shared__ int counters[256];
    counters[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counters[keys[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], counters[threadIdx.x]);
}

void launch(const unsigned char* keys, int* out, int n)
{
    count<<<64, 256>>>(keys, out, n);
}
