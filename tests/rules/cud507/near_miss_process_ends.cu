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

// Nothing is done on the device once this returns, well or badly: what it holds goes with the process.
static int run(int n)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    float *x = nullptr, first = 0.0f;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemsetAsync(x, 0, n * sizeof(float), stream));
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, 2.0f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&first, x, sizeof(float), cudaMemcpyDeviceToHost));
    if (first != 0.0f) return EXIT_FAILURE;
    CHECK(cudaFree(x));
    return EXIT_SUCCESS;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
    int failed = run(n);
    std::printf("%s\n", failed ? "failed" : "passed");
    return failed;
}
