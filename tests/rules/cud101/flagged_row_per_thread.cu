// Each thread sums one row: in every iteration, neighbouring threads are a whole row apart.
__global__ void row_sums(const float* matrix, float* sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c)
        sum += matrix[row * cols + c]; // expect: CUD101@16
    sums[row] = sum;
}

void launch(const float* matrix, float* sums, int rows, int cols)
{
    row_sums<<<(rows + 255) / 256, 256>>>(matrix, sums, rows, cols);
}
