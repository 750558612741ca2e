#include <cuda_runtime.h>
#include <vector>

struct Particle {
    float x, y, z;
};

float* upload(const float* host, int n)
{
    float* dev = nullptr;
    cudaMalloc(&dev, n * sizeof(float*));  // expect: CUD508@5
    cudaMemcpy(dev, host, sizeof(host), cudaMemcpyHostToDevice);  // expect: CUD508@5
    return dev;
}

Particle* particles(int n)
{
    Particle* dev = nullptr;
    const size_t bytes = n * sizeof(dev);
    cudaMalloc((void**)&dev, bytes);  // expect: CUD508@5
    return dev;
}

void store(float* dev, const std::vector<float>& values)
{
    cudaMemcpy(dev, values.data(), sizeof(values), cudaMemcpyHostToDevice);  // expect: CUD508@5
}
