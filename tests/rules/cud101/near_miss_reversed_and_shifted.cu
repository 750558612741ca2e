// A stride of -1 covers the same contiguous bytes, an offset of one element costs one more sector in five, and
// a single thread cannot be uncoalesced.
__global__ void reverse(const float* in, float* out, float* first, int n, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    out[n - 1 - i] = in[i + 1];
    if (threadIdx.x == 0) first[blockIdx.x * pitch] = in[i];
}

void launch(const float* in, float* out, float* first, int n, int pitch)
{
    reverse<<<(n + 255) / 256, 256>>>(in, out, first, n, pitch);
}
