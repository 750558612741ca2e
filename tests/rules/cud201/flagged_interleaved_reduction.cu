// The distance between the lanes' words doubles in every step: 2, 4, 8, ... lanes meet in one bank.
__global__ void sum(const float* in, float* out)
{
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned k = 2 * s * t;
        if (k + s < 256)
            part[k] += part[k + s]; // expect: CUD201@13, CUD201@24
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

void launch(const float* in, float* out, int blocks)
{
    sum<<<blocks, 256>>>(in, out);
}
