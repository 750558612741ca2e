// The lanes of a warp are a record of 32 bytes apart: each of them needs a sector of its own for four bytes.
struct Particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void total_mass(const Particle* particles, float* mass, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mass[i] = particles[i].mass; // expect: CUD102@26
}

void launch(const Particle* particles, float* mass, int n)
{
    total_mass<<<(n + 255) / 256, 256>>>(particles, mass, n);
}
