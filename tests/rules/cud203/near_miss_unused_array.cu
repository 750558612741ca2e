// The array is declared, but this instance of the template never touches it.
template <bool Staged>
__global__ void reverse(const float* in, float* out)
{
    extern __shared__ float buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (Staged) {
        buffer[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = buffer[blockDim.x - 1 - threadIdx.x];
    } else {
        out[i] = in[j];
    }
}

void launch(const float* in, float* out, int blocks)
{
    reverse<false><<<blocks, 256>>>(in, out);
    reverse<true><<<blocks, 256, 256 * sizeof(float)>>>(in, out);
}
