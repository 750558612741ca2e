// Each field has an array of its own: a warp reads 128 contiguous bytes.
struct Particles {
    float *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
};

__global__ void momentum(Particles particles, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = particles.mass[i] * particles.vx[i];
}

void launch(Particles particles, float* out, int n)
{
    momentum<<<(n + 255) / 256, 256>>>(particles, out, n);
}
