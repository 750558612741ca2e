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


// Memory that is pinned later, memory of unknown origin, and memory that is pageable on one way only.
void registered(float* dev, int n, cudaStream_t stream)
{
    float* host = new float[n];
    CHECK(cudaHostRegister(host, n * sizeof(float), cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaHostUnregister(host));
    delete[] host;
}

void given(float* dev, const float* host, int n, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
}

void either(float* dev, int n, bool pin, cudaStream_t stream)
{
    float* host = nullptr;
    if (pin)
        CHECK(cudaMallocHost(&host, n * sizeof(float)));
    else
        host = static_cast<float*>(std::calloc(n, sizeof(float)));
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (pin)
        CHECK(cudaFreeHost(host));
    else
        std::free(host);
}

// A capture copies nothing: it puts the copy into a graph.
void captured(float* dev, int n, cudaStream_t stream, cudaGraphExec_t* run)
{
    float* host = new float[n]();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(dev, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(run, graph, nullptr, nullptr, 0));
    CHECK(cudaGraphLaunch(*run, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphDestroy(graph));
    delete[] host;
}
