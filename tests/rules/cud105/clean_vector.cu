// One 8-byte access per thread.
__global__ void magnitude(const float2* complex, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 z = complex[i];
    out[i] = sqrtf(z.x * z.x + z.y * z.y);
}

void launch(const float2* complex, float* out, int n)
{
    magnitude<<<(n + 255) / 256, 256>>>(complex, out, n);
}
