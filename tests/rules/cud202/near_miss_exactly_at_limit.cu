// 16 KB static and 32 KB dynamic are 48 KB: just what a block can have.
__global__ void reverse(const float* in, float* out)
{
    __shared__ float half[4096];
    extern __shared__ float buffer[];
    half[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    buffer[threadIdx.x] = 2.0f * half[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

void launch(const float* in, float* out, int blocks)
{
    reverse<<<blocks, 256, 32 * 1024>>>(in, out);
}
