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

float* make(int n)
{
    float* dev = nullptr;
    CHECK(cudaMalloc(&dev, n * sizeof(float)));
    return dev;
}

// Other files call this one: whoever dispatches such operations can ask once behind all of them.
void scale_op(float* dev, float f, int n, cudaStream_t stream)
{
    scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, f, n);
}

// A launch that is captured into a graph is reported when the capture ends.
cudaGraph_t captured(float* dev, int n, cudaStream_t stream)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<(n + 255) / 256, 256, 0, stream>>>(dev, 2.0f, n);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}
