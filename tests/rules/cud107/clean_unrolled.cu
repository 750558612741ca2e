// Every index is a constant once the loops are unrolled: the array lives in registers.
__global__ void average(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float window[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) window[k] = in[i + k * n];
    out[i] = 0.25f * (window[0] + window[1] + window[2] + window[3]);
}

void launch(const float* in, float* out, int n)
{
    average<<<(n + 255) / 256, 256>>>(in, out, n);
}
