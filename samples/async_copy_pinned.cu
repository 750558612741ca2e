// The same four streams with page-locked memory: the copy engines read and write it while the host goes on.
#include "common.cuh"

__global__ void square(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}

int main()
{
    const int parts = 4, part = 1 << 22, n = parts * part;
    const std::size_t part_bytes = part * sizeof(float), bytes = n * sizeof(float);
    std::vector<float> source = test_data(n);
    float* host;
    CHECK(cudaMallocHost(&host, bytes));
    for (int i = 0; i < n; ++i)
        host[i] = source[i];
    float* device;
    CHECK(cudaMalloc(&device, bytes));
    cudaStream_t streams[parts];
    for (cudaStream_t& stream : streams)
        CHECK(cudaStreamCreate(&stream));

    const int block = 256, grid = (part + block - 1) / block;
    Stopwatch watch;
    watch.start();
    for (int p = 0; p < parts; ++p) {
        float* chunk = device + p * part;
        CHECK(cudaMemcpyAsync(chunk, host + p * part, part_bytes, cudaMemcpyHostToDevice, streams[p]));
        square<<<grid, block, 0, streams[p]>>>(chunk, part);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host + p * part, chunk, part_bytes, cudaMemcpyDeviceToHost, streams[p]));
    }
    float milliseconds = watch.stop();  // the default stream waits for the other streams
    CHECK(cudaDeviceSynchronize());

    for (cudaStream_t& stream : streams)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    bool correct = true;
    for (int i = 0; i < n; ++i)
        correct = correct && host[i] == source[i] * source[i];
    CHECK(cudaFreeHost(host));
    return report("async_copy_pinned", correct, 2.0 * bytes, milliseconds);
}
