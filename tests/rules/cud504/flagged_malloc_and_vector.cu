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

#include <vector>

struct Batch {
    float* values;
    int count;
};

static void push(const Batch& batch, float* dev, cudaStream_t stream)
{
    const float* from = batch.values + 1;
    CHECK(cudaMemcpyAsync(dev, from, batch.count * sizeof(float), cudaMemcpyHostToDevice, stream));  // expect: CUD504@11
}

void send(float* dev, int n, cudaStream_t stream)
{
    Batch batch;
    batch.values = static_cast<float*>(std::malloc((n + 1) * sizeof(float)));
    batch.count = n;
    push(batch, dev, stream);
    std::vector<float> back(n);
    CHECK(cudaMemcpyAsync(back.data(), dev, n * sizeof(float), cudaMemcpyDeviceToHost, stream));  // expect: CUD504@11
    std::printf("queued\n");
    CHECK(cudaMemsetAsync(dev, 0, n * sizeof(float), stream));
    CHECK(cudaStreamSynchronize(stream));
    std::free(batch.values);
}
