// The block stages tiles in shared memory and shares them.
constexpr int TILE = 16;

__global__ void product(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = row < n && t + tx < n ? a[row * n + t + tx] : 0.0f;
        bs[ty][tx] = col < n && t + ty < n ? b[(t + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void launch(const float* a, const float* b, float* c, int n)
{
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    product<<<grid, block>>>(a, b, c, n);
}
