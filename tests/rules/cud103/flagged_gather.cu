// Which element a lane reads is written in memory: the cost of this access depends on the data.
__global__ void gather(const float* values, const int* index, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = values[index[i]]; // expect: CUD103@25
}

void launch(const float* values, const int* index, float* out, int n)
{
    gather<<<(n + 255) / 256, 256>>>(values, index, out, n);
}
