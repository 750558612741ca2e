// The third launch argument is missing: `buffer` has no bytes.
__global__ void reverse(const float* in, float* out)
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

void launch(const float* in, float* out, int blocks)
{
    reverse<<<blocks, 256>>>(in, out); // expect: CUD203@5
}
