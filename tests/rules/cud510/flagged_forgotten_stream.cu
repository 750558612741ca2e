#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                       \
    do {                                                  \
        cudaError_t status = (call);                      \
        if (status != cudaSuccess) {                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                 \
        }                                                 \
    } while (0)

__global__ void scale(float* x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

void chunks(float* host, int chunk, int count)
{
    float* dev = nullptr;
    cudaStream_t streams[4];
    CHECK(cudaMalloc(&dev, count * chunk * sizeof(float)));
    CHECK(cudaHostRegister(host, count * chunk * sizeof(float), cudaHostRegisterDefault));
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamCreate(&streams[i]));
    for (int i = 0; i < count; ++i) {
        float *d = dev + i * chunk, *h = host + i * chunk;
        CHECK(cudaMemcpyAsync(d, h, chunk * sizeof(float), cudaMemcpyHostToDevice, streams[i % 4]));
        scale<<<(chunk + 255) / 256, 256>>>(d, 2.0f, chunk);  // expect: CUD510@9
        CHECK(cudaMemcpyAsync(h, d, chunk * sizeof(float), cudaMemcpyDeviceToHost, streams[i % 4]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaHostUnregister(host));
    CHECK(cudaFree(dev));
}

void three_fields(int n)
{
    float *rho = nullptr, *u = nullptr, *p = nullptr;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&rho, n * sizeof(float)));
    CHECK(cudaMalloc(&u, n * sizeof(float)));
    CHECK(cudaMalloc(&p, n * sizeof(float)));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    scale<<<(n + 255) / 256, 256, 0, first>>>(rho, 2.0f, n);
    CHECK(cudaMemsetAsync(u, 0, n * sizeof(float)));  // expect: CUD510@11
    scale<<<(n + 255) / 256, 256, 0, second>>>(p, 2.0f, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(rho));
    CHECK(cudaFree(u));
    CHECK(cudaFree(p));
}
