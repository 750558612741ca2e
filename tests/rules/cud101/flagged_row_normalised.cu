// Each thread walks a row twice: for its sum, and to scale it. The fix lets the lanes of a warp load and store the pieces
// of all their rows together, through a tile in shared memory; each thread still adds up its own row in order.
__global__ void normalise(float* rows, const int n, const int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n)
        return;
    float* row = rows + r * width;
    float sum = 0.0f;
    for (int c = 0; c < width; ++c)
        sum += row[c]; // expect: CUD101@16
    for (int c = 0; c < width; ++c)
        row[c] /= sum; // expect: CUD101@9
}

void launch(float* rows, int n, int width)
{
    normalise<<<(n + 127) / 128, 128>>>(rows, n, width);
}
