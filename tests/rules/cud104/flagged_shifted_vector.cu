// The vector starts one float after the aligned start of the array: 4 bytes off for every thread.
__global__ void skip_first(const float* in, float4* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = *reinterpret_cast<const float4*>(in + 1 + 4 * i); // expect: CUD104@25
}

void launch(const float* in, float4* out, int n)
{
    skip_first<<<(n + 255) / 256, 256>>>(in, out, n);
}
