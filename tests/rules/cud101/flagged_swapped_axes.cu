// threadIdx.x runs along the rows: the lanes of a warp are a row apart in both matrices.
__global__ void scale(const float* in, float* out, int rows, int cols, float factor)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    out[row * cols + col] = factor * in[row * cols + col]; // expect: CUD101@5, CUD101@38
}

void launch(const float* in, float* out, int rows, int cols)
{
    dim3 block(16, 16);
    dim3 grid((rows + 15) / 16, (cols + 15) / 16);
    scale<<<grid, block>>>(in, out, rows, cols, 2.0f);
}
