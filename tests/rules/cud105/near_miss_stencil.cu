// Neighbouring elements too, but the lanes overlap: no vector is aligned for all of them.
__global__ void smooth(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = 0.5f * (in[i] + in[i + 1]);
}

void launch(const float* in, float* out, int n)
{
    smooth<<<(n + 255) / 256, 256>>>(in, out, n);
}
