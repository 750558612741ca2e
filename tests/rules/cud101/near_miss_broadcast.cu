// a[row * n + k] has a large stride in threadIdx.y, but the lanes of a warp share one row: it is a broadcast.
// The index of `bias` does not depend on the thread at all.
__global__ void product(const float* a, const float* b, const float* bias, float* c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = bias[blockIdx.x * 1024];
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void launch(const float* a, const float* b, const float* bias, float* c, int n)
{
    dim3 block(32, 8);
    dim3 grid((n + 31) / 32, (n + 7) / 8);
    product<<<grid, block>>>(a, b, bias, c, n);
}
