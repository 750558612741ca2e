// A row length that is a power of two, no padding, rows by lane: the exclusive or spreads the columns over banks.
__global__ void transpose(const float* in, float* out, int n)
{
    __shared__ float tile[32 * 32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    tile[ty * 32 + (tx ^ ty)] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32 + ty;
    out[y * n + x] = tile[tx * 32 + (ty ^ tx)];
}

void launch(const float* in, float* out, int n)
{
    transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n);
}
