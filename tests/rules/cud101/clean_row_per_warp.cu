// One warp walks each row: in every iteration its lanes read 32 neighbouring elements.
__global__ void row_sums(const float* matrix, float* sums, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += matrix[row * cols + c];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0) sums[row] = sum;
}

void launch(const float* matrix, float* sums, int rows, int cols)
{
    row_sums<<<(rows + 7) / 8, 256>>>(matrix, sums, rows, cols);
}
