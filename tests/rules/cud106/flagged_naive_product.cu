// In every iteration 16 threads of the block read the same element of `a`, and 16 others the same of `b`.
__global__ void product(const float* a, const float* b, float* c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) // expect: CUD106@5
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void launch(const float* a, const float* b, float* c, int n)
{
    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (n + 15) / 16);
    product<<<grid, block>>>(a, b, c, n);
}
