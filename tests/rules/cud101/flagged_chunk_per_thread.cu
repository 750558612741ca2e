// Each thread scales a chunk of 16 elements: in every iteration, neighbouring threads are 64 bytes apart. The fix
// starts each thread at its own place in the block's elements and moves on by blockDim.x.
__global__ void scale(const float* in, float* out, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    int end = min(start + 16, n);
    for (int k = start; k < end; ++k)
        out[k] = 2.0f * in[k]; // expect: CUD101@9, CUD101@25
}

void launch(const float* in, float* out, int n)
{
    scale<<<(n + 4095) / 4096, 256>>>(in, out, n);
}
