// Whether rows start at a multiple of 16 bytes depends on `cols`, which only the caller knows: no claim.
__global__ void copy_rows(const float* in, float* out, int cols)
{
    const float4* from = reinterpret_cast<const float4*>(in + blockIdx.x * cols);
    float4* to = reinterpret_cast<float4*>(out + blockIdx.x * cols);
    for (int c = threadIdx.x; c < cols / 4; c += blockDim.x)
        to[c] = from[c];
}

void launch(const float* in, float* out, int rows, int cols)
{
    copy_rows<<<rows, 128>>>(in, out, cols);
}
